//go:build !amd64

package isa

// prefetch does nothing where nobody has measured it.
func prefetch(*byte) {}
