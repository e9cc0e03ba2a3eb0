package mem

import (
	"testing"

	"heddle/sim"

	"pgregory.net/rapid"
)

// A cache that is touched holds what one holds that is accessed so slowly that
// each access is over before the next.
func TestTouchedLikeAccessed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := small()
		cfg.Ways = rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "ways")
		cfg.Replacement = rapid.SampledFrom([]string{"lru", "fifo"}).Draw(t, "replacement")
		cfg.Write = rapid.SampledFrom([]string{"write-back", "write-through"}).Draw(t, "write")
		cfg.WriteAllocate = rapid.Bool().Draw(t, "allocate")
		cfg.WriteHit = rapid.SampledFrom([]string{"update", "evict"}).Draw(t, "hit")
		if cfg.Write == "write-back" {
			cfg.WriteHit = "update"
		}
		below := &fixed{latency: 100 * cycle}
		var pair [2]*Cache
		for i := range pair {
			c, err := NewCache("c", cfg, ns1, below)
			if err != nil {
				t.Fatal(err)
			}
			pair[i] = c
		}
		const top = 4096
		for i := range rapid.IntRange(1, 80).Draw(t, "accesses") {
			a := Access{
				Addr: uint64(rapid.IntRange(0, top/32-1).Draw(t, "sector")) * 32, Size: 32,
				Kind: rapid.SampledFrom([]Kind{Read, Write, Atomic}).Draw(t, "kind"),
			}
			at := sim.Time(i) * 10_000 * cycle
			pair[0].Access(at, a)
			sent := len(below.seen)
			pair[1].Touch(at, a)
			if len(below.seen) != sent {
				t.Fatal("touching went below")
			}
		}
		for addr := uint64(0); addr < top; addr += 32 {
			held, dirty := pair[0].Holds(addr)
			touched, marked := pair[1].Holds(addr)
			if held != touched || dirty != marked {
				t.Fatalf("address %d: held %t, dirty %t when accessed; %t, %t when touched", addr, held, dirty, touched, marked)
			}
		}
		if s := pair[1].Stats(); s.Accesses() != 0 {
			t.Fatalf("touching was counted: %+v", s)
		}
	})
}
