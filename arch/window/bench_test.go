package window

import (
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/arch/mem"
	"heddle/sim"
)

// near is a memory in which every access hits in L1.
type hits struct{}

func (hits) Port(int) Port                             { return hits{} }
func (hits) Advance(sim.Time)                          {}
func (hits) InL1(uint64) bool                          { return true }
func (hits) From() mem.Source                          { return mem.FromL1 }
func (hits) Access(at sim.Time, _ mem.Access) sim.Time { return at + hit*sim.Nanosecond }

// BenchmarkCore measures a core without a memory behind it, on a loop of a
// graph kernel's mix of instructions, beside the same loop without time.
func BenchmarkCore(b *testing.B) {
	p := isatest.Main(b, "param a i64[]\nparam n i64", "mov r0, 0", "mov r1, 0", "loop",
		"and r2, r0, 63", "ld.i64 r3, [$a + r2*8]", "xor r3, r3, r0", "and r4, r3, 63",
		"ld.i64 r5, [$a + r4*8]", "lt r6, r5, r1", "if r6", "add r1, r1, 3", "else", "add r1, r1, r4", "endif",
		"and r7, r3, 15", "eq r7, r7, 0", "if r7", "st.i64 [$a + r4*8], r1", "endif",
		"next", "add r0, r0, 1", "lt r8, r0, $n", "while r8")
	const n = 100_000
	setup := func() (*mem.Space, []isa.Value) {
		space := mem.NewSpace(1 << 20)
		a, err := space.Alloc("a", isa.I64, 64)
		if err != nil {
			b.Fatal(err)
		}
		return space, isa.Args(a, n)
	}
	b.Run("functional", func(b *testing.B) {
		space, args := setup()
		var done uint64
		for range b.N {
			w, err := isa.RunFunctional(isa.NewLaunch(p, space, 1, 1, 1, args), 0)
			if err != nil {
				b.Fatal(err)
			}
			done += w.Instructions
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(done), "ns/inst")
	})
	b.Run("window", func(b *testing.B) {
		space, args := setup()
		c := round()
		c.Core.Stations, c.Core.ROB, c.Core.LoadStore.StoreBuffer, c.Core.LoadStore.LoadBuffer = 36, 128, 32, 48
		c.Core.Units.Int.Ports = []int{0, 1, 5}
		c.Core.LoadStore.LoadPorts, c.Core.LoadStore.StorePorts, c.Core.LoadStore.DataPorts = []int{2}, []int{3}, []int{4}
		m, err := New(c, Topology{Sockets: 1, Dies: 1, Cores: 1}, sim.NewEngine(), space, hits{}, 64)
		if err != nil {
			b.Fatal(err)
		}
		at := sim.Time(0)
		for range b.N {
			if at, err = m.Run(p, m.config.Threads, at, args); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(m.Instructions()), "ns/inst")
		b.ReportMetric(float64(m.Instructions())/float64(m.Stats().Elapsed), "IPC")
	})
}
