package stream

import "heddle/arch/isa"

// An instruction of the machine is a long word: at most one memory operation,
// one arithmetic operation and one control operation, the last of which may be
// simple arithmetic in place of a jump (Alverson et al., "The Tera computer
// system", ICS 1990). A program's instructions are the operations. They are
// packed in their order: an operation joins the word before it if there is
// room and it does not need what an operation of the word gives, as all
// operands are read at issue.
//
// One need is allowed: a loop's test of the index that the word advances, and
// the jump on it. A compiler tests the index before it is advanced against a
// bound moved by a step, and the jump is on a test of the iteration before.

// word is an instruction of the machine, kept at the pc of its first
// operation.
type word struct {
	ops    int32  // operations, text that costs nothing left out
	issues int32  // instructions that it stands for: 1 but for long arithmetic
	memory int32  // which of them is the memory operation; -1 for none
	pc     uint16 // of the memory operation
	reg    uint8  // that it loads, modulo 64; noReg for none
	size   int32  // bytes that it accesses
	class  access // what it does
	local  bool   // the thread's own memory
	fence  bool   // the next waits until all memory operations are done
	own    bool   // does nothing that another thread could tell, nor reads the clock
	// touches are the registers that the word reads or writes, modulo 64: of
	// a function with more, some wait for each other's loads.
	touches uint64
}

// noReg is the register that an operation without one loads.
const noReg = 0xff

// access is what a memory operation does.
type access uint8

const (
	reads access = iota
	writes
	updates      // atomically
	synchronises // looks at the full/empty bit or changes it
	numAccesses
)

// room is the kind of operation that an instruction of a program is.
type room uint8

const (
	noRoom         room = iota // text
	memoryRoom                 // memory unit
	arithmeticRoom             // arithmetic unit
	simpleRoom                 // arithmetic or control unit
	controlRoom                // control unit; ends its word
	longRoom                   // several instructions of arithmetic
	numRooms
)

// roomOf returns what an instruction takes of a word.
func roomOf(in *isa.Inst) room {
	row := in.Row()
	switch row.Unit {
	case isa.UnitNone:
		return noRoom
	case isa.UnitMemory:
		return memoryRoom
	case isa.UnitControl, isa.UnitSync:
		return controlRoom
	case isa.UnitInt, isa.UnitCompare, isa.UnitWarp:
		return simpleRoom
	case isa.UnitDivide, isa.UnitSpecial:
		return longRoom
	}
	switch in.Op {
	case isa.OpAddF64, isa.OpSubF64, isa.OpAddF32, isa.OpSubF32: // the control unit adds too: 3 flop a cycle
		return simpleRoom
	}
	return arithmeticRoom
}

// pack returns the words of p by pc; those of a pc that begins none are zero.
func pack(p *isa.Program, c *WordConfig) []word {
	k := packer{program: p, config: c, words: make([]word, len(p.Code)), entry: map[int32]bool{}}
	for i := range p.Funcs {
		k.entry[p.Funcs[i].Entry] = true
	}
	k.findContinued()
	for pc := 0; pc < len(p.Code); {
		pc = k.add(int32(pc))
	}
	return k.words
}

type packer struct {
	program   *isa.Program
	config    *WordConfig
	words     []word
	entry     map[int32]bool // pcs of functions
	continued map[int32]bool // pcs of next that a continue goes to

	at      *word // being filled; nil for none
	count   [numRooms]int
	writes  []isa.Reg
	stepped isa.Reg // register that an add of the word advances
}

// findContinued finds the loops that have a continue: their next is a place
// that is jumped to.
func (k *packer) findContinued() {
	k.continued = map[int32]bool{}
	var loops []int32 // pcs of the open ones
	for pc := range k.program.Code {
		in := &k.program.Code[pc]
		switch in.Op {
		case isa.OpLoop:
			loops = append(loops, int32(pc))
		case isa.OpContinue:
			k.continued[int32(k.program.Code[loops[len(loops)-1]].Off)] = true
		case isa.OpEndLoop, isa.OpWhile:
			loops = loops[:len(loops)-1]
		}
	}
}

// add packs the instruction at pc, or a test and the jump on it, and returns
// the pc after it.
func (k *packer) add(pc int32) int {
	code := k.program.Code
	in := &code[pc]
	if k.entry[pc] {
		k.close()
	}
	takes := roomOf(in)
	if takes == noRoom {
		if in.Op != isa.OpNext || k.continued[pc] {
			k.close()
		}
		return int(pc) + 1
	}
	next := int(pc) + 1
	jump := k.loopTest(pc)
	if jump != nil {
		takes = controlRoom
		next++
	} else if !k.fits(in, takes) {
		k.close()
	}
	if jump != nil && !k.fits(jump, controlRoom) {
		k.close()
	}
	if k.at == nil {
		k.open(pc)
	}
	k.count[takes]++
	k.put(pc, in)
	if jump != nil {
		k.put(pc+1, jump)
	}
	if takes == controlRoom || takes == longRoom || !k.config.Packed {
		k.close()
	}
	return next
}

// loopTest returns the jump at the end of a loop if the instruction at pc is
// its test of an index that the word being filled advances.
func (k *packer) loopTest(pc int32) *isa.Inst {
	code := k.program.Code
	if k.at == nil || int(pc)+1 >= len(code) {
		return nil
	}
	in, jump := &code[pc], &code[pc+1]
	switch in.Op {
	case isa.OpLt, isa.OpLe, isa.OpEq, isa.OpNe:
	default:
		return nil
	}
	if jump.Op != isa.OpWhile || jump.A != in.D {
		return nil
	}
	step := k.stepped
	if step == isa.NoReg || in.A != step && in.B != step {
		return nil
	}
	// Nothing else of the word may be tested.
	other := in.A
	if other == step {
		other = in.B
	}
	if k.written(other) && other != step {
		return nil
	}
	return jump
}

// fits reports whether the open word has room for an instruction and gives
// nothing that it needs.
func (k *packer) fits(in *isa.Inst, takes room) bool {
	if k.at == nil {
		return true
	}
	n := k.count
	n[takes]++
	if takes == longRoom || n[memoryRoom] > 1 || n[arithmeticRoom] > 1 || n[controlRoom] > 1 ||
		n[arithmeticRoom]+n[controlRoom]+n[simpleRoom] > 2 {
		return false
	}
	ok := true
	operands(k.program, in, func(r isa.Reg, _ bool) { ok = ok && !k.written(r) })
	return ok
}

func (k *packer) written(r isa.Reg) bool {
	for _, w := range k.writes {
		if w == r {
			return true
		}
	}
	return false
}

func (k *packer) open(pc int32) {
	k.at = &k.words[pc]
	*k.at = word{issues: 1, memory: -1, reg: noReg, own: true}
	k.count = [numRooms]int{}
	k.writes = k.writes[:0]
	k.stepped = isa.NoReg
}

func (k *packer) close() { k.at = nil }

// put makes the instruction at pc the word's next operation.
func (k *packer) put(pc int32, in *isa.Inst) {
	w := k.at
	row := in.Row()
	switch {
	case row.Unit == isa.UnitMemory:
		w.memory, w.pc, w.own = w.ops, uint16(pc), false
		w.size = max(int32(in.Type.Size()), 1)
		w.local = in.Space == isa.Local
		switch row.Memory {
		case isa.Stores:
			w.class = writes
		case isa.Atomics:
			w.class = updates
		case isa.FullEmpty:
			w.class = synchronises
		}
		if in.Op == isa.OpPurge {
			w.class, w.size = synchronises, wordBytes
		}
		if row.Form.D != isa.NoType && in.D != isa.NoReg {
			w.reg = uint8(in.D.Index() & 63)
		}
	case row.Unit == isa.UnitDivide:
		w.issues = int32(k.config.Divide)
	case row.Unit == isa.UnitSpecial:
		w.issues = int32(k.config.Special)
	case in.Op == isa.OpFence:
		w.fence = true
	case in.Op == isa.OpBarrier, in.Op == isa.OpClock:
		w.own = false
	}
	w.ops++
	operands(k.program, in, func(r isa.Reg, writes bool) {
		if writes {
			k.writes = append(k.writes, r)
		}
		if r.IsLocal() {
			w.touches |= 1 << (r.Index() & 63)
		}
	})
	if in.Op == isa.OpAdd && (in.D == in.A || in.D == in.B) {
		k.stepped = in.D
	}
}

// operands calls f for every register that an instruction reads or writes.
func operands(p *isa.Program, in *isa.Inst, f func(r isa.Reg, writes bool)) {
	form := &in.Row().Form
	for _, o := range [...]struct {
		r    isa.Reg
		used isa.Type
	}{{in.A, form.A}, {in.B, form.B}, {in.C, form.C}, {in.E, form.E}} {
		if o.used != isa.NoType && o.r != isa.NoReg {
			f(o.r, false)
		}
	}
	switch in.Op {
	case isa.OpCall, isa.OpRet:
		for _, r := range p.Calls[in.Off].Args {
			f(r, false)
		}
		for _, r := range p.Calls[in.Off].Results {
			f(r, true)
		}
	}
	if form.D != isa.NoType && in.D != isa.NoReg {
		f(in.D, true)
	}
}
