package simt

import (
	"heddle/arch/isa"
	"heddle/sim"
)

// maxDeps is the most registers that an instruction other than a call reads or
// overwrites.
const maxDeps = 5

// op is an instruction as an SM sees it.
type op struct {
	unit    isa.Unit
	memory  isa.Behaviour
	space   isa.Space
	atomic  bool
	store   bool
	control bool
	writes  int16 // local register written, -1 for none
	deps    [maxDeps]int16
	numDeps uint8
	more    []int16 // further registers, of calls and returns
	size    int32   // bytes of an access
	latency sim.Time
	hold    sim.Time // of the unit
	alone   bool     // no other scheduler may issue beside it
	inst    *isa.Inst
}

// kernel is a program as the GPU sees it, with what is counted per
// instruction.
type kernel struct {
	program *isa.Program
	ops     []op
	lines   []LineStats
	number  int32 // among those launched
}

func decode(p *isa.Program, c *Config) *kernel {
	clock := sim.NewClock(c.Clock)
	k := &kernel{program: p, ops: make([]op, len(p.Code)), lines: make([]LineStats, len(p.Code))}
	for pc := range p.Code {
		in := &p.Code[pc]
		row := in.Row()
		o := &k.ops[pc]
		*o = op{
			unit:    row.Unit,
			memory:  row.Memory,
			space:   in.Space,
			atomic:  row.Memory == isa.Atomics || row.Memory == isa.FullEmpty,
			store:   row.Memory == isa.Stores,
			control: row.Unit == isa.UnitControl,
			writes:  -1,
			size:    int32(in.Type.Size()),
			inst:    in,
		}
		if unit := c.Units.Of(row.Unit); unit != nil {
			o.latency, o.alone = clock.Span(unit.Latency), unit.Exclusive
			o.hold = (clock.Span(sim.Cycles(c.WarpWidth)) + sim.Time(unit.Lanes) - 1) / sim.Time(unit.Lanes)
		}
		depend := func(r isa.Reg, used bool) {
			if used && r != isa.NoReg && r.IsLocal() {
				o.deps[o.numDeps] = int16(r.Index())
				o.numDeps++
			}
		}
		f := row.Form
		depend(in.A, f.A != isa.NoType)
		depend(in.B, f.B != isa.NoType)
		depend(in.C, f.C != isa.NoType)
		depend(in.E, f.E != isa.NoType)
		depend(in.D, f.D != isa.NoType)
		if f.D != isa.NoType && in.D != isa.NoReg {
			o.writes = int16(in.D.Index())
		}
		if in.Op == isa.OpCall || in.Op == isa.OpRet {
			for _, r := range p.Calls[in.Off].Args {
				if r.IsLocal() {
					o.more = append(o.more, int16(r.Index()))
				}
			}
		}
	}
	return k
}
