package isa

// ahead is what a loop will read next, as far as the load that goes through its
// elements tells: a warp that runs asks the host for it early, for most of what
// lone lanes wait for are misses of the host's caches. A program sees nothing of
// it. (Yu et al., IMP: Indirect Memory Prefetcher, MICRO 2015, in hardware.)
type ahead struct {
	rows  []int32 // loads that have its index, itself among them
	named int32   // the load that takes for its index what this one loads, -1 for none
}

const (
	// iterationsAhead is how much earlier what an element names is asked for.
	iterationsAhead = 2
	hostLine        = 64 // bytes
)

// lead finds what the first load of a loop, from pc begin to the while at end,
// tells of later iterations: one whose index the loop steps by a constant.
func lead(p *Program, steps []step, begin, end int32) {
	for pc := end - 1; pc > begin && p.Code[pc].Op != OpNext; pc-- {
		in := &p.Code[pc]
		if in.Op != OpAdd || in.D != in.A || in.B>>bankShift != sharedBank>>bankShift {
			continue
		}
		var rows []int32
		for at := begin + 1; at < pc; at++ {
			if p.Code[at].B == in.D && steps[at].fromRow() {
				rows = append(rows, at)
			}
		}
		if len(rows) > 0 {
			steps[rows[0]].ahead = &ahead{rows: rows, named: named(p, steps, rows[0], end)}
		}
	}
}

// named returns the load between the one at pc and end that takes for its index
// what that one loads, -1 if there is none.
func named(p *Program, steps []step, pc, end int32) int32 {
	loaded := p.Code[pc].D
	for pc++; pc < end; pc++ {
		in := &p.Code[pc]
		if in.B == loaded && steps[pc].fromRow() {
			return pc
		}
		if in.D == loaded {
			break
		}
	}
	return -1
}

// fromRow reports whether the step loads from an array that all lanes share.
func (s *step) fromRow() bool { return s.form == loads && s.uniform }

// lookAhead asks the host for what follows the access of s at offset at of its
// segment, by one lane.
func (w *Warp) lookAhead(s *step, lane operand, at uint64) {
	if at&(hostLine/2-1) <= s.mask { // now and then: elements of other rows may be larger
		index := w.banks.get(s.b + lane)
		for _, pc := range s.ahead.rows {
			r := &w.steps[pc]
			next := w.banks.get(r.a) + index*r.scale + r.offset - r.base + hostLine
			if next < r.limit {
				prefetch(&r.data[next])
			}
		}
	}
	if s.ahead.named < 0 {
		return
	}
	if at += iterationsAhead * (s.mask + 1); at < s.limit {
		n := &w.steps[s.ahead.named]
		to := w.banks.get(n.a) + decode(s.element, s.data[at:])*n.scale + n.offset - n.base
		if to < n.limit {
			prefetch(&n.data[to])
		}
	}
}
