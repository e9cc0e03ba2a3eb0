package isa

// spread writes v to the active lanes of register r.
func (w *Warp) spread(r Reg, v uint64) {
	d := w.row(r)
	for m := w.Active; m != 0; m &= m - 1 {
		d[lowest(m)] = v
	}
}

func execBallot(w *Warp, in *Inst) { w.spread(in.D, w.nonZero(in.A)) }

func execAny(w *Warp, in *Inst) { w.spread(in.D, truth(w.nonZero(in.A) != 0)) }

func execAll(w *Warp, in *Inst) { w.spread(in.D, truth(w.nonZero(in.A) == w.Active)) }

func shuffleBy(from func(lane, b int) int) func(*Warp, *Inst) {
	return func(w *Warp, in *Inst) {
		var old [MaxWidth]uint64
		d, b := w.row(in.D), w.row(in.B)
		copy(old[:], w.row(in.A))
		for m := w.Active; m != 0; m &= m - 1 {
			l := lowest(m)
			src := from(l, int(b[l]))
			if src < 0 || src >= w.Width || w.Active>>src&1 == 0 {
				src = l
			}
			d[l] = old[src]
		}
	}
}
