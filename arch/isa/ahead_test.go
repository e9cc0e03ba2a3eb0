package isa

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"heddle/sim"
)

// A loop over a row tells what the next iterations read; looking there, also
// where nothing is, changes nothing.
func TestLookAhead(t *testing.T) {
	const n = 64
	b := NewBuilder("scan")
	adjncy, weight, mate := b.Array("adjncy", I32), b.Array("weight", F64), b.Array("mate", I32)
	sum := b.Array("sum", F64)
	b.If(b.Eq(Lane, 3), func() {
		total := b.Var(0.0)
		b.For(0, n, 1, func(e Reg) {
			v := b.Load(adjncy, e)
			b.If(b.Ge(v, 0), func() {
				b.If(b.Eq(b.Load(mate, v), -1), func() { b.SetAdd(total, total, b.Load(weight, e)) })
			})
		})
		b.Store(sum, 0, total)
	})
	p := b.MustBuild()

	run := func(direct bool) []byte {
		rng := rand.New(rand.NewPCG(1, 1))
		// The elements of adjncy come last, so that what is ahead of them is outside.
		m := newFlatMemory(8*n + 4*n + 8 + 4*n)
		for e := range n {
			encode(F64, m.bytes[8*e:], math.Float64bits(rng.Float64()))
			encode(I32, m.bytes[8*n+4*e:], uint64(-rng.Int64N(2)))
			v := uint64(rng.Int64N(n))
			if e%5 == 0 {
				v = uint64(-1 - rng.Int64N(math.MaxInt32)) // names nothing
			}
			encode(I32, m.bytes[8*n+4*n+8+4*e:], v)
		}
		array := func(t Type, at uint64) Value { return Value{Type: I64, Elem: t, Array: true, Bits: at} }
		l := NewLaunch(p, m, 8, 8, 8, []Value{array(I32, 8*n+4*n+8), array(F64, 0), array(I32, 8*n), array(F64, 8*n+4*n)})
		if direct {
			l.reachDirectly(segments{m})
		}
		var leads int
		for pc := range l.steps {
			if x := l.steps[pc].ahead; x != nil {
				leads++
				if len(x.rows) != 2 || p.Code[x.rows[0]].A != p.ParamReg(0) || p.Code[x.rows[1]].A != p.ParamReg(1) ||
					x.named < 0 || p.Code[x.named].A != p.ParamReg(2) {
					t.Errorf("rows %v and %d are ahead\n%s", x.rows, x.named, p.Text())
				}
			}
		}
		if leads != 1 {
			t.Errorf("%d loads look ahead, want 1", leads)
		}
		meter := Meter{Cost: make([]sim.Time, len(p.Code)), Insts: make([]InstStats, len(p.Code)), Until: 1 << 20}
		for pc := range meter.Cost {
			meter.Cost[pc] = 1
		}
		var w Warp
		w.Start(l, 0, 8, NewBlockMemory(p))
		w.Begin()
		if o := w.Run(&meter); o != Done {
			t.Fatalf("outcome %d", o)
		}
		return m.bytes
	}
	if got, want := run(true), run(false); !reflect.DeepEqual(got, want) {
		t.Error("memory differs")
	}
}
