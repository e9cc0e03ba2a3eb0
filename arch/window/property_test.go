package window

import (
	"slices"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/arch/mem"
	"heddle/sim"

	"pgregory.net/rapid"
)

// mixed is a program of all kinds of instructions, whose result does not depend
// on the order of its threads.
func mixed(t testing.TB) *isa.Program {
	return isatest.Parse(t, `
param a i64[]
param sum i64[]
param n i64
func main()
    mov r0, %tid
    lt r1, r0, $n
    if r1
        loop
            ld.i64 r2, [$a + r0*8]
            call step(r2, r0) -> (r3)
            st.i64 [$a + r0*8], r3
            ld.i32 r4, [$a + r0*8]
            and r5, r3, 3
            if r5
                atom.add.i64 r6, [$sum], r5
            else
                fence
                atom.max.i64 r6, [$sum + 8], r4
            endif
            next
            add r0, r0, %nthreads
            lt r1, r0, $n
        while r1
    endif
    bar
    ld.i64 r7, [$sum]
    atom.min.i64 r6, [$sum + 16], r7
    ret

func step(r0, r1) -> i64
    div r2, r0, 3
    mul r3, r1, r1
    xor r2, r2, r3
    cvt.f64.i64 d4, r2
    mul.f64 d4, d4, 0.5
    cvt.i64.f64 r5, d4
    ret r5
`)
}

// On every machine a program gives the answer that it has without time, and
// the machine keeps its laws.
func TestAnyMachine(t *testing.T) {
	p := mixed(t)
	const n = 60
	fill := func(x []int64) {
		for i := range x {
			x[i] = int64(i*i*7919) % 100_003
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		number := func(name string, values ...int) int { return rapid.SampledFrom(values).Draw(rt, name) }
		c := round()
		c.Threads, c.Core.SMT = number("threads", 1, 2, 5, 8), number("smt", 1, 2, 4)
		c.Placement = rapid.SampledFrom([]string{"compact", "scatter"}).Draw(rt, "placement")
		c.Skew = sim.Cycles(number("skew", 0, 1, 100, 3000))
		c.AtomicSkew = min(c.Skew, sim.Cycles(number("atomic skew", 0, 50)))
		k := &c.Core
		k.Dispatch, k.Retire = number("dispatch", 1, 3, 4, 8), number("retire", 1, 4)
		k.ROB, k.Stations, k.FPStations = number("rob", 4, 30, 128), number("stations", 1, 7, 36), number("fp stations", 0, 1, 9)
		k.Fusion, k.Branch.Taken = rapid.Bool().Draw(rt, "fusion"), sim.Cycles(number("taken", 0, 1, 2))
		k.Branch.Predictor = rapid.SampledFrom([]PredictorConfig{
			{GlobalWays: 1, LoopCount: 1},
			{Bimodal: 16, Global: 64, GlobalWays: 4, GlobalTag: 6, History: 9, Loops: 8, LoopCount: 63, ReturnStack: 1},
			{Global: 128, GlobalWays: 1, History: 30, LoopCount: 1, ReturnStack: 8},
		}).Draw(rt, "predictor")
		k.Units.Int.Ports, k.Units.Divide.Interval = []int{0, 1, 5}[:number("ports", 1, 3)], sim.Cycles(number("divide", 1, 20))
		ls := &k.LoadStore
		ls.LoadPorts, ls.StorePorts = []int{2}, []int{3}
		ls.DataPorts = []int{4}[:number("data ports", 0, 1)]
		ls.LoadBuffer, ls.StoreBuffer = number("load buffer", 4, 48), number("store buffer", 4, 5, 32)
		ls.StoreAddresses = rapid.SampledFrom([]string{"predicted", "known"}).Draw(rt, "store addresses")
		ls.LineFillBuffers = number("line fill buffers", 1, 10)
		k.TLB.Entries, k.TLB.SecondEntries = number("tlb", 0, 4, 64), number("second", 0, 64)

		r := newRig(t, c)
		a, sum := r.alloc("a", isa.I64, n), r.alloc("sum", isa.I64, 3)
		fill(r.ints(a))
		r.ints(sum)[2] = 1 << 40
		took := r.run(p, a, sum, n)

		space := mem.NewSpace(1 << 20)
		b, _ := space.Alloc("a", isa.I64, n)
		total, _ := space.Alloc("sum", isa.I64, 3)
		fill(space.View(b).([]int64))
		space.View(total).([]int64)[2] = 1 << 40
		work, err := isa.RunFunctional(isa.NewLaunch(p, space, 1, c.Threads, c.Threads, isa.Args(b, total, n)), 0)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.ints(a), space.View(b).([]int64)) || !slices.Equal(r.ints(sum), space.View(total).([]int64)) {
			rt.Errorf("answers differ: sums %v and %v", r.ints(sum), space.View(total))
		}
		s := r.machine.Stats()
		if s.Instructions != work.Instructions || r.machine.Instructions() != work.Instructions {
			rt.Errorf("%d instructions, want %d", s.Instructions, work.Instructions)
		}
		if k.SMT == 1 && s.Cycles[SMT] != 0 {
			rt.Errorf("%d cycles lost to other threads of cores that have none", s.Cycles[SMT])
		}
		if s.Ahead > int64(c.Skew) {
			rt.Errorf("a core was ahead by %d cycles, of %d", s.Ahead, c.Skew)
		}
		cores := (c.Threads + k.SMT - 1) / k.SMT
		if most := int64(took) * int64(cores*k.Dispatch); int64(work.Instructions)-int64(s.Fused) > most {
			rt.Errorf("%d instructions in %d cycles of %d cores", work.Instructions, took, cores)
		}
		if r.memory.past > 0 {
			rt.Errorf("%d accesses for a time that is past", r.memory.past)
		}
		for i, port := range r.memory.ports {
			for _, at := range port.begun {
				if at%sim.Nanosecond != 0 || at < 0 {
					rt.Errorf("core %d accesses memory at %d fs", i, at)
				}
			}
		}
	})
}

// Running more instructions allocates nothing more.
func TestNoAllocation(t *testing.T) {
	p := mixed(t)
	space := mem.NewSpace(1 << 24)
	a, _ := space.Alloc("a", isa.I64, 100_000)
	sum, _ := space.Alloc("sum", isa.I64, 3)
	m, err := New(with(func(c *Config) { c.Threads, c.Core.SMT = 4, 2 }), Topology{Sockets: 1, Dies: 1, Cores: 2}, sim.NewEngine(), space, hits{}, 64)
	if err != nil {
		t.Fatal(err)
	}
	at := sim.Time(0)
	allocations := func(n int) float64 {
		args := isa.Args(a, sum, n)
		return testing.AllocsPerRun(3, func() {
			if at, err = m.Run(p, m.config.Threads, at, args); err != nil {
				t.Fatal(err)
			}
		})
	}
	few, many := allocations(10), allocations(20_000)
	if many > few+4 {
		t.Errorf("%g allocations for a long run, %g for a short one", many, few)
	}
}
