package window

import (
	"heddle/arch/isa"
)

// kind is what a core does with an instruction.
type kind uint8

const (
	plain  kind = iota
	branch      // conditional
	jump        // always taken; up to here an instruction needs no buffer for memory
	load
	store
	locked // atomics, full/empty operations included
	call
	ret
	fence
	barrier
	scratch // block-shared or thread-local memory
)

// maxDeps is the most registers that an instruction other than a call reads.
const maxDeps = 4

// op is an instruction as a core sees it: what every one of its executions
// needs, and little else.
type op struct {
	kind     kind
	fused    bool // a branch that is one with the compare before it
	waits    bool // a full/empty operation, or a purge
	fp       bool // has a floating point station
	numDeps  uint8
	beside   uint8 // places that it takes besides: instructions that a compiler puts there, operations
	ports    portSet
	data     portSet        // of a store's data; 0 if ports take them
	deps     [maxDeps]int16 // local registers read
	writes   int16          // local register written, -1 for none
	value    int16          // local register that a store stores, -1 for none
	size     int32          // bytes of an access
	latency  int32
	interval int32
	fall     int32 // pc after it when it does not branch
	ip       uint32
	*linkage // of calls and returns
}

// portSet has a bit for each port.
type portSet uint16

func setOf(ports []int) (s portSet) {
	for _, p := range ports {
		s |= 1 << p
	}
	return s
}

// linkage is what calls and returns read and write.
type linkage struct {
	more    []int16 // registers read
	results []int16 // registers of the caller that a call fills
	params  int     // registers of the callee that a call fills
	frame   int     // registers of the function that a call is in
	callee  int     // registers of the function that it calls
}

// kernel is a program as the machine sees it, with what is counted for each
// instruction.
type kernel struct {
	program *isa.Program
	ops     []op
	issues  []uint64
	lines   []LineStats
	text    uint32 // addresses that it takes
	number  int32  // among those launched
}

// decode prepares a program; ip is the address of its first instruction.
func decode(p *isa.Program, c *CoreConfig, ip uint32) *kernel {
	k := &kernel{program: p, ops: make([]op, len(p.Code)), issues: make([]uint64, len(p.Code)), lines: make([]LineStats, len(p.Code))}
	ls := &c.LoadStore
	for pc := range p.Code {
		in := &p.Code[pc]
		row := in.Row()
		o := &k.ops[pc]
		at := ip + k.text
		if in.Op != isa.OpRegionBegin && in.Op != isa.OpRegionEnd {
			k.text++ // the predictor must not see whether a program is marked
		}
		*o = op{writes: -1, value: -1, latency: 1, interval: 1, size: int32(in.Type.Size()), fall: next(p, pc+1), ip: at}
		if unit := c.Units.Of(row.Unit); unit != nil {
			o.latency, o.interval, o.ports = int32(unit.Latency), int32(unit.Interval), setOf(unit.Ports)
		}
		o.fp = c.FPStations > 0 && floating(row)
		o.kind = kindOf(in)
		switch o.kind {
		case load:
			o.ports = setOf(ls.LoadPorts)
		case store:
			o.ports, o.data = setOf(ls.StorePorts), setOf(ls.DataPorts)
			o.beside = uint8(max(1, ls.StoreOperations) - 1)
		case locked:
			o.ports, o.latency = setOf(ls.LoadPorts), int32(ls.Lock)
			o.waits = row.Memory == isa.FullEmpty || in.Op == isa.OpPurge
			if o.size == 0 {
				o.size = 8
			}
		case scratch:
			o.ports, o.latency = setOf(ls.LoadPorts), int32(ls.Scratch)
		case branch:
			if in.Op == isa.OpIf {
				o.beside = uint8(c.Branch.Beside)
			}
			o.fused = c.Fusion && pc > 0 && p.Code[pc-1].Row().Unit == isa.UnitCompare && p.Code[pc-1].D == in.A
		}
		depend := func(r isa.Reg, used isa.Type) {
			if used != isa.NoType && r != isa.NoReg && r.IsLocal() {
				o.deps[o.numDeps] = int16(r.Index())
				o.numDeps++
			}
		}
		depend(in.A, row.Form.A)
		depend(in.B, row.Form.B)
		if o.kind == store {
			if in.C != isa.NoReg && in.C.IsLocal() {
				o.value = int16(in.C.Index())
			}
		} else {
			depend(in.C, row.Form.C)
		}
		depend(in.E, row.Form.E)
		if row.Form.D != isa.NoType && in.D != isa.NoReg {
			o.writes = int16(in.D.Index())
		}
		if o.kind == call || o.kind == ret {
			o.linkage = linkageOf(p, &p.Calls[in.Off])
		}
	}
	return k
}

// next returns the first instruction at or after pc that is not free.
func next(p *isa.Program, pc int) int32 {
	for pc < len(p.Code) && p.Code[pc].Row().Unit == isa.UnitNone {
		pc++
	}
	return int32(pc)
}

func floating(row *isa.Row) bool {
	switch row.Unit {
	case isa.UnitF32, isa.UnitF64, isa.UnitSpecial, isa.UnitConvert:
		return true
	}
	return row.Unit == isa.UnitCompare && row.Form.A != isa.I64
}

func kindOf(in *isa.Inst) kind {
	row := in.Row()
	switch {
	case row.Memory != isa.NoMemory && in.Space != isa.Global:
		return scratch
	case row.Memory == isa.Loads:
		return load
	case row.Memory == isa.Atomics || row.Memory == isa.FullEmpty || in.Op == isa.OpPurge:
		return locked
	case row.Memory == isa.Stores:
		return store
	}
	switch in.Op {
	case isa.OpIf, isa.OpWhile, isa.OpBreakZero, isa.OpBreakNonZero:
		return branch
	case isa.OpCall:
		return call
	case isa.OpRet:
		return ret
	case isa.OpFence:
		return fence
	case isa.OpBarrier:
		return barrier
	}
	if row.Unit == isa.UnitControl {
		return jump
	}
	return plain
}

// linkageOf returns what a call or a return reads and writes.
func linkageOf(p *isa.Program, l *isa.Call) *linkage {
	k := &linkage{params: len(l.Args), frame: len(p.Funcs[l.Caller].Regs)}
	for _, r := range l.Args {
		if r.IsLocal() {
			k.more = append(k.more, int16(r.Index()))
		}
	}
	for _, r := range l.Results {
		k.results = append(k.results, int16(r.Index()))
	}
	if l.Func >= 0 {
		k.callee = len(p.Funcs[l.Func].Regs)
	}
	return k
}

// state is when the value of a register is there, and what it waited for.
type state struct {
	ready int64
	why   blame
}
