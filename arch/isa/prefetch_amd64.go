package isa

// prefetch asks the host for the cache line of p, and does not wait for it.
//
//go:noescape
func prefetch(p *byte)
