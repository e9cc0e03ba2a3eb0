package simt

import (
	"strings"
	"testing"

	"heddle/arch/mem"
	"heddle/sim"
)

// Keys that do not fit each other are refused, all at once, each by its name.
func TestConfigFaults(t *testing.T) {
	if c := round(); c.Validate() != nil {
		t.Fatalf("the round description: %v", c.Validate())
	}
	faults := map[string]func(*Config){
		"launch.block_size: 2048 threads":                    func(c *Config) { c.Launch.BlockSize = 2048 },
		"occupancy.warps: 32 is not a multiple":              func(c *Config) { c.Scheduler.Count = 3 },
		"occupancy.warps: 65 is more than 64":                func(c *Config) { c.Occupancy.Warps = 65 },
		"load_store.coalescing: segments needs l1.enabled":   func(c *Config) { c.LoadStore.Coalescing = "segments" },
		"dram.interleave: 256 bytes is not a multiple of l2": func(c *Config) { c.L2.Slice.Line = 512 },
		"l2.0: size: 100 bytes is not a multiple":            func(c *Config) { c.L2.Slice.Size = 100 },
		"cache l1.0: ways: 0 is less than 1":                 func(c *Config) { c.L1.Ways = 0 },
		"DRAM dram0: banks: 3 is not a power of two":         func(c *Config) { c.DRAM.Banks = 3 },
	}
	for want, change := range faults {
		_, err := New(with(change), sim.NewEngine(), mem.NewSpace(1<<20))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	c := with(func(c *Config) { c.Launch.BlockSize, c.Scheduler.Count, c.LoadStore.Coalescing = 2048, 3, "segments" })
	if n := strings.Count(c.Validate().Error(), "\n") + 1; n != 3 {
		t.Errorf("%d faults reported, want all 3:\n%v", n, c.Validate())
	}
}
