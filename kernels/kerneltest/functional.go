// Package kerneltest is what the kernels' tests share: a functional machine
// whose schedule is fuzzed, random graphs, and the graph files.
package kerneltest

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/kernels"
	"heddle/sim"
)

// Config is the shape of a functional machine.
type Config struct {
	Width     int    // lanes in a warp, 1 to isa.MaxWidth
	Threads   int    // hardware threads; 0 launches a thread an item
	Block     int    // threads in a block; 0 means one warp
	Resident  int    // warps that run interleaved, at least one block's; 0 means 16
	Seed      uint64 // of the schedule
	FullEmpty bool   // whether memory has full/empty bits
}

// Functional is a kernels.Machine without time. Each step executes one
// instruction of one resident warp, which the seed picks, so that a test sees
// many of the interleavings that some machine's timing could produce. Reading
// memory that was never written ends the run. It counts accesses by array.
type Functional struct {
	Space    *mem.Space
	Notes    []Note
	Launches []Launch

	cfg     Config
	rng     *rand.Rand
	memory  *countingMemory
	started bool
	done    bool
	idle    []*runningWarp
}

// Note is one call of the machine's Note.
type Note struct {
	Name  string
	Value int64
}

// Launch records one launch.
type Launch struct {
	Program string
	Items   int
	Steps   int64 // warp instructions executed
}

var _ kernels.Machine = (*Functional)(nil)

// NewFunctional returns a machine of the given shape.
func NewFunctional(cfg Config) *Functional {
	if cfg.Block == 0 {
		cfg.Block = cfg.Width
	}
	if cfg.Resident == 0 {
		cfg.Resident = 16
	}
	space := mem.NewSpace(sim.Bytes(1) << 40)
	space.EnableMemcheck()
	if cfg.FullEmpty {
		space.EnableFullEmpty()
	}
	return &Functional{
		Space:  space,
		cfg:    cfg,
		rng:    rand.New(rand.NewPCG(cfg.Seed, 0x6865646c65)),
		memory: &countingMemory{space: space},
	}
}

// Alloc implements kernels.Machine.
func (m *Functional) Alloc(name string, elem isa.Type, n int) (isa.Array, error) {
	return m.Space.Alloc(name, elem, n)
}

// Adopt implements kernels.Machine.
func (m *Functional) Adopt(name string, data any) (isa.Array, error) {
	return m.Space.Adopt(name, data)
}

// Start implements kernels.Machine.
func (m *Functional) Start() { m.started = true }

// Finish implements kernels.Machine.
func (m *Functional) Finish() { m.done = true }

// Note implements kernels.Machine.
func (m *Functional) Note(name string, v int64) { m.Notes = append(m.Notes, Note{name, v}) }

// View implements kernels.Machine.
func (m *Functional) View(a isa.Array) any { return m.Space.View(a) }

// Read implements kernels.Machine. It is not counted.
func (m *Functional) Read(a isa.Array, i int) (int64, error) {
	var v [1]uint64
	if err := m.hostAccess(a); err != nil {
		return 0, err
	}
	if f := m.Space.Load(a.Elem, 1, []uint64{element(a, i)}, v[:]); f != nil {
		return 0, fmt.Errorf("host reads %s[%d]: %w", a.Name, i, f)
	}
	return int64(v[0]), nil
}

// Write implements kernels.Machine. It is not counted.
func (m *Functional) Write(a isa.Array, i int, v int64) error {
	if err := m.hostAccess(a); err != nil {
		return err
	}
	if f := m.Space.Store(a.Elem, 1, []uint64{element(a, i)}, []uint64{uint64(v)}); f != nil {
		return fmt.Errorf("host writes %s[%d]: %w", a.Name, i, f)
	}
	return nil
}

func (m *Functional) hostAccess(a isa.Array) error {
	if a.Elem.Register() != isa.I64 {
		return fmt.Errorf("%s holds %s: the host reads and writes integers", a.Name, a.Elem)
	}
	return nil
}

func element(a isa.Array, i int) uint64 { return a.Base + uint64(i)*uint64(a.Elem.Size()) }

// Launch implements kernels.Machine.
func (m *Functional) Launch(p *isa.Program, items int, args ...isa.Value) error {
	if !m.started || m.done {
		return errors.New("launch outside the timed part: Start comes before it, Finish after")
	}
	if items <= 0 {
		return fmt.Errorf("program %s: launched for %d items", p.Name, items)
	}
	if err := p.CheckArgs(args); err != nil {
		return err
	}
	threads := items
	if m.cfg.Threads > 0 {
		threads = m.cfg.Threads
	}
	s := newSchedule(m, isa.NewLaunch(p, m.memory, m.cfg.Width, threads, m.cfg.Block, args))
	err := s.run()
	m.Launches = append(m.Launches, Launch{p.Name, items, s.steps})
	return err
}

// Count returns the accesses that programs made to the arrays called name.
func (m *Functional) Count(name string) Count {
	var sum Count
	for _, a := range m.Space.Arrays() {
		if a.Name == name && a.ID < len(m.memory.counts) {
			c := m.memory.counts[a.ID]
			sum.Loads += c.Loads
			sum.Stores += c.Stores
			sum.Atomics += c.Atomics
			sum.FullEmpty += c.FullEmpty
		}
	}
	return sum
}
