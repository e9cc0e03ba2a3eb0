// Package isa is Heddle's instruction set: the table of instructions, programs
// and what builds them, and functional execution. An instruction says what
// happens; how long it takes is the machine's business.
//
// A program is run by warps of 1 to 64 lanes. Control flow is structured
// (if/else, loop, call), so a warp's lanes reconverge where the text does.
package isa

import "fmt"

// Op is an instruction's opcode, an index of Table.
type Op uint8

// Unit is the class of functional unit that executes an instruction.
type Unit uint8

// Functional unit classes. UnitNone marks text that costs nothing, such as the
// end of an if.
const (
	UnitNone    Unit = iota
	UnitInt          // integer add, logic, min/max, moves, selects
	UnitCompare      // comparisons
	UnitShift        // shifts and bit counts
	UnitMul          // integer multiply
	UnitDivide       // integer divide and remainder
	UnitF32          // single precision add, multiply, fused multiply-add
	UnitF64          // double precision add, multiply, fused multiply-add
	UnitSpecial      // floating divide and square root
	UnitConvert      // conversions between types
	UnitControl      // branches, calls
	UnitMemory       // loads, stores, atomics
	UnitWarp         // votes and shuffles across lanes
	UnitSync         // barriers and fences
	NumUnits
)

var unitNames = [NumUnits]string{"none", "int", "compare", "shift", "mul", "divide", "f32", "f64",
	"special", "convert", "control", "memory", "warp", "sync"}

func (u Unit) String() string { return unitNames[u] }

// Behaviour is what an instruction does to memory.
type Behaviour uint8

// Memory behaviours.
const (
	NoMemory Behaviour = iota
	Loads
	Stores
	Atomics   // read-modify-write, the old value returned
	FullEmpty // waits for a full/empty bit
)

// Any stands in a Form for a register of any type; all Any operands of one
// instruction have the same type.
const Any Type = 0x80

// Form gives the register types of an instruction's operands; NoType where the
// instruction lacks one. Memory instructions address A + B*Scale + Off, B
// optional, and take the type of D or C from their element type (Any).
type Form struct{ D, A, B, C, E Type }

// Space is the memory that an access reaches.
type Space uint8

// Memory spaces. Shared belongs to a thread block, Local to a thread; both are
// addressed from 0.
const (
	Global Space = iota
	Shared
	Local
)

var spaceNames = [...]string{"global", "shared", "local"}

func (s Space) String() string {
	if int(s) >= len(spaceNames) {
		return fmt.Sprintf("space %d", uint8(s))
	}
	return spaceNames[s]
}

// Row is one instruction of the set.
type Row struct {
	Name   string
	Form   Form
	Unit   Unit
	Memory Behaviour
	Doc    string
	Exec   func(*Warp, *Inst)
}

// Reg names a register. The two top bits select a bank: a function's own
// registers, the registers every thread shares (parameters, constants), and
// the warp's identity.
type Reg uint16

// Register banks.
const (
	localBank   Reg = 0 << 14
	sharedBank  Reg = 1 << 14
	warpBank    Reg = 2 << 14
	bankShift       = 14
	bankIndex   Reg = 1<<14 - 1
	maxBankRegs     = 1 << 14
)

// NoReg is the absent operand.
const NoReg Reg = 0xffff

// Identity registers, readable in every function.
const (
	ThreadID    = warpBank + iota // index among all threads of the launch
	BlockThread                   // index among the threads of the block
	Block                         // index of the block
	numWarpRegs = iota
)

// Registers with one value for the whole launch.
const (
	ThreadCount = sharedBank + iota
	Lane        // index in the warp, 0 to Width-1
	Width       // lanes in a warp
	BlockSize   // threads in a block
	BlockCount
	numSharedRegs = iota // parameters follow, then constants
)

// IsLocal reports whether r is a function's own register.
func (r Reg) IsLocal() bool { return r>>bankShift == 0 }

// Index returns r's index in its bank.
func (r Reg) Index() int { return int(r & bankIndex) }

var specialNames = map[Reg]string{
	ThreadID: "tid", BlockThread: "btid", Block: "block", ThreadCount: "nthreads",
	Lane: "lane", Width: "width", BlockSize: "bsize", BlockCount: "nblocks",
}

// Inst is one instruction of a program.
type Inst struct {
	Op      Op
	Type    Type  // element type of a memory access
	Space   Space // memory that it reaches
	Scale   uint8 // bytes that B is multiplied by
	D       Reg   // destination
	A, B, C Reg   // sources; a memory access has base A, index B, value C
	E       Reg   // compare-and-swap: the value expected
	To      int32 // control: the matching else or end, or the loop's start
	Line    int32 // index in Program.Lines
	Off     int64 // memory: bytes added; loop: pc of its next; call, ret: index of Calls; region: of Regions
}

// Row returns the table's row of the instruction.
func (in *Inst) Row() *Row { return &Table[in.Op] }
