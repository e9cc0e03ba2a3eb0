package traces

import "heddle/sim"

// host is the part of a timeline that the host's program makes.
type host struct {
	group    int
	launches int // tracks
	copies   int
	regions  lanes

	// Of the running program's regions: those that hold each instruction, and
	// when each was first entered and last left; from is sim.Never before.
	around   [][]int
	from, to []sim.Time
}

func (h *host) begin(t *Tracer) {
	h.group, h.launches = t.track(), t.track()
	t.out.group(h.group, "host", rankHost)
	t.out.track(h.launches, h.group, "launches", 0)
}

func (h *host) launched(l *sim.Launched) {
	h.around = make([][]int, len(l.Lines))
	h.from, h.to = make([]sim.Time, len(l.Regions)), make([]sim.Time, len(l.Regions))
	for i, r := range l.Regions {
		h.from[i] = sim.Never
		for pc := r.From; pc < r.To; pc++ {
			h.around[pc] = append(h.around[pc], i)
		}
	}
}

// issued notes when the regions of an instruction are active.
func (h *host) issued(pc int32, from, to sim.Time) {
	if len(h.from) == 0 || pc < 0 || int(pc) >= len(h.around) {
		return
	}
	for _, i := range h.around[pc] {
		h.from[i], h.to[i] = min(h.from[i], from), max(h.to[i], to)
	}
}

// returned writes the launch and its regions, from the first thread that
// entered each to the last that left it.
func (h *host) returned(t *Tracer, at sim.Time) {
	l := t.launch
	if from, to, some := t.clip(l.At, at); some {
		t.out.slice(h.launches, &slice{name: l.Program, kind: "launch", id: l.id, from: from, to: to,
			args: []arg{{name: "threads", number: uint64(l.Threads)}, {name: "block", number: uint64(l.Block)}}})
	}
	for i, r := range l.Regions {
		if from, to, some := t.clip(h.from[i], h.to[i]); some {
			h.regions.add(t, h.group, "regions", 2, &slice{name: r.Name, kind: "region", id: t.number(), parent: l.id, from: from, to: to})
		}
	}
}

// Copied implements sim.Observer.
func (t *Tracer) Copied(what string, bytes sim.Bytes, from, to sim.Time) {
	from, to, some := t.clip(from, to)
	if !some {
		return
	}
	h := &t.host
	if h.copies == 0 {
		h.copies = t.track()
		t.out.track(h.copies, h.group, "copies", 1)
	}
	t.out.slice(h.copies, &slice{name: "copy " + what, kind: "copy", id: t.number(), from: from, to: to,
		args: []arg{{name: "bytes", number: uint64(bytes)}}})
}
