package traces

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heddle/sim"
)

// page is a viewer that keeps what it is shown.
type page struct {
	groups map[int]string
	tracks map[int]string
	of     map[int]int // group of each track
	slices []shownSlice
	open   map[int]slice
	values map[string][]point
	names  map[int]string // of counters
	t      *testing.T
}

type shownSlice struct {
	slice
	track int
}

type point struct {
	at    sim.Time
	value float64
}

func newPage(t *testing.T) *page {
	return &page{groups: map[int]string{}, tracks: map[int]string{}, of: map[int]int{}, open: map[int]slice{},
		values: map[string][]point{}, names: map[int]string{}, t: t}
}

func (p *page) group(id int, name string, _ int) { p.groups[id] = name }

func (p *page) track(id, group int, name string, _ int) {
	if p.groups[group] == "" {
		p.t.Fatalf("track %s of group %d, which there is not", name, group)
	}
	p.tracks[id], p.of[id] = name, group
}

func (p *page) counter(id, _ int, name, _ string) { p.names[id] = name }

func (p *page) begin(track int, s *slice) {
	if _, already := p.open[track]; already {
		p.t.Fatalf("%s begins on %s, where another is open", s.name, p.tracks[track])
	}
	p.open[track] = *s
}

func (p *page) end(track int, at sim.Time) {
	s, ok := p.open[track]
	if !ok {
		p.t.Fatalf("nothing is open on %s", p.tracks[track])
	}
	delete(p.open, track)
	s.to = at
	p.slice(track, &s)
}

func (p *page) slice(track int, s *slice) {
	if s.from > s.to {
		p.t.Fatalf("%s from %d to %d", s.name, s.from, s.to)
	}
	p.slices = append(p.slices, shownSlice{*s, track})
}

func (p *page) value(id int, at sim.Time, v float64) {
	p.values[p.names[id]] = append(p.values[p.names[id]], point{at, v})
}

func (p *page) close() error { return nil }

// kind returns the slices of a kind: name, from and to.
func (p *page) kind(kind string) (list []string, spans [][2]sim.Time) {
	for _, s := range p.slices {
		if s.kind == kind {
			list = append(list, s.name)
			spans = append(spans, [2]sim.Time{s.from, s.to})
		}
	}
	return list, spans
}

var testLayout = sim.Layout{Machine: "m", Core: "core", Context: "thread", Cores: 2, Contexts: 3, Width: 1,
	States: []string{"issued", "waits", "sleeps"}, Issue: "instructions", Clock: sim.Clock{Period: 10}}

// rig is a tracer with a clock that the test sets.
type rig struct {
	*Tracer
	page  *page
	now   sim.Time
	bytes sim.Bytes
}

func newRig(t *testing.T, o Options) *rig {
	t.Helper()
	r := &rig{page: newPage(t)}
	o.Now = func() sim.Time { return r.now }
	o.DRAM = func() sim.Bytes { return r.bytes }
	var err error
	if r.Tracer, err = newTracer(r.page, testLayout, o); err != nil {
		t.Fatal(err)
	}
	return r
}

var testLaunch = sim.Launched{Program: "p", Threads: 6, Block: 6, At: 1000, Lines: []string{"k.go:1", "k.go:2", "k.go:3"},
	Regions: []sim.Region{{Name: "all", From: 0, To: 3}, {Name: "part", From: 1, To: 2}, {Name: "never", From: 2, To: 3}}, Arrays: testArrays}

// States that go on are one slice, and lie in their threads', which lie in the
// launch; times count from the start of the timed part.
func TestTracerStates(t *testing.T) {
	r := newRig(t, Options{})
	r.Began(900)
	r.Launched(&testLaunch)
	c := sim.Context{Core: 1, Slot: 2}
	r.Started(c, 5, 1000)
	r.Spent(c, 0, 0, 1000, 1010, 1)
	r.Spent(c, 1, 0, 1010, 1100, 0)
	r.Spent(c, 1, 0, 1100, 1200, 0) // goes on
	r.Spent(c, 1, 1, 1200, 1300, 0) // for another instruction
	r.Spent(c, 0, 1, 1300, 1310, 1)
	r.Ended(c, 1310)
	r.now = 1400
	r.Returned(1400)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	names, spans := r.page.kind("state")
	if !slices.Equal(names, []string{"issued", "waits", "waits", "issued"}) ||
		!slices.Equal(spans, [][2]sim.Time{{100, 110}, {110, 300}, {300, 400}, {400, 410}}) {
		t.Errorf("%v %v", names, spans)
	}
	names, spans = r.page.kind("threads")
	if !slices.Equal(names, []string{"thread 5"}) || !slices.Equal(spans, [][2]sim.Time{{100, 410}}) {
		t.Errorf("%v %v", names, spans)
	}
	names, spans = r.page.kind("launch")
	if !slices.Equal(names, []string{"p"}) || !slices.Equal(spans, [][2]sim.Time{{100, 500}}) {
		t.Errorf("%v %v", names, spans)
	}
	names, spans = r.page.kind("region") // from the first entry to the last exit
	if !slices.Equal(names, []string{"all", "part"}) || !slices.Equal(spans, [][2]sim.Time{{100, 410}, {400, 410}}) {
		t.Errorf("%v %v", names, spans)
	}
	if len(r.page.open) != 0 {
		t.Errorf("left open: %v", r.page.open)
	}
	parents := map[uint64]string{0: ""}
	for _, s := range r.page.slices {
		parents[s.id] = s.kind
	}
	for _, s := range r.page.slices {
		want := map[string]string{"state": "threads", "threads": "launch", "region": "launch", "launch": ""}[s.kind]
		if parents[s.parent] != want {
			t.Errorf("%s is a part of a %q", s.kind, parents[s.parent])
		}
	}
}

// Only what lies in the window and on the cores asked for is shown, cut to it.
func TestTracerWindow(t *testing.T) {
	r := newRig(t, Options{From: 150, For: 200, Cores: []int{1}})
	r.Began(900)
	r.Launched(&testLaunch)
	for core := range int32(2) {
		c := sim.Context{Core: core}
		r.Started(c, 0, 1000)
		r.Spent(c, 1, 0, 1000, 1040, 0) // before it
		r.Spent(c, 2, 0, 1040, 1100, 0)
		r.Request(&sim.Request{Context: c, Array: 0, Size: 4, Addr: testArrays[0].Base + 8, From: 1000, To: 1300, Level: "L1"})
		r.Spent(c, 1, 0, 1100, 2000, 0)
		r.Request(&sim.Request{Context: c, Array: -1, Size: 4, From: 1300, To: 1400, Level: "L1"}) // behind it
		r.Ended(c, 2000)
	}
	r.now = 2000
	r.Noted("queue", 7, 1049)
	r.Noted("queue", 8, 1100)
	r.Returned(2000)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string][][2]sim.Time{
		"state": {{150, 200}, {200, 350}}, "threads": {{150, 350}}, "launch": {{150, 350}}, "request": {{150, 350}},
	} {
		if _, spans := r.page.kind(kind); !slices.Equal(spans, want) {
			t.Errorf("%s: %v, not %v", kind, spans, want)
		}
	}
	for _, s := range r.page.slices {
		if g := r.page.groups[r.page.of[s.track]]; g != "core 1" && g != "host" {
			t.Errorf("%s of %s", s.name, g)
		}
		if s.kind == "request" && s.name != "load a, L1" {
			t.Errorf("request %q", s.name)
		}
	}
	if got := r.page.values["queue"]; !slices.Equal(got, []point{{200, 8}}) {
		t.Errorf("queue %v", got)
	}
	for name, curve := range r.page.values {
		for _, v := range curve {
			if v.at < 150 || v.at > 350 {
				t.Errorf("%s at %d", name, v.at)
			}
		}
	}
	if _, err := newTracer(newPage(t), testLayout, Options{Cores: []int{2}}); err == nil {
		t.Error("a core that there is not")
	}
}

// Requests that overlap are on different tracks, and there are no more tracks
// than requests at once.
func TestRequestsDoNotOverlap(t *testing.T) {
	r := newRig(t, Options{})
	r.Began(0)
	random := rand.New(rand.NewPCG(1, 2))
	type span struct{ from, to sim.Time }
	var all []span
	at := sim.Time(0)
	for range 2000 {
		at += sim.Time(random.IntN(20))
		s := span{at, at + 1 + sim.Time(random.IntN(300))}
		all = append(all, s)
		r.Request(&sim.Request{Array: -1, From: s.from, To: s.to})
	}
	most := 0
	for _, s := range all {
		n := 0
		for _, o := range all {
			if o.from <= s.from && s.from < o.to {
				n++
			}
		}
		most = max(most, n)
	}
	ends := map[int]sim.Time{}
	for _, s := range r.page.slices {
		if s.from < ends[s.track] {
			t.Fatalf("%d to %d on track %d, in use until %d", s.from, s.to, s.track, ends[s.track])
		}
		ends[s.track] = s.to
	}
	if len(r.page.slices) != len(all) || len(ends) != most {
		t.Errorf("%d of %d requests on %d tracks, %d at once", len(r.page.slices), len(all), len(ends), most)
	}
}

// The area under the curves is what was issued and moved.
func TestCounters(t *testing.T) {
	for _, o := range []Options{{}, {From: 5_000, For: 50_000}} {
		r := newRig(t, o)
		r.Began(0)
		random := rand.New(rand.NewPCG(3, 4))
		to := sim.Time(60_000)
		if o.For > 0 {
			to = o.From + o.For
		}
		issued, moved := 0, sim.Bytes(0)
		for r.now < 60_000 {
			r.now += sim.Time(random.IntN(200))
			at := max(0, r.now-sim.Time(random.IntN(400))) // known late
			n := random.IntN(3)
			r.Spent(sim.Context{}, 0, 0, at, at+10, n)
			if o.From <= at && at < to {
				issued += n
			}
			if more := sim.Bytes(random.IntN(100)); r.now < to {
				r.bytes += more
				if r.now >= o.From {
					moved += more
				}
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		area := func(name string, unit float64) (sum float64) {
			curve := r.page.values[name]
			for i := range len(curve) - 1 {
				if curve[i+1].at < curve[i].at {
					t.Fatalf("%s goes back from %d to %d", name, curve[i].at, curve[i+1].at)
				}
				sum += curve[i].value * float64(curve[i+1].at-curve[i].at) / unit
			}
			return sum
		}
		if got := area("IPC", 10); math.Abs(got-float64(issued)) > 0.01*float64(issued) {
			t.Errorf("%+v: %g instructions of %d", o, got, issued)
		}
		if got := area("DRAM bandwidth", float64(sim.Second)/1e9); math.Abs(got-float64(moved)) > 0.01*float64(moved) {
			t.Errorf("%+v: %g bytes of %d", o, got, moved)
		}
	}
}
