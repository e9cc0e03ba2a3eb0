package traces

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"heddle/sim"
)

// flat is a memory of which every access takes the same time.
type flat struct {
	width    int
	contexts int // 0: many
	latency  sim.Time
	arrays   []sim.MemoryArray
	seen     []flatAccess
}

type flatAccess struct {
	context int
	thread  int
	lanes   uint64
	at      sim.Time
	addr    uint64 // of the first lane
}

func (f *flat) Width() int { return f.width }

func (f *flat) Contexts() int {
	if f.contexts == 0 {
		return 1 << 20
	}
	return f.contexts
}

// Place puts every array elsewhere than it was.
func (f *flat) Place(a sim.MemoryArray) (uint64, error) {
	f.arrays = append(f.arrays, a)
	return a.Base + 1<<32, nil
}

func (f *flat) Launch(int, int, sim.Time) {}

func (f *flat) Access(a *sim.Access, context int, at sim.Time) sim.Time {
	x := flatAccess{context: context, thread: a.Thread, lanes: a.Lanes, at: at}
	for l := range a.Addr {
		if a.Lanes>>l&1 != 0 {
			x.addr = a.Addr[l]
			break
		}
	}
	f.seen = append(f.seen, x)
	return at + f.latency
}

// story is a run to be recorded: what happens to threads, in order.
type story struct {
	recorder *Recorder
	file     bytes.Buffer
}

func newStory(t *testing.T, width, contexts, threads, block int) *story {
	t.Helper()
	s := &story{}
	h := testHeader
	h.Width, h.Contexts = width, contexts
	var err error
	if s.recorder, err = NewRecorder(&s.file, h); err != nil {
		t.Fatal(err)
	}
	s.recorder.Began(0)
	s.recorder.Launched(&sim.Launched{Program: "p", Threads: threads, Block: block, Arrays: testArrays})
	return s
}

func at(thread int) sim.Context { return sim.Context{Core: int32(thread)} }

func (s *story) start(thread int, t sim.Time) { s.recorder.Started(at(thread), thread, t) }

func (s *story) load(thread int, place uint64, from, to sim.Time) {
	s.recorder.Access(&sim.Access{Context: at(thread), Size: 4, Thread: thread, Lanes: 1, Addr: []uint64{testArrays[0].Base + 4*place}, From: from, To: to})
}

func (s *story) arrive(thread int, t sim.Time) { s.recorder.Arrived(at(thread), t) }

func (s *story) replay(t *testing.T, m *flat, end sim.Time) *Replayed {
	t.Helper()
	s.recorder.Returned(end)
	if err := s.recorder.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(&s.file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p, err := Replay(context.Background(), r, m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func times(m *flat) (all []sim.Time) {
	for _, x := range m.seen {
		all = append(all, x.at)
	}
	return all
}

// An access is sent as long after what it waited for as in the run: the load
// before, here, or one that was sent before that.
func TestReplayWaits(t *testing.T) {
	const ns = sim.Nanosecond
	for _, c := range []struct {
		name    string
		latency sim.Time
		want    []sim.Time
	}{
		{"the same memory", 100 * ns, []sim.Time{1 * ns, 2 * ns, 103 * ns, 104 * ns, 205 * ns}},
		{"a faster one", 10 * ns, []sim.Time{1 * ns, 2 * ns, 13 * ns, 14 * ns, 25 * ns}},
		{"a slower one", 1000 * ns, []sim.Time{1 * ns, 2 * ns, 1003 * ns, 1004 * ns, 2005 * ns}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStory(t, 1, 1, 1, 1)
			s.start(0, 0)
			s.load(0, 0, 1*ns, 101*ns)
			s.load(0, 1, 2*ns, 102*ns)   // does not wait
			s.load(0, 2, 103*ns, 203*ns) // waits for the second
			s.load(0, 3, 104*ns, 204*ns) // goes along
			s.load(0, 4, 205*ns, 305*ns) // waits for the fourth
			m := &flat{width: 1, latency: c.latency}
			p := s.replay(t, m, 305*ns)
			if got := times(m); !slices.Equal(got, c.want) {
				t.Errorf("sent at %v, not %v", got, c.want)
			}
			if want := c.want[4] + c.latency; p.Elapsed != want || p.Accesses != 5 || p.Recorded != 305*ns {
				t.Errorf("%+v, not %d fs", p, want)
			}
			if m.seen[4].addr != testArrays[0].Base+1<<32+16 {
				t.Errorf("address %#x", m.seen[4].addr)
			}
		})
	}
}

// All threads of a block leave a barrier when the last has come to it, which
// in the replay may be another one.
func TestReplayBarrier(t *testing.T) {
	const ns = sim.Nanosecond
	s := newStory(t, 1, 2, 2, 2)
	s.start(0, 0)
	s.start(1, 0)
	s.load(0, 0, 1*ns, 11*ns)
	s.arrive(0, 12*ns)
	s.arrive(1, 50*ns)
	s.load(1, 1, 53*ns, 63*ns)
	s.load(0, 2, 54*ns, 64*ns)
	m := &flat{width: 1, latency: 100 * ns}
	p := s.replay(t, m, 64*ns)
	// Thread 0 is at the barrier at 102 ns, 1 ns behind its load.
	if got, want := times(m), []sim.Time{1 * ns, 105 * ns, 106 * ns}; !slices.Equal(got, want) || p.Elapsed != 206*ns {
		t.Errorf("sent at %v until %d, not %v", got, p.Elapsed, want)
	}
}

// Threads beyond the contexts begin when others end.
func TestReplayContexts(t *testing.T) {
	const ns = sim.Nanosecond
	for _, c := range []struct {
		contexts int
		want     []sim.Time
	}{{1, []sim.Time{0, 11 * ns, 22 * ns}}, {2, []sim.Time{0, 0, 11 * ns}}, {3, []sim.Time{0, 0, 0}}} {
		s := newStory(t, 1, 3, 3, 1)
		for i := range 3 {
			s.start(i, 0)
			s.load(i, 0, 0, 5*ns)
		}
		m := &flat{width: 1, contexts: c.contexts, latency: 11 * ns}
		s.replay(t, m, 5*ns)
		if got := times(m); !slices.Equal(got, c.want) {
			t.Errorf("%d contexts: sent at %v, not %v", c.contexts, got, c.want)
		}
	}
}

// Threads that wait at a barrier let others have their context, without which
// none would ever leave it.
func TestReplayBarrierOfMoreThreadsThanContexts(t *testing.T) {
	s := newStory(t, 1, 4, 4, 4)
	for i := range 4 {
		s.start(i, 0)
		s.arrive(i, sim.Nanosecond)
	}
	for i := range 4 {
		s.load(i, uint64(i), 2*sim.Nanosecond, 3*sim.Nanosecond)
	}
	m := &flat{width: 1, contexts: 1, latency: sim.Nanosecond}
	if p := s.replay(t, m, 3*sim.Nanosecond); p.Accesses != 4 {
		t.Errorf("%d accesses of 4", p.Accesses)
	}
}

// Accesses of single threads that are alike become one of a warp; those of a
// warp become those of threads.
func TestReplayWidths(t *testing.T) {
	const ns = sim.Nanosecond
	s := newStory(t, 1, 4, 4, 4)
	for i := range 4 {
		s.start(i, 0)
	}
	for i := range 4 {
		s.load(i, uint64(i), sim.Time(1+i)*ns, sim.Time(11+i)*ns)
	}
	s.load(2, 9, 20*ns, 30*ns)
	m := &flat{width: 4, latency: 10 * ns}
	s.replay(t, m, 30*ns)
	if len(m.seen) != 2 || m.seen[0].lanes != 15 || m.seen[1].lanes != 4 {
		t.Errorf("four threads in a warp: %+v", m.seen)
	}

	file, told := record(t, 3, 300)
	want := map[bool]int{}
	for _, x := range told {
		for l := range 4 {
			want[true] += int(x.access.Lanes >> l & 1)
		}
		if x.kind == MemoryRecord {
			want[false]++
		}
	}
	for _, c := range []struct {
		width int
		warps bool
	}{{1, true}, {4, false}} {
		r, err := NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		m := &flat{width: c.width}
		p, err := Replay(context.Background(), r, m)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.seen) != want[c.warps] || int(p.Accesses) != want[true] || int(p.Requests) != len(m.seen) {
			t.Errorf("width %d: %d requests of %d accesses, not %d of %d", c.width, len(m.seen), p.Accesses, want[c.warps], want[true])
		}
	}
}
