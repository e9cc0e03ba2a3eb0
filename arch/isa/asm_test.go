package isa

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// golden has every form of the assembler's text.
const golden = `program average/pull
param xadj i64[]
param value f64[]
param flag i8[]
param n i64
param scale f32
shared 128
local 64

func main()
    lt r0, %tid, $n                             ; pull.go:1
    if r0                                       ; pull.go:2
        ld.i64 r0, [$xadj + %tid*8]             ; pull.go:3
        ld.i64 r1, [$xadj + %tid*8 + 8]         ; pull.go:3
        call sum(r0, r1) -> (d2, s3)            ; pull.go:4
        region "a walk"                         ; pull.go:5
            loop                                ; pull.go:6
                break.z r0                      ; pull.go:7
                break.nz 0                      ; pull.go:7
                if r1                           ; pull.go:8
                    continue                    ; pull.go:8
                else                            ; pull.go:8
                    break                       ; pull.go:8
                endif                           ; pull.go:8
            next                                ; pull.go:9
                sub r0, r0, 1                   ; pull.go:9
            while r0                            ; pull.go:9
        endregion "a walk"                      ; pull.go:10
        region hot                              ; pull.go:11
        endregion hot                           ; pull.go:11
        st.f64 [$value + %tid*8 - 16], d2       ; pull.go:12
        st.i8 [$flag + 3], 1                    ; pull.go:12
        atom.add.f64 d2, [$value + %tid*8], 0.5 ; "a file.go":13
        atom.add.i64.shared [16 + r0*8], r1     ; ?:0
        atom.cas.i64 r0, [$xadj], -1, %nthreads ; pull.go:14
        readfe.f64 d2, [$value + r0*8]          ; pull.go:14
        purge.i64 [$xadj]                       ; pull.go:15
        ld.i32.local r0, [0]                    ; pull.go:15
    endif                                       ; pull.go:2
    ret                                         ; pull.go:16

func sum(r0, r1) -> f64, f32
    cvt.f64.i64 d2, r0                          ; pull.go:17
    fma.f64 d2, d2, 1e+300, -0.0                ; pull.go:17
    add.f64 d2, d2, 0d7ff8000000000001          ; pull.go:18
    mov s3, 0f7f800000                          ; pull.go:18
    mul.f32 s3, s3, 0.1f                        ; pull.go:19
    sel s3, r1, s3, $scale                      ; pull.go:19
    bar                                         ; pull.go:20
    ret d2, s3                                  ; pull.go:20
`

func TestTextRoundTrip(t *testing.T) {
	p, err := Parse("golden", golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Text(); got != golden {
		t.Errorf("%s\nwant\n%s", got, golden)
	}
	for pc := range p.Code {
		want := Line{"a file.go", 13}
		if text := p.Disassemble(int32(pc)); strings.HasPrefix(text, "atom.add.f64") && p.Source(int32(pc)) != want {
			t.Errorf("%s comes from %s, want %s", text, p.Source(int32(pc)), want)
		}
	}
}

// What the builder builds and what its text says are the same program.
func TestRandomProgramsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		build := rapid.SampledFrom([]func(*Builder) (*Program, error){(*Builder).Build, (*Builder).build}).Draw(t, "build")
		p, err := build(randomProgram(t))
		if err != nil {
			t.Fatal(err)
		}
		q, err := Parse("text", p.Text())
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Text())
		}
		if len(p.Funcs) == len(q.Funcs) {
			for i := range p.Funcs {
				// Registers that the text does not name are not in it.
				p.Funcs[i].Regs = p.Funcs[i].Regs[:len(q.Funcs[i].Regs)]
			}
		}
		if !equalPrograms(p, q) {
			t.Fatalf("%s\nbecomes\n%s", p.Text(), q.Text())
		}
	})
}

// equalPrograms compares programs; an empty list is as good as none.
func equalPrograms(p, q *Program) bool {
	fill := func(p *Program) Program {
		c := *p
		c.Calls = append([]Call{}, p.Calls...)
		for i := range c.Calls {
			c.Calls[i].Args = append([]Reg{}, c.Calls[i].Args...)
			c.Calls[i].Results = append([]Reg{}, c.Calls[i].Results...)
		}
		c.Funcs = append([]Func{}, p.Funcs...)
		for i := range c.Funcs {
			c.Funcs[i].Regs = append([]Type{}, c.Funcs[i].Regs...)
			c.Funcs[i].Results = append([]Type{}, c.Funcs[i].Results...)
		}
		c.Consts, c.Regions, c.Params = append([]Const{}, p.Consts...), append([]string{}, p.Regions...), append([]Param{}, p.Params...)
		return c
	}
	return reflect.DeepEqual(fill(p), fill(q))
}

// Every value of a register survives as text.
func TestConstantsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Const{Type: rapid.SampledFrom([]Type{I64, F32, F64}).Draw(t, "type"), Bits: rapid.Uint64().Draw(t, "bits")}
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			c.Bits = math.Float64bits(rapid.Float64().Draw(t, "value"))
		case 1:
			c.Bits = 0x7ff0000000000000 | c.Bits&0x800000000000000f
		}
		if c.Type == F32 {
			c.Bits >>= 32
		}
		in := cursor{text: c.String()}
		if got, err := in.number(); err != nil || got != c || in.rest() != "" {
			t.Fatalf("%s of %v becomes %v, %v, before %q", c, [2]any{c.Type, c.Bits}, got, err, in.rest())
		}
	})
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "x.s:1: the program has no function"},
		{"func main()\n", "x.s:1: the text does not begin with: program NAME"},
		{"program", "x.s:1: a name is wanted"},
		{"program a b", "x.s:1: unexpected text: b"},
		{"program a\nparam n\n", `x.s:2: unknown type "": one of i8, i32, i64, f32, f64`},
		{"program a\nparam n i8\n", "x.s:2: parameter n: of type i8: one of i64, f32, f64"},
		{"program a\nparam n i64\nparam n f64[]\n", "x.s:3: parameter n: declared twice"},
		{"program a\nshared 1.5\n", "x.s:2: shared: a number of bytes is wanted"},
		{"program a\nlocal 9999999\n", "x.s:2: 9999999 bytes of local memory: at most 1048576"},
		{"program a\nret\n", `x.s:2: "ret": not program, param, shared, local or func`},
		{"program a\n\nfunc main()\nfunc f()\nret\n", "x.s:3: function main: is empty"},
		{"program a\nfunc main(r0)\n", "x.s:2: function main: threads start there, so it takes and returns nothing"},
		{"program a\nfunc main()\nret\nfunc f(r1)", "x.s:4: function f: parameters are its registers 0, 1, ... in order"},
		{"program a\nfunc main()\nret\nfunc main()", "x.s:4: function main: defined twice"},
		{"program a\nfunc main()\nret\nparam n i64", "x.s:4: param: stands before the functions"},
		{"program a\nfunc main()\nadd r0, 1\nret", "x.s:3: another operand is wanted"},
		{"program a\nfunc main()\nadd r0, 1, q2\nret", `x.s:3: "q2": a register (r0, d0, s0), $parameter, %special or number is wanted`},
		{"program a\nfunc main()\nadd r0, 1, $q\nret", "x.s:3: no parameter $q"},
		{"program a\nfunc main()\nadd r0, 1, %q\nret", "x.s:3: no register %q"},
		{"program a\nfunc main()\nadd r99999, 1, 1\nret", "x.s:3: r99999: registers are numbered 0 to 16383"},
		{"program a\nfunc main()\nmov r0, 1\nmov d0, 1.0\nret", "x.s:4: d0: register 0 was i64 above"},
		{"program a\nfunc main()\nmov r0, 1x\nret", `x.s:3: "1x": not a number that a register holds`},
		{"program a\nfunc main()\nld r0, [0]\nret", `x.s:3: ld: unknown type "": one of i8, i32, i64, f32, f64`},
		{"program a\nfunc main()\nld.i64.here r0, [0]\nret", `x.s:3: ld.i64.here: unknown space "here": one of shared, local`},
		{"program a\nfunc main()\nld.i64 r0, [0 + 3*3]\nret", "x.s:3: scale 3: not a power of two up to 128"},
		{"program a\nfunc main()\nld.i64 r0, [0 + 8 + 8]\nret", "x.s:3: address: a second offset"},
		{"program a\nfunc main()\nld.i64 r0, [0\nret", "x.s:3: address: + or ] is wanted"},
		{"program a\nfunc main()\nadd.i64 r0, 1, 2\nret", `x.s:3: unknown instruction "add.i64"`},
		{"program a\nfunc main()\ncall f()\nret", "x.s:3: no function f"},
		{"program a\nfunc main()\nadd r0, 1, 2.0\nret", "x.s:3: add r0, 1, 2.0: operand b: is f64, i64 is wanted"},
		{"program a\nfunc main()\n mov r1, 1 ; k.go:7\n add r0, r1, r2 ; k.go:8\nret", "x.s:4: add r0, r1, r2: reads r2, which is not written on every path"},
		{"program a\nfunc main()\nendif\nret", "x.s:3: endif: closes nothing"},
		{"program a\nfunc main()\nregion \"x\nret", `x.s:3: a quote is never closed: "x`},
	} {
		if _, err := Parse("x.s", c.text); err == nil || err.Error() != c.want {
			t.Errorf("%q\n gives %v\n want  %s", c.text, err, c.want)
		}
	}
}

// FuzzParse reads any text without a panic; what it accepts is a program whose
// text says the same again, and which Verify accepts.
func FuzzParse(f *testing.F) {
	f.Add(golden)
	for _, line := range strings.Split(golden, "\n") {
		f.Add("program a\nparam xadj i64[]\nfunc main()\n" + line + "\nret\n")
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse("x.s", text)
		if err != nil {
			if p != nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		if err := Verify(p); err != nil {
			t.Fatal(err)
		}
		first := p.Text()
		q, err := Parse("y.s", first)
		if err != nil {
			t.Fatalf("%v\n%s", err, first)
		}
		if second := q.Text(); second != first || !equalPrograms(p, q) {
			t.Errorf("%s\nbecomes\n%s", first, second)
		}
	})
}
