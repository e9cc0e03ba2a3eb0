package traces

import "heddle/sim"

// lanes are tracks that share slices which overlap: each goes to the first on
// which nothing is later. There are as many as slices are open at once.
type lanes struct {
	tracks []int
	ends   []sim.Time // of each one's latest slice
}

// add writes a slice to a track of a group, all of which have one name.
func (l *lanes) add(t *Tracer, group int, name string, rank int, s *slice) {
	i := 0
	for i < len(l.ends) && l.ends[i] > s.from {
		i++
	}
	if i == len(l.ends) {
		l.tracks = append(l.tracks, t.track())
		l.ends = append(l.ends, 0)
		t.out.track(l.tracks[i], group, name, rank)
	}
	l.ends[i] = s.to
	t.out.slice(l.tracks[i], s)
}

// Request implements sim.Probe.
func (t *Tracer) Request(r *sim.Request) {
	t.counters.tick(t)
	x := t.at(r.Context)
	if x == nil {
		return
	}
	from, to, some := t.clip(r.From, r.To)
	if !some {
		return
	}
	s := slice{kind: "request", id: t.number(), parent: x.id, from: from, to: to}
	array := "other memory"
	if l := t.launch.Launched; l != nil && r.Array >= 0 && int(r.Array) < len(l.Arrays) {
		a := &l.Arrays[r.Array]
		array = a.Name
		s.args = append(s.args, arg{name: "element", number: (r.Addr - a.Base) / uint64(a.Element)})
	}
	s.name = r.Kind.String() + " " + array + ", " + r.Level
	s.args = append(s.args,
		arg{name: "array", text: array}, arg{name: "level", text: r.Level},
		arg{name: "address", number: r.Addr, hex: true}, arg{name: "bytes", number: uint64(r.Size)})
	if line := t.line(r.PC); line != "" {
		s.args = append(s.args, arg{name: "line", text: line})
	}
	t.cores[r.Core].requests.add(t, t.cores[r.Core].group, "memory", rankRequests, &s)
}

// Access implements sim.Probe; its requests are what is shown.
func (t *Tracer) Access(*sim.Access) {}
