package isa

import "math/bits"

// MaxWidth is the most lanes a warp may have.
const MaxWidth = 64

// MaxCallDepth is the most calls that may be open in a warp at once.
const MaxCallDepth = 1 << 16

// MaxStack is the most bytes that the registers of open calls may take, over
// all warps of a launch.
const MaxStack = 1 << 30

// Outcome says what Step's instruction asks of the machine.
type Outcome uint8

// Outcomes of a step.
const (
	Next    Outcome = iota // go on with the next instruction
	Wait                   // block barrier: go on when every warp of the block has arrived
	Blocked                // full/empty: some lanes wait for their word; step again to retry them
	Done                   // every lane has finished
	Faulted                // an illegal access; Warp.Fault says which
)

// Launch is what all warps of one launch share.
type Launch struct {
	Program *Program
	Memory  Memory
	Width   int // lanes in a warp
	Threads int // in the launch
	Block   int // threads in a block
	shared  []uint64
	stack   int // words of registers that its warps have grown to

	segmented Segmented // Memory, nil if it is not
	steps     []step    // of Program
}

// NewLaunch prepares p to be run by threads threads in blocks of block threads
// and warps of width lanes. The arguments must fit (Program.CheckArgs).
func NewLaunch(p *Program, mem Memory, width, threads, block int, args []Value) *Launch {
	n := numSharedRegs + len(p.Params) + len(p.Consts)
	l := &Launch{Program: p, Memory: mem, Width: width, Threads: threads, Block: block,
		shared: make([]uint64, n*width+MaxWidth)[:n*width], steps: resolve(p, width)}
	l.segmented, _ = mem.(Segmented)
	fill := func(r Reg, v uint64) {
		row := l.shared[r.Index()*width : (r.Index()+1)*width]
		for i := range row {
			row[i] = v
		}
	}
	fill(ThreadCount, uint64(threads))
	fill(Width, uint64(width))
	fill(BlockSize, uint64(block))
	fill(BlockCount, uint64((threads+block-1)/block))
	for i := range width {
		l.shared[Lane.Index()*width+i] = uint64(i)
	}
	for i, a := range args {
		fill(p.ParamReg(i), a.Bits)
	}
	for i, c := range p.Consts {
		fill(p.ConstReg(i), c.Bits)
	}
	return l
}

// Warp is the architectural state of up to 64 threads that execute together.
type Warp struct {
	*Launch
	PC     int32
	Active uint64 // lanes executing
	Clock  uint64 // cycle, as the clock instruction reads it; set by the machine
	Fault  *Fault
	// Accessed holds the lanes that completed their access, after Step executed
	// a memory instruction.
	Accessed uint64
	// Pending holds the lanes of the current instruction that still wait for
	// their full/empty word.
	Pending uint64
	// Divergent is set by a branch that its lanes left both ways.
	Divergent bool

	outcome Outcome
	all     uint64 // every lane of a full warp
	code    []Inst
	width   int
	banks   view
	stack   []uint64 // registers of every open call
	window  int      // start of the current function's registers in stack
	frames  []frame
	calls   int
	block   *BlockMemory
	local   []byte
	id      []uint64 // identity registers

	// Addr holds the byte address of each lane's access, after Step executed a
	// memory instruction. Its capacity is MaxWidth unless the warp is a lone
	// thread: machines have thousands of those, and the host's caches are small.
	Addr []uint64
}

// BlockMemory is the shared memory of a thread block.
type BlockMemory struct{ bytes []byte }

// NewBlockMemory returns the zeroed shared memory of one block of p.
func NewBlockMemory(p *Program) *BlockMemory { return &BlockMemory{make([]byte, p.Shared)} }

// Reset zeroes the memory for the next block.
func (b *BlockMemory) Reset() { clear(b.bytes) }

// Start makes w the warp that holds threads first, first+1, ... of the launch
// (fewer than Width at the end of a block). A warp is reused without
// allocation once its stacks have grown.
func (w *Warp) Start(l *Launch, first, count int, block *BlockMemory) {
	w.Launch = l
	w.PC = l.Program.Funcs[0].Entry
	w.code, w.width = l.Program.Code, l.Width
	w.all = ^uint64(0) >> (64 - uint(l.Width))
	w.Active = ^uint64(0) >> (64 - uint(count))
	w.Fault = nil
	w.Pending = 0
	w.frames = w.frames[:0]
	w.calls = 0
	w.block = block
	w.banks[sharedBank>>bankShift] = l.shared
	if len(w.Addr) != l.Width {
		lanes := 1
		if l.Width > 1 {
			lanes = MaxWidth
		}
		w.Addr = make([]uint64, lanes)[:l.Width]
		w.id = make([]uint64, numWarpRegs*l.Width+MaxWidth)[:numWarpRegs*l.Width]
	}
	w.banks[warpBank>>bankShift] = w.id
	for i := range l.Width {
		w.id[ThreadID.Index()*l.Width+i] = uint64(first + i)
		w.id[BlockThread.Index()*l.Width+i] = uint64((first + i) % l.Block)
		w.id[Block.Index()*l.Width+i] = uint64(first / l.Block)
	}
	w.window = 0
	w.reserve(len(l.Program.Funcs[0].Regs))
	if n := l.Program.Local * l.Width; n > 0 {
		if cap(w.local) < n {
			w.local = make([]byte, n)
		}
		w.local = w.local[:n]
		clear(w.local)
	}
}

// reserve makes room for a frame of n registers at the current window. As in
// the other banks, MaxWidth words can be reached from any register.
func (w *Warp) reserve(n int) {
	need := w.window + n*w.Width
	if need+MaxWidth > len(w.stack) {
		grown := make([]uint64, need+need/2+MaxWidth)
		copy(grown, w.stack)
		w.Launch.stack += len(grown) - len(w.stack)
		w.stack = grown
	}
	w.banks[0] = w.stack[w.window:need]
}

// row returns the lanes of register r.
func (w *Warp) row(r Reg) []uint64 {
	n := w.width
	i := int(r&bankIndex) * n
	return w.banks[r>>bankShift][i : i+n : i+n]
}

// Get returns register r of a lane; for reports, tests and stepping.
func (w *Warp) Get(r Reg, lane int) uint64 { return w.row(r)[lane] }

// Set writes register r of a lane; for tests.
func (w *Warp) Set(r Reg, lane int, v uint64) { w.row(r)[lane] = v }

// Thread returns the launch-wide index of a lane's thread.
func (w *Warp) Thread(lane int) int { return int(w.id[ThreadID.Index()*w.Width+lane]) }

// Depth returns the number of open calls.
func (w *Warp) Depth() int { return w.calls }

// Columns of Table that every step needs, by any value of an Op.
var (
	execOf [256]func(*Warp, *Inst)
	isFree [256]bool // text that costs nothing
)

// Step executes the instruction at PC, then passes over text that costs
// nothing. The instruction's effects are visible when Step returns.
func (w *Warp) Step() Outcome {
	in := &w.code[w.PC]
	w.PC++
	w.outcome = Next
	w.Divergent = false
	execOf[in.Op](w, in)
	if w.outcome <= Wait && isFree[w.code[w.PC].Op] {
		w.skip()
	}
	return w.outcome
}

// Begin passes over text that costs nothing at the program's start, so that PC
// is at an instruction; it returns Done for a program without instructions.
func (w *Warp) Begin() Outcome {
	w.outcome = Next
	w.skip()
	return w.outcome
}

func (w *Warp) skip() {
	for w.outcome <= Wait {
		in := &w.code[w.PC]
		if !isFree[in.Op] {
			return
		}
		w.PC++
		execOf[in.Op](w, in)
	}
}

func (w *Warp) fault(f *Fault) {
	w.Fault = f
	w.outcome = Faulted
}

// lowest returns the lowest lane of a non-empty mask.
func lowest(mask uint64) int { return bits.TrailingZeros64(mask) & 63 }

// Frame returns the index of the open function's first register among the
// registers of all open calls.
func (w *Warp) Frame() int {
	if w.window == 0 { // almost always, and a division is slow
		return 0
	}
	return w.window / w.width
}
