package kerneltest

import (
	"fmt"

	"heddle/arch/isa"
)

// policy is how a schedule picks the next warp.
type policy int

const (
	uniform  policy = iota // any warp, an instruction at a time
	bursts                 // any warp, for a random number of instructions
	priority               // one warp until it ends or a rare change: the others starve
	numPolicies
)

// schedule interleaves the warps of one launch.
type schedule struct {
	m        *Functional
	launch   *isa.Launch
	policy   policy
	next     int // first thread of the next block
	live     []*runningWarp
	steps    int64
	progress int64 // instructions that completed for some lane
}

type runningWarp struct {
	warp    isa.Warp
	block   *block
	waiting bool  // at the block's barrier
	stuck   int64 // progress when it last blocked, -1 if it did not
}

type block struct {
	memory  *isa.BlockMemory
	warps   []*runningWarp
	arrived int
}

func newSchedule(m *Functional, l *isa.Launch) *schedule {
	return &schedule{m: m, launch: l, policy: policy(m.rng.IntN(int(numPolicies)))}
}

func (s *schedule) run() error {
	s.admit()
	for len(s.live) > 0 {
		i := s.pick()
		n := 1
		if s.policy == bursts {
			n = 1 + s.m.rng.IntN(32)
		}
		for range n {
			ended, err := s.step(s.live[i])
			if err != nil {
				return err
			}
			if ended {
				s.retire(i)
				s.admit()
				break
			}
			if s.live[i].waiting || s.live[i].stuck >= 0 {
				break
			}
		}
	}
	return nil
}

// admit makes blocks resident while there is room.
func (s *schedule) admit() {
	l := s.launch
	for s.next < l.Threads && (len(s.live) == 0 || len(s.live) < s.m.cfg.Resident) {
		b := &block{memory: isa.NewBlockMemory(l.Program)}
		end := min(s.next+l.Block, l.Threads)
		for ; s.next < end; s.next += min(l.Width, end-s.next) {
			w := s.newWarp()
			w.block, w.waiting, w.stuck = b, false, -1
			w.warp.Start(l, s.next, min(l.Width, end-s.next), b.memory)
			if w.warp.Begin() == isa.Done {
				continue
			}
			b.warps = append(b.warps, w)
			s.live = append(s.live, w)
		}
	}
}

func (s *schedule) newWarp() *runningWarp {
	if n := len(s.m.idle); n > 0 {
		w := s.m.idle[n-1]
		s.m.idle = s.m.idle[:n-1]
		return w
	}
	return new(runningWarp)
}

// pick returns the index of a live warp that may go on.
func (s *schedule) pick() int {
	rng := s.m.rng
	n := len(s.live)
	if s.policy == priority && rng.IntN(64) == 0 {
		k := rng.IntN(n)
		s.live[0], s.live[k] = s.live[k], s.live[0]
	}
	first := 0
	if s.policy != priority {
		first = rng.IntN(n)
	}
	for k := range n {
		i := (first + k) % n
		if w := s.live[i]; !w.waiting && w.stuck != s.progress {
			return i
		}
	}
	return first // nobody can go on; step reports it
}

// step executes one instruction of w and says whether the warp has ended.
func (s *schedule) step(w *runningWarp) (ended bool, err error) {
	p := s.launch.Program
	if w.waiting || w.stuck == s.progress {
		return false, fmt.Errorf("program %s: deadlock: all %d resident warps wait, one at %s",
			p.Name, len(s.live), p.Source(w.warp.PC))
	}
	s.steps++
	w.stuck = -1
	switch w.warp.Step() {
	case isa.Faulted:
		pc := max(w.warp.PC-1, 0)
		return false, fmt.Errorf("program %s, %s: thread %d: %s", p.Name, p.Source(pc),
			w.warp.Thread(w.warp.Fault.Lane), s.m.Space.Explain(w.warp.Fault))
	case isa.Blocked:
		if w.warp.Accessed != 0 {
			s.progress++
		}
		w.stuck = s.progress
		return false, nil
	case isa.Wait:
		w.waiting = true
		w.block.arrived++
		w.block.release()
	case isa.Done:
		s.progress++
		return true, nil
	}
	s.progress++
	return false, nil
}

// retire takes the warp at index i out of the schedule.
func (s *schedule) retire(i int) {
	w := s.live[i]
	last := len(s.live) - 1
	s.live[i] = s.live[last]
	s.live = s.live[:last]
	for k, x := range w.block.warps {
		if x == w {
			w.block.warps = append(w.block.warps[:k], w.block.warps[k+1:]...)
			break
		}
	}
	w.block.release()
	w.block = nil
	s.m.idle = append(s.m.idle, w)
}

// release lets the block's warps go on when all that are left have arrived.
func (b *block) release() {
	if b.arrived < len(b.warps) {
		return
	}
	for _, w := range b.warps {
		w.waiting = false
	}
	b.arrived = 0
}
