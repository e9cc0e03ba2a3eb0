package isa

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Bodies of a program's main function, one instruction a line; each is refused
// with the line and the reason given, or accepted where there is none.
func TestVerifyPaths(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"both sides", "if %tid; mov r0, 1; else; mov r0, 2; endif; not r1, r0; ret", ""},
		{"one side", "if %tid; mov r0, 1; endif; not r1, r0; ret", "4: not r1, r0: reads r0"},
		{"the side that goes on", "if %tid; mov r0, 1; else; ret; endif; not r1, r0; ret", ""},
		{"other side's value", "if %tid; mov r0, 1; else; not r1, r0; endif; ret", "4: not r1, r0: reads r0"},
		{"before the loop", "mov r0, 3; loop; sub r0, r0, 1; while r0; ret", ""},
		{"carried but not begun", "loop; break.nz %tid; sub r0, r0, 1; endloop; ret", "3: sub r0, r0, 1: reads r0"},
		{"at the break", "loop; mov r0, 1; break.nz %tid; endloop; not r1, r0; ret", ""},
		{"after the break", "loop; break.nz %tid; mov r0, 1; endloop; not r1, r0; ret", "5: not r1, r0: reads r0"},
		{"at one of the breaks", "loop; break.nz %tid; mov r0, 1; break; endloop; not r1, r0; ret", "6: not r1, r0: reads r0"},
		{"tested at the end", "loop; mov r0, 1; while %tid; not r1, r0; ret", ""},
		{"continued past", "loop; if %tid; continue; endif; mov r0, 1; while r0; ret", "6: while r0: reads r0"},
		{"continued to the step", "loop; if %tid; continue; endif; mov r0, 1; next; not r1, r0; while %tid; ret", "7: not r1, r0: reads r0"},
		{"continued after it", "loop; mov r0, 1; if %tid; continue; endif; next; not r1, r0; while r1; ret", ""},
		{"broken around the end", "loop; if %tid; break; endif; mov r0, 1; while %tid; not r1, r0; ret", "7: not r1, r0: reads r0"},
		{"text that nothing reaches", "ret; not r1, r0; ret", ""},
		{"no end", "mov r0, 1", "1: mov r0, 1: function main ends without ret"},
		{"end on one side", "if %tid; ret; endif", "3: endif: function main ends without ret"},
		{"ends on both sides", "if %tid; ret; else; ret; endif", ""},
		{"no exit", "loop; endloop; ret", "2: endloop: no path leaves the loop of x.s:1"},
		{"exit by ret", "loop; if %tid; ret; endif; endloop", ""},
		{"exit of the inner only", "loop; loop; break; endloop; endloop; ret", "5: endloop: no path leaves the loop of x.s:1"},
		{"exit not reached", "loop; continue; break; endloop; ret", "4: endloop: no path leaves the loop of x.s:1"},
		{"unclosed", "if %tid; ret", "1: if: is never closed"},
		{"crossed", "loop; if %tid; break; endloop; endif; ret", "4: endloop: inside the if of x.s:2"},
		{"two elses", "if %tid; else; else; endif; ret", "3: else: inside the else of x.s:2"},
		{"break alone", "break; ret", "1: break: outside a loop"},
		{"continue in the step", "loop; next; if %tid; continue; endif; while %tid; ret", "4: continue: after the loop's next"},
		{"two nexts", "loop; next; next; while %tid; ret", "3: next: is the loop's second"},
		{"next under if", "loop; if %tid; next; endif; while %tid; ret", "3: next: inside the if of x.s:2"},
		{"regions cross", "region a; region b; endregion a; endregion b; ret", "3: endregion: inside another region, which began at x.s:2"},
		{"result too many", "ret 1", "1: ret 1: 1 results given, 0 wanted"},
		{"main called", "call main(); ret", "1: call main(): threads start in main, which cannot be called"},
		{"full/empty of i32", "readfe.i32 r0, [0]; ret", "1: readfe.i32 r0, [0]: i32.global: full/empty bits belong to i64 and f64 words of global memory"},
		{"full/empty of shared", "writeef.i64.shared [0], 1; ret", "1: writeef.i64.shared [0], 1: i64.shared: full/empty bits belong"},
		{"atomic of i8", "atom.add.i8 [0], 1; ret", "1: atom.add.i8 [0], 1: element type i8: atomics take"},
		{"atomic min of f64", "atom.min.f64 [0], 1.0; ret", "1: atom.min.f64 [0], 1.0: element type f64: atomics take"},
		{"atomic add of f32", "atom.add.f32 [0], 1.0f; ret", ""},
		{"reduction", "atom.max.i32 [0], 1; ret", ""},
		{"value of another type", "st.f64 [0], 1; ret", "1: st.f64 [0], 1: operand c: is i64, f64 is wanted"},
		{"written identity", "mov %tid, 1; ret", "1: mov %tid, 1: operand destination: a register that programs cannot write"},
		{"written constant", "mov 2, 1; ret", "1: mov 2, 1: operand destination: a register that programs cannot write"},
		{"moved between types", "mov d0, 1; ret", "1: mov d0, 1: operand a: is i64, f64 is wanted"},
		{"selected of two types", "sel r0, %tid, 1, 2.0; ret", "1: sel r0, %tid, 1, 2.0: operand c: is f64, i64 is wanted"},
		{"shuffle by a double", "shfl.idx r0, %tid, 1.0; ret", "1: shfl.idx r0, %tid, 1.0: operand b: is f64, i64 is wanted"},
	} {
		// The text begins in its second line's place, so that line n is instruction n.
		text := strings.ReplaceAll(c.body, "; ", "\n")
		_, err := Parse("x.s", "program a\nfunc main()\n"+text)
		got := ""
		if err != nil {
			got = shift(err.Error())
		}
		if c.want == "" && got != "" || c.want != "" && !strings.HasPrefix(got, "x.s:"+c.want) {
			t.Errorf("%s: %q\n want %q", c.name, got, c.want)
		}
	}
}

// shift takes the two lines of the header off the line numbers of an error.
func shift(s string) string {
	parts := strings.Split(s, "x.s:")
	for i := 1; i < len(parts); i++ {
		n, rest := 0, strings.TrimLeft(parts[i], "0123456789")
		fmt.Sscan(parts[i][:len(parts[i])-len(rest)], &n)
		parts[i] = fmt.Sprint(n-2) + rest
	}
	return strings.Join(parts, "x.s:")
}

// Calls and returns that do not fit.
func TestVerifyCalls(t *testing.T) {
	const head = "program a\nfunc main()\n"
	for _, c := range []struct{ name, text, want string }{
		{"argument type", "call f(1.0) -> (r0)\nret\nfunc f(r0) -> i64\nret r0", "x.s:3: call f(1.0) -> (r0): f: argument 0: is f64, i64 is wanted"},
		{"arguments", "call f() -> (r0)\nret\nfunc f(r0) -> i64\nret r0", "x.s:3: call f() -> (r0): f: 0 arguments given, 1 wanted"},
		{"results", "call f(1)\nret\nfunc f(r0) -> i64\nret r0", "x.s:3: call f(1): f: 0 results given, 1 wanted"},
		{"result type", "call f(1) -> (d0)\nret\nfunc f(r0) -> i64\nret r0", "x.s:3: call f(1) -> (d0): f: result 0: is f64, i64 is wanted"},
		{"result place", "call f(1) -> (%tid)\nret\nfunc f(r0) -> i64\nret r0", "x.s:3: call f(1) -> (%tid): f: result 0: a register that programs cannot write"},
		{"one place twice", "call f() -> (r0, r0)\nret\nfunc f() -> i64, i64\nret 1, 2", "x.s:3: call f() -> (r0, r0): f: result 1: the same register as another"},
		{"ret", "call f(1) -> (r0)\nret\nfunc f(r0) -> i64\nret 1.0", "x.s:6: ret 1.0: result 0: is f64, i64 is wanted"},
		{"argument written", "call f(r0) -> (r0)\nret\nfunc f(r0) -> i64\nret r0", "x.s:3: call f(r0) -> (r0): reads r0, which is not written on every path"},
		{"result unwritten", "call f(1) -> (r0)\nret\nfunc f(r0) -> i64\nret r1", "x.s:6: ret r1: reads r1, which is not written on every path"},
		{"falls off", "call f(1) -> (r0)\nret\nfunc f(r0) -> i64\nmov r0, 2", "x.s:6: mov r0, 2: function f ends without ret"},
	} {
		if _, err := Parse("x.s", head+c.text); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v\n want %s", c.name, err, c.want)
		}
	}
}

// The builder's mistakes name the line of the kernel.
func TestVerifyNamesTheKernelsLine(t *testing.T) {
	b := NewBuilder("bad")
	f := b.Func("f", nil, []Type{I64})
	f.Define(func([]Reg) {})
	_, err := b.Build()
	if err == nil || !strings.HasPrefix(err.Error(), "program bad: function f: is empty") {
		t.Errorf("error %v", err)
	}
	b = NewBuilder("bad")
	b.If(ThreadID, func() { b.Break() })
	_, err = b.Build()
	if err == nil || !strings.HasPrefix(err.Error(), "arch/isa/verify_test.go:") || !strings.HasSuffix(err.Error(), ": break: outside a loop") {
		t.Errorf("error %v", err)
	}
}

// A register that a function's body takes from outside is refused.
func TestRegisterOfAnotherFunction(t *testing.T) {
	b := NewBuilder("bad")
	x := b.Var(1)
	f := b.Func("f", nil, []Type{I64})
	f.Define(func([]Reg) {
		y := b.Var(2)
		b.Return(b.Add(y, x))
	})
	_, err := b.Build()
	if err == nil || !strings.HasPrefix(err.Error(), "arch/isa/verify_test.go:") ||
		!strings.HasSuffix(err.Error(), ": in function f: a register of function main") {
		t.Errorf("error %v", err)
	}
}

// damage changes one thing of p at random.
func damage(t *rapid.T, p *Program) {
	number := func(n int) int { return rapid.IntRange(0, max(n-1, 0)).Draw(t, "at") }
	small := rapid.IntRange(-2, 70).Draw(t, "value")
	reg := Reg(rapid.SampledFrom([]int{small, 1<<14 + small, 2<<14 + small, 3<<14 + small, 0xffff, 0x3fff, 0x7fff}).Draw(t, "register"))
	in := &p.Code[number(len(p.Code))]
	f := &p.Funcs[number(len(p.Funcs))]
	switch rapid.IntRange(0, 25).Draw(t, "damage") {
	case 0:
		in.Op = Op(rapid.IntRange(0, 255).Draw(t, "op"))
	case 1:
		in.Type = Type(small)
	case 2:
		in.Space = Space(small)
	case 3:
		in.Scale = uint8(small)
	case 4:
		in.D = reg
	case 5:
		in.A = reg
	case 6:
		in.B = reg
	case 7:
		in.C = reg
	case 8:
		in.E = reg
	case 9:
		in.To = int32(small)
	case 10:
		in.Line = int32(small)
	case 11:
		in.Off = int64(small)
	case 12:
		*in, p.Code[number(len(p.Code))] = p.Code[number(len(p.Code))], *in
	case 13:
		p.Code = p.Code[:number(len(p.Code))]
	case 14:
		f.Entry = int32(small)
	case 15:
		f.Params = small
	case 16:
		f.Regs = f.Regs[:number(len(f.Regs))]
	case 17:
		f.Results = append([]Type(nil), Type(small))
	case 18:
		if len(p.Calls) > 0 {
			c := &p.Calls[number(len(p.Calls))]
			c.Caller, c.Func = small, number(4)-1
		}
	case 19:
		if len(p.Calls) > 0 {
			c := &p.Calls[number(len(p.Calls))]
			c.Args, c.Results = append(c.Args[:len(c.Args):len(c.Args)], reg), c.Args
		}
	case 20:
		p.Consts = p.Consts[:number(len(p.Consts))]
	case 21:
		p.Params = p.Params[:number(len(p.Params))]
	case 22:
		p.Shared, p.Local = small, small
	case 23:
		p.Lines, p.Regions = p.Lines[:number(len(p.Lines))], nil
	case 24:
		p.Funcs = p.Funcs[:number(len(p.Funcs))]
	case 25:
		if len(f.Regs) > 0 {
			f.Regs[number(len(f.Regs))] = Type(small)
		}
	}
}

// clone returns a copy of p that shares nothing with it.
func clone(p *Program) *Program {
	c := *p
	c.Params, c.Consts, c.Code = slices.Clone(p.Params), slices.Clone(p.Consts), slices.Clone(p.Code)
	c.Lines, c.Regions = slices.Clone(p.Lines), slices.Clone(p.Regions)
	c.Funcs, c.Calls = slices.Clone(p.Funcs), slices.Clone(p.Calls)
	for i := range c.Funcs {
		f := &c.Funcs[i]
		f.Results, f.Regs = slices.Clone(f.Results), slices.Clone(f.Regs)
	}
	for i := range c.Calls {
		l := &c.Calls[i]
		l.Args, l.Results = slices.Clone(l.Args), slices.Clone(l.Results)
	}
	return &c
}

// A damaged program is refused, or it runs without a panic: it ends, or is
// ended by its limit or a fault.
func TestDamagedProgramsDoNotPanic(t *testing.T) {
	refused, accepted := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p, err := randomProgram(t).Build()
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			q := clone(p)
			damage(t, q)
			if Verify(q) == nil {
				p = q
				accepted++
			} else {
				refused++
			}
		}
		width := rapid.SampledFrom([]int{1, 7, 64}).Draw(t, "width")
		args := []Value{words(), {Type: I64, Bits: 5}, {Type: F64, Bits: math.Float64bits(2)}, {Type: F32}}
		if len(p.Params) < len(args) {
			args = args[:len(p.Params)]
		}
		RunFunctional(NewLaunch(p, newFlatMemory(8*slots*70), width, 70, 70, args), 1<<14)
		before := p.Text()
		canonical(p)
		allocate(p)
		if err := Verify(p); err != nil {
			t.Fatalf("%v\n%s\n%s", err, before, p.Text())
		}
	})
	t.Logf("%d refused, %d accepted", refused, accepted)
	if refused == 0 || accepted == 0 {
		t.Errorf("%d programs refused, %d accepted", refused, accepted)
	}
}
