package models

import (
	"errors"
	"fmt"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/arch/net"
	"heddle/sim"
)

// device is the part of a machine that runs programs.
type device interface {
	// check says why the device cannot run p.
	check(p *isa.Program) error
	// run runs p with a thread for each item or on all hardware threads, from
	// time at, and returns when it has ended.
	run(p *isa.Program, items int, at sim.Time, args []isa.Value) (end sim.Time, err error)
	// counts returns the instructions executed so far.
	counts() Counts
	stop(err error)
	progress() Progress
	parts() []Part
	report(r *Report, elapsed sim.Time)
	// count sets c to what has been counted up to now.
	count(c *counters, now sim.Time)
	legend() legend
	// sample makes the device call f now and then while it runs programs.
	sample(f func(now sim.Time))
}

// Counts are instructions executed: by warps, and by their threads.
type Counts struct{ Instructions, ThreadInstructions uint64 }

// HostConfig describes what an accelerator's host program waits for.
type HostConfig struct {
	Launch sim.Time       `yaml:"launch" range:"0 ns..1 ms" doc:"host time to start a kernel or another command without waiting for it"`
	PCIe   net.PCIeConfig `yaml:"pcie" doc:"bus between host and device"`
}

// Options are what a run may ask of a machine.
type Options struct {
	Sample    bool       // simulate only a part in detail, and estimate the rest
	Memcheck  bool       // reading memory that was never written ends the run
	MaxCycles sim.Cycles // of the machine's main clock; 0: no limit
}

// Launch records one launch of a program.
type Launch struct {
	Program            string
	Items              int
	Start, End         sim.Time
	Instructions       uint64
	ThreadInstructions uint64
	Activity           Activity
	Notes              []Note // made after it, before the next
}

// Note is a figure of a step, such as the size of a queue.
type Note struct {
	Name  string
	Value int64
}

// Machine is a machine built from a description, for one run. It implements
// what kernels see of a machine.
type Machine struct {
	Description *Description
	Engine      *sim.Engine
	Space       *mem.Space
	Launches    []Launch

	device   device
	clock    sim.Clock // of what cycles are counted in
	schedule string    // of parallel loops; "" where each item has a thread
	bus      *net.PCIe // nil where host and device are one
	launch   sim.Time
	now      sim.Time // of the host
	busy     sim.Time // until when the device is
	upload   sim.Time
	started  sim.Time
	timed    bool
	elapsed  sim.Time
	download sim.Time
	failed   error // of a launch: the run has ended
	observer sim.Observer
	sampler  sampler
}

// Build returns the machine that d describes. All faults of the description
// are reported together, and so is where its files contradict what they state
// of the whole machine (TheoryConfig).
func Build(d *Description, o Options) (*Machine, error) {
	f, err := d.family()
	if err != nil {
		return nil, err
	}
	m := &Machine{Description: d, Engine: sim.NewEngine()}
	if err := f.build(m, d, o); err != nil {
		return nil, err
	}
	if err := d.contradictions(); err != nil {
		return nil, err
	}
	m.sampler.machine = m
	if m.clock.Period > 0 {
		m.device.sample(m.sampler.look)
	}
	if o.Sample {
		if err := m.sample(); err != nil {
			return nil, err
		}
	}
	if o.Memcheck {
		m.Space.EnableMemcheck()
	}
	return m, nil
}

// DefaultSchedule returns the schedule of parallel loops that the machine's
// compilers choose, as isa.ParseSchedule reads it, "" for that of kernels.
func (m *Machine) DefaultSchedule() string { return m.schedule }

// checkSchedule wants text to name a schedule.
func checkSchedule(fault func(key, format string, args ...any), text string) {
	if text == "" {
		return // reported as missing
	}
	if _, err := isa.ParseSchedule(text); err != nil {
		fault("schedule", "%v", err)
	}
}

// Check returns why the machine cannot run p.
func (m *Machine) Check(p *isa.Program) error { return m.device.check(p) }

// Alloc returns an array of n elements in the machine's memory.
func (m *Machine) Alloc(name string, elem isa.Type, n int) (isa.Array, error) {
	return m.Space.Alloc(name, elem, n)
}

// Adopt places data in the machine's memory, after a copy over the bus where
// there is one.
func (m *Machine) Adopt(name string, data any) (isa.Array, error) {
	a, err := m.Space.Adopt(name, data)
	if err == nil && m.bus != nil {
		m.now = m.bus.Copy(m.now, sim.Bytes(a.Len*a.Elem.Size()))
	}
	return a, err
}

// Start begins the timed part of the run.
func (m *Machine) Start() {
	m.upload = m.now
	m.started = m.now
	m.busy = m.now
	m.timed = true
	if m.observer != nil {
		m.observer.Began(m.now)
	}
	m.sampler.begin(m.now)
}

// Started reports whether the set-up is over.
func (m *Machine) Started() bool { return m.timed }

// Launch runs a program. The host goes on at once, and waits for the end when
// it reads what the program has written. A program that fails ends the run:
// every later launch returns its error.
func (m *Machine) Launch(p *isa.Program, items int, args ...isa.Value) error {
	if m.failed != nil {
		return m.failed
	}
	if items <= 0 {
		return fmt.Errorf("launch of %s over %d items", p.Name, items)
	}
	m.now += m.launch
	start := max(m.now, m.busy)
	var before, after counters
	m.device.count(&before, start)
	m.showLaunch(p, items, start)
	end, err := m.device.run(p, items, start, args)
	m.failed = err
	m.busy = end
	if m.observer != nil {
		m.observer.Returned(end)
	}
	m.device.count(&after, end)
	m.sampler.look(end)
	m.Launches = append(m.Launches, Launch{
		Program: p.Name, Items: items, Start: start - m.started, End: end - m.started,
		Instructions:       after.Instructions - before.Instructions,
		ThreadInstructions: after.ThreadInstructions - before.ThreadInstructions,
		Activity:           m.activity(&before, &after, end-start),
	})
	return err
}

// Read returns element i of an integer array, copied back to the host after
// what was launched before has ended.
func (m *Machine) Read(a isa.Array, i int) (int64, error) {
	addr, err := element(a, i)
	if err != nil {
		return 0, err
	}
	m.now = max(m.now, m.busy)
	if m.bus != nil {
		from := m.now
		m.now = m.bus.Copy(from, sim.Bytes(a.Elem.Size()))
		m.busy = m.now
		if m.observer != nil {
			m.observer.Copied(a.Name, sim.Bytes(a.Elem.Size()), from, m.now)
		}
	}
	var v [1]uint64
	if f := m.Space.Load(a.Elem, 1, []uint64{addr}, v[:]); f != nil {
		return 0, errors.New(m.Space.Explain(f))
	}
	return int64(v[0]), nil
}

// Write sets element i of an integer array, in the order of the launches; the
// host does not wait for it.
func (m *Machine) Write(a isa.Array, i int, v int64) error {
	addr, err := element(a, i)
	if err != nil {
		return err
	}
	m.now += m.launch
	m.busy = max(m.now, m.busy)
	if f := m.Space.Store(a.Elem, 1, []uint64{addr}, []uint64{uint64(v)}); f != nil {
		return errors.New(m.Space.Explain(f))
	}
	return nil
}

func element(a isa.Array, i int) (uint64, error) {
	if i < 0 || i >= a.Len || a.Elem.Register() != isa.I64 {
		return 0, fmt.Errorf("element %d of %s: not an integer among %d", i, a.Name, a.Len)
	}
	return a.Base + uint64(i*a.Elem.Size()), nil
}

// Note records a figure of the step that the last launch belongs to.
func (m *Machine) Note(name string, v int64) {
	if n := len(m.Launches); n > 0 {
		l := &m.Launches[n-1]
		l.Notes = append(l.Notes, Note{name, v})
		if m.observer != nil {
			m.observer.Noted(name, v, max(m.now, m.busy))
		}
	}
}

// Finish ends the timed part.
func (m *Machine) Finish() {
	m.now = max(m.now, m.busy)
	m.elapsed = m.now - m.started
}

// View returns the contents of a, copied back where there is a bus.
func (m *Machine) View(a isa.Array) any {
	if m.bus != nil {
		m.now = max(m.now, m.busy)
		end := m.bus.Copy(m.now, sim.Bytes(a.Len*a.Elem.Size()))
		m.download += end - m.now
		m.now = end
	}
	return m.Space.View(a)
}

// Stop ends a run soon with err; it may be called from any goroutine.
func (m *Machine) Stop(err error) { m.device.stop(err) }
