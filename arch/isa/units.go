package isa

// PerUnit holds a U for every class of functional unit, as cores describe them;
// of memory they say more.
type PerUnit[U any] struct {
	Int     U `yaml:"int" doc:"integer add, logic, moves"`
	Compare U `yaml:"compare" doc:"comparisons"`
	Shift   U `yaml:"shift" doc:"shifts, bit counts"`
	Mul     U `yaml:"mul" doc:"integer multiply"`
	Divide  U `yaml:"divide" doc:"integer divide, a subroutine on most GPUs"`
	F32     U `yaml:"f32" doc:"single precision"`
	F64     U `yaml:"f64" doc:"double precision"`
	Special U `yaml:"special" doc:"floating divide, square root"`
	Convert U `yaml:"convert" doc:"conversions"`
	Control U `yaml:"control" doc:"branches; on a GPU the warp's next instruction waits for the latency"`
	Warp    U `yaml:"warp" doc:"votes, shuffles"`
	Sync    U `yaml:"sync" doc:"barriers, fences, after what they wait for"`
}

// Of returns what is held for a class, of instructions without one what is held
// for integers, and nil for memory.
func (p *PerUnit[U]) Of(class Unit) *U {
	switch class {
	case UnitMemory:
		return nil
	case UnitCompare:
		return &p.Compare
	case UnitShift:
		return &p.Shift
	case UnitMul:
		return &p.Mul
	case UnitDivide:
		return &p.Divide
	case UnitF32:
		return &p.F32
	case UnitF64:
		return &p.F64
	case UnitSpecial:
		return &p.Special
	case UnitConvert:
		return &p.Convert
	case UnitControl:
		return &p.Control
	case UnitWarp:
		return &p.Warp
	case UnitSync:
		return &p.Sync
	}
	return &p.Int
}
