package isa

import (
	"encoding/binary"
	"math"
)

// address fills Addr for the given lanes.
func (w *Warp) address(in *Inst, lanes uint64) []uint64 {
	addr := w.Addr
	a := w.row(in.A)
	w.Accessed = lanes
	if in.B == NoReg {
		for m := lanes; m != 0; m &= m - 1 {
			l := lowest(m)
			addr[l] = a[l] + uint64(in.Off)
		}
		return addr
	}
	b, scale := w.row(in.B), uint64(in.Scale)
	for m := lanes; m != 0; m &= m - 1 {
		l := lowest(m)
		addr[l] = a[l] + b[l]*scale + uint64(in.Off)
	}
	return addr
}

func (w *Warp) check(f *Fault) {
	if f != nil {
		w.fault(f)
	}
}

func execLoad(w *Warp, in *Inst) {
	addr := w.address(in, w.Active)
	if in.Space == Global {
		w.check(w.Memory.Load(in.Type, w.Active, addr, w.row(in.D)))
		return
	}
	d := w.row(in.D)
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		p := w.scratch(in, l)
		if p == nil {
			return
		}
		d[l] = decode(in.Type, p)
	}
}

func execStore(w *Warp, in *Inst) {
	addr := w.address(in, w.Active)
	c := w.row(in.C)
	if in.Space == Global {
		w.check(w.Memory.Store(in.Type, w.Active, addr, c))
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		p := w.scratch(in, l)
		if p == nil {
			return
		}
		encode(in.Type, p, c[l])
	}
}

func execAtomic(op AtomicOp) func(*Warp, *Inst) {
	return func(w *Warp, in *Inst) {
		addr := w.address(in, w.Active)
		c := w.row(in.C)
		var d, e []uint64
		if in.D != NoReg {
			d = w.row(in.D)
		}
		if in.E != NoReg {
			e = w.row(in.E)
		}
		if in.Space == Global {
			w.check(w.Memory.Atomic(op, in.Type, w.Active, addr, c, e, d))
			return
		}
		for m := w.Active; m != 0; m &= m - 1 {
			l := lowest(m)
			p := w.scratch(in, l)
			if p == nil {
				return
			}
			old, expected := decode(in.Type, p), uint64(0)
			if e != nil {
				expected = e[l]
			}
			encode(in.Type, p, Combine(op, in.Type, old, c[l], expected))
			if d != nil {
				d[l] = old
			}
		}
	}
}

// Combine returns what an atomic operation leaves in an element of type t that
// held old, given the value val and, for CompareSwap, the value expected. All
// are registers' bits, of which an element takes those that it has room for.
func Combine(op AtomicOp, t Type, old, val, expected uint64) uint64 {
	if t == I32 {
		old, val, expected = uint64(int32(old)), uint64(int32(val)), uint64(int32(expected))
	}
	switch op {
	case FetchAdd:
		switch t {
		case F32:
			return uint64(math.Float32bits(math.Float32frombits(uint32(old)) + math.Float32frombits(uint32(val))))
		case F64:
			return math.Float64bits(math.Float64frombits(old) + math.Float64frombits(val))
		case I32:
			return uint64(int32(old + val))
		}
		return old + val
	case FetchMin:
		return uint64(min(int64(old), int64(val)))
	case FetchMax:
		return uint64(max(int64(old), int64(val)))
	case Exchange:
		return val
	}
	if old == expected {
		return val
	}
	return old
}

// scratch returns the bytes of a lane's access to shared or local memory, or
// nil after a fault.
func (w *Warp) scratch(in *Inst, lane int) []byte {
	bytes, size := w.block.bytes, uint64(in.Type.Size())
	if in.Space == Local {
		n := w.Program.Local
		bytes = w.local[lane*n : (lane+1)*n]
	}
	at := w.Addr[lane]
	switch {
	case at > uint64(len(bytes)) || at+size > uint64(len(bytes)):
		w.fault(&Fault{Lane: lane, Addr: at, Size: int(size), Reason: NoSharedMemory})
		return nil
	case at%size != 0:
		w.fault(&Fault{Lane: lane, Addr: at, Size: int(size), Reason: Misaligned})
		return nil
	}
	return bytes[at : at+size]
}

func decode(t Type, p []byte) uint64 {
	switch t {
	case I8:
		return uint64(p[0])
	case I32:
		return uint64(int32(binary.LittleEndian.Uint32(p)))
	case F32:
		return uint64(binary.LittleEndian.Uint32(p))
	}
	return binary.LittleEndian.Uint64(p)
}

func encode(t Type, p []byte, v uint64) {
	switch t {
	case I8:
		p[0] = byte(v)
	case I32, F32:
		binary.LittleEndian.PutUint32(p, uint32(v))
	default:
		binary.LittleEndian.PutUint64(p, v)
	}
}

// waiting returns the lanes that a full/empty instruction still has to serve.
func (w *Warp) waiting() uint64 {
	if w.Pending != 0 {
		return w.Pending
	}
	return w.Active
}

// settle notes which lanes are blocked; while some are, PC stays.
func (w *Warp) settle(tried, blocked uint64, f *Fault) {
	w.Accessed = tried &^ blocked
	w.Pending = blocked
	switch {
	case f != nil:
		w.fault(f)
	case blocked != 0:
		w.PC--
		w.outcome = Blocked
	}
}

func execPurge(w *Warp, in *Inst) {
	w.check(w.Memory.Purge(w.Active, w.address(in, w.Active)))
}

func execReadFF(w *Warp, in *Inst) {
	lanes := w.waiting()
	blocked, f := w.Memory.ReadFF(lanes, w.address(in, lanes), w.row(in.D))
	w.settle(lanes, blocked, f)
}

func execReadFE(w *Warp, in *Inst) {
	lanes := w.waiting()
	blocked, f := w.Memory.ReadFE(lanes, w.address(in, lanes), w.row(in.D))
	w.settle(lanes, blocked, f)
}

func execWriteEF(w *Warp, in *Inst) {
	lanes := w.waiting()
	blocked, f := w.Memory.WriteEF(lanes, w.address(in, lanes), w.row(in.C))
	w.settle(lanes, blocked, f)
}
