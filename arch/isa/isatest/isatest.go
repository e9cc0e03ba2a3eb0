// Package isatest writes programs for tests of cores, instruction by
// instruction.
package isatest

import (
	"strings"

	"heddle/arch/isa"
)

// TB is what is needed of a test.
type TB interface {
	Helper()
	Fatal(args ...any)
}

// Main assembles a program from parameter lines and the lines of its main
// function, so that a test knows every instruction and register.
func Main(t TB, params string, lines ...string) *isa.Program {
	t.Helper()
	return Parse(t, params+"\nfunc main()\n"+strings.Join(lines, "\n")+"\nret\n")
}

// Parse assembles what follows a program's name.
func Parse(t TB, rest string) *isa.Program {
	t.Helper()
	p, err := isa.Parse("test.asm", "program test\n"+rest)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Lines returns n lines made by format from their index.
func Lines(n int, format func(i int) string) string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = format(i)
	}
	return strings.Join(lines, "\n")
}

// Repeat returns a line n times.
func Repeat(n int, line string) string { return Lines(n, func(int) string { return line }) }
