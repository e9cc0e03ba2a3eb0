package isa

// access fills the address of an element of arr into in.
func (b *Builder) access(arr ArrayParam, index Operand, in Inst) Inst {
	in.Type, in.A, in.B = arr.Elem, arr.Reg, NoReg
	if i, ok := index.(int); ok {
		in.Off = int64(i) * int64(arr.Elem.Size())
	} else {
		in.B, in.Scale = b.reg(index, I64), uint8(arr.Elem.Size())
	}
	return in
}

// SharedArray returns the array of type elem at byte offset at of the block's
// shared memory.
func (b *Builder) SharedArray(at int, elem Type) ArraySpace {
	return ArraySpace{ArrayParam{b.constant(Const{I64, uint64(at)}), elem}, Shared}
}

// LocalArray returns the array of type elem at byte offset at of the thread's
// local memory.
func (b *Builder) LocalArray(at int, elem Type) ArraySpace {
	return ArraySpace{ArrayParam{b.constant(Const{I64, uint64(at)}), elem}, Local}
}

// ArraySpace is an array outside global memory.
type ArraySpace struct {
	ArrayParam
	Space Space
}

// LoadFrom returns arr[index] of shared or local memory.
func (b *Builder) LoadFrom(arr ArraySpace, index Operand) Reg {
	return b.load(b.access(arr.ArrayParam, index, Inst{Op: OpLoad, Space: arr.Space}))
}

// StoreTo writes value to arr[index] of shared or local memory.
func (b *Builder) StoreTo(arr ArraySpace, index, value Operand) {
	b.store(b.access(arr.ArrayParam, index, Inst{Op: OpStore, Space: arr.Space}), value)
}

// Load returns arr[index].
func (b *Builder) Load(arr ArrayParam, index Operand) Reg {
	return b.load(b.access(arr, index, Inst{Op: OpLoad}))
}

// Store writes value to arr[index].
func (b *Builder) Store(arr ArrayParam, index, value Operand) {
	b.store(b.access(arr, index, Inst{Op: OpStore}), value)
}

func (b *Builder) load(in Inst) Reg {
	in.D = b.newReg(in.Type.Register())
	b.emit(in)
	return in.D
}

func (b *Builder) store(in Inst, value Operand) {
	in.C = b.reg(value, in.Type.Register())
	b.emit(in)
}

func (b *Builder) atomic(op Op, arr ArrayParam, index, value Operand) Reg {
	in := b.access(arr, index, Inst{Op: op, E: NoReg})
	in.C = b.reg(value, arr.Elem.Register())
	return b.load(in)
}

// FetchAdd adds value to arr[index] and returns what it held before.
func (b *Builder) FetchAdd(arr ArrayParam, index, value Operand) Reg {
	return b.atomic(OpFetchAdd, arr, index, value)
}

// FetchMin lowers arr[index] to value, if that is less, and returns what it
// held before.
func (b *Builder) FetchMin(arr ArrayParam, index, value Operand) Reg {
	return b.atomic(OpFetchMin, arr, index, value)
}

// FetchMax raises arr[index] to value, if that is greater, and returns what it
// held before.
func (b *Builder) FetchMax(arr ArrayParam, index, value Operand) Reg {
	return b.atomic(OpFetchMax, arr, index, value)
}

// Exchange writes value to arr[index] and returns what it held before.
func (b *Builder) Exchange(arr ArrayParam, index, value Operand) Reg {
	return b.atomic(OpExchange, arr, index, value)
}

// CompareSwap writes value to arr[index] if it holds expected, and returns the
// old value.
func (b *Builder) CompareSwap(arr ArrayParam, index, expected, value Operand) Reg {
	in := b.access(arr, index, Inst{Op: OpCompareSwap})
	in.C = b.reg(value, arr.Elem.Register())
	in.E = b.reg(expected, arr.Elem.Register())
	return b.load(in)
}

// ReadFF waits until the word arr[index] is full and returns it.
func (b *Builder) ReadFF(arr ArrayParam, index Operand) Reg {
	return b.load(b.access(arr, index, Inst{Op: OpReadFF}))
}

// ReadFE waits until the word arr[index] is full, leaves it empty and returns
// it.
func (b *Builder) ReadFE(arr ArrayParam, index Operand) Reg {
	return b.load(b.access(arr, index, Inst{Op: OpReadFE}))
}

// WriteEF waits until the word arr[index] is empty, writes value and leaves it
// full.
func (b *Builder) WriteEF(arr ArrayParam, index, value Operand) {
	b.store(b.access(arr, index, Inst{Op: OpWriteEF}), value)
}

// Purge zeroes the word arr[index] and leaves it empty.
func (b *Builder) Purge(arr ArrayParam, index Operand) {
	b.emit(b.access(arr, index, Inst{Op: OpPurge}))
}

// Ballot returns the mask of the active lanes whose x is not zero.
func (b *Builder) Ballot(x Operand) Reg { return b.op1(OpBallot, x) }

// Any returns 1 if x is not zero in some active lane, else 0.
func (b *Builder) Any(x Operand) Reg { return b.op1(OpAny, x) }

// All returns 1 if x is not zero in every active lane, else 0.
func (b *Builder) All(x Operand) Reg { return b.op1(OpAll, x) }

func (b *Builder) shuffle(op Op, x, lane Operand) Reg {
	t := b.kind(x)
	a, c := b.reg(x, t), b.reg(lane, I64)
	d := b.newReg(t)
	b.emit(Inst{Op: op, D: d, A: a, B: c})
	return d
}

// Shuffle returns x of the given lane; its own where that lane is not active.
func (b *Builder) Shuffle(x, lane Operand) Reg { return b.shuffle(OpShuffle, x, lane) }

// ShuffleUp returns x of the lane delta below; its own where that lane is not
// active.
func (b *Builder) ShuffleUp(x, delta Operand) Reg { return b.shuffle(OpShuffleUp, x, delta) }

// ShuffleDown returns x of the lane delta above; its own where that lane is not
// active.
func (b *Builder) ShuffleDown(x, delta Operand) Reg { return b.shuffle(OpShuffleDown, x, delta) }

// ShuffleXor returns x of the lane whose index differs in the bits of mask; its
// own where that lane is not active.
func (b *Builder) ShuffleXor(x, mask Operand) Reg { return b.shuffle(OpShuffleXor, x, mask) }

// SyncWarp makes the lanes of a warp wait for each other.
func (b *Builder) SyncWarp() { b.emit(Inst{Op: OpSyncWarp}) }

// Barrier makes the threads of a block wait for each other.
func (b *Builder) Barrier() { b.emit(Inst{Op: OpBarrier}) }

// Fence orders earlier writes before later ones.
func (b *Builder) Fence() { b.emit(Inst{Op: OpFence}) }
