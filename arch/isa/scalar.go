package isa

import "encoding/binary"

// Thread is the state of a thread that is a warp of its own: what a machine
// without lanes keeps of each. It has neither masks nor open ifs and loops, as
// a lone thread only jumps, so that machines of many threads touch little of
// the host's memory.
type Thread struct {
	PC     int32
	number int32  // in the launch
	Addr   uint64 // byte address of its latest access
	window int    // start of the running function's registers in regs
	regs   []uint64
	rare   *threadRare // nil if the program calls nothing and has no local memory
}

// threadRare is what the threads of few programs have.
type threadRare struct {
	frames []frame // of the open calls
	local  []byte
}

// Number returns the index of the thread in its launch.
func (t *Thread) Number() int { return int(t.number) }

// Frame returns the index of the open function's first register among the
// registers of all open calls.
func (t *Thread) Frame() int { return t.window }

// Scalar executes the threads of a launch of width 1 whose threads are one
// block, an instruction at a time, in any order. It does what Warp does, which
// is what Table says, and leaves to it what is rare; the others it executes
// from a form of the program with every operand and jump resolved. Its choices
// are tests, for there are hosts that predict no indirect jump.
type Scalar struct {
	Clock uint64 // cycle, as the clock instruction reads it
	// Array is the array that the latest Step has accessed, -1 if that is to be
	// found by the address.
	Array int

	warp    Warp // of the thread stepped last
	current *Thread
}

// NewScalar returns what executes the threads of l.
func NewScalar(l *Launch) *Scalar {
	x := &Scalar{}
	x.warp.Start(l, 0, 1, NewBlockMemory(l.Program))
	return x
}

// Registers returns how many registers a thread begins with.
func (x *Scalar) Registers() int { return len(x.warp.Program.Funcs[0].Regs) }

// Start makes t the given thread of the launch, before its first instruction.
// Its registers are regs, which has room for those of the first function, and
// others once functions are called.
func (x *Scalar) Start(t *Thread, number int, regs []uint64) {
	p := x.warp.Program
	*t = Thread{PC: x.pass(p.Funcs[0].Entry), number: int32(number), regs: regs, rare: t.rare}
	x.current = nil
	if len(p.Funcs) == 1 && p.Local == 0 {
		t.rare = nil
		return
	}
	if t.rare == nil {
		t.rare = &threadRare{}
	}
	t.rare.frames = t.rare.frames[:0]
	if len(t.rare.local) != p.Local {
		t.rare.local = make([]byte, p.Local)
	}
	clear(t.rare.local)
}

// Step executes the instruction at t's PC, then passes over text that costs
// nothing. The instruction's effects are visible when Step returns.
func (x *Scalar) Step(t *Thread) Outcome {
	if x.current != t {
		x.bind(t)
	}
	s := &x.warp.steps[t.PC]
	if s.form == loads {
		return x.load(t, s)
	}
	if s.form == branches {
		to := s.next
		if x.get(s.a) == 0 {
			to = s.to
		}
		t.PC = to
		return Next
	}
	var v uint64
	switch s.form {
	case integers:
		v = integer(s.op, x.get(s.a), x.get(s.b))
	case others:
		v = other(s.op, x.get(s.a), x.get(s.b), x.get(s.c))
	case comparisons:
		v = truth(compare(s.op, x.get(s.a), x.get(s.b)))
	case stores:
		return x.store(t, s)
	case jumps:
		t.PC = s.to
		return Next
	default:
		return x.byTable(t)
	}
	x.warp.banks[0][s.d] = v
	t.PC = s.next
	return Next
}

// Target returns the byte address that the instruction at t's PC, which is an
// atomic or a full/empty operation, will access.
func (x *Scalar) Target(t *Thread) uint64 {
	if x.current != t {
		x.bind(t)
	}
	w := &x.warp
	return w.address(&w.code[t.PC], 1)[0]
}

// bind makes t the thread that is stepped.
func (x *Scalar) bind(t *Thread) {
	x.current = t
	w := &x.warp
	w.banks[0] = t.regs[t.window:]
	id := w.id
	id[ThreadID.Index()], id[BlockThread.Index()] = uint64(t.number), uint64(t.number)
}

// get returns a register of the current thread.
func (x *Scalar) get(o operand) uint64 { return x.warp.banks.get(o) }

// reach returns where in its segment an access of the instruction s lies. It
// reports false if the access has to go by the memory.
func (x *Scalar) reach(t *Thread, s *step) (offset uint64, ok bool) {
	addr := x.get(s.a) + x.get(s.b)*s.scale + s.offset
	t.Addr = addr
	if offset = addr - s.base; offset < s.limit && offset&s.mask == 0 {
		x.Array = s.array
		return offset, true
	}
	if s.find(x.warp.segmented, addr, s.mask+1, s.form == stores) {
		x.Array = s.array
		return addr - s.base, true
	}
	return 0, false
}

func (x *Scalar) load(t *Thread, s *step) Outcome {
	offset, ok := x.reach(t, s)
	if !ok {
		return x.byTable(t)
	}
	var v uint64
	switch p := s.data[offset:]; s.element {
	case I32:
		v = uint64(int32(binary.LittleEndian.Uint32(p)))
	case I64, F64:
		v = binary.LittleEndian.Uint64(p)
	case F32:
		v = uint64(binary.LittleEndian.Uint32(p))
	default:
		v = uint64(p[0])
	}
	x.warp.banks[0][s.d] = v
	t.PC = s.next
	return Next
}

func (x *Scalar) store(t *Thread, s *step) Outcome {
	offset, ok := x.reach(t, s)
	if !ok {
		return x.byTable(t)
	}
	v := x.get(s.c)
	switch p := s.data[offset:]; s.element {
	case I32, F32:
		binary.LittleEndian.PutUint32(p, uint32(v))
	case I64, F64:
		binary.LittleEndian.PutUint64(p, v)
	default:
		p[0] = byte(v)
	}
	t.PC = s.next
	return Next
}

// byTable executes the instruction as a warp does. Its frames are those of
// calls alone, so that a return finds its call at once.
func (x *Scalar) byTable(t *Thread) Outcome {
	w := &x.warp
	in := &w.code[t.PC]
	w.PC, w.Active, w.Pending = t.PC+1, 1, 0
	w.Clock, w.outcome = x.Clock, Next
	w.stack, w.window = t.regs, t.window
	r := t.rare
	if r != nil {
		w.frames, w.calls, w.local = r.frames, len(r.frames), r.local
	}
	execOf[in.Op](w, in)
	if r != nil {
		r.frames = w.frames
		t.regs, t.window = w.stack, w.window
	}
	x.Array = -1
	t.Addr = w.Addr[0]
	t.PC = w.PC
	if w.outcome <= Wait {
		t.PC = x.pass(w.PC)
	}
	return w.outcome
}

// pass returns the first instruction from pc on that is not text which costs
// nothing.
func (x *Scalar) pass(pc int32) int32 {
	if isFree[x.warp.code[pc].Op] {
		return x.warp.steps[pc].next
	}
	return pc
}

// Fault returns the illegal access of a Step that returned Faulted.
func (x *Scalar) Fault() *Fault { return x.warp.Fault }

// Trap returns the error of a thread whose Step returned Faulted.
func (x *Scalar) Trap(t *Thread) *Trap {
	x.bind(t)
	x.warp.PC, x.warp.Pending = t.PC, 0
	return x.warp.Trap()
}
