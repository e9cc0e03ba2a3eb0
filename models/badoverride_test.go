package models

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestBadOverrides takes slips of the pen on the command line, and what they
// are told.
func TestBadOverrides(t *testing.T) {
	for _, c := range []struct{ machine, set, want string }{
		// Unknown keys.
		{"tesla-c2050", "l1.siez=16 KiB", "--set l1.siez: unknown key: nearest is l1.size"},
		{"tesla-c2050", "dram.tCas=12 cycles", "--set dram.tCas: unknown key: nearest is dram.tRAS"},
		{"tesla-c2050", "sm=14", "--set sm: unknown key: nearest is sms"},
		{"tesla-c2050", "theory.dram.peak=1 GB/s", "--set theory.dram.peak: unknown key: nearest is theory.dram_peak"},
		{"functional", "sms=2", "--set sms: unknown key: known here are kind, title, warp_width, block_size, full_empty, memory"},
		// Units and forms.
		{"tesla-c2050", "clock=1.15", `--set clock: "1.15" is not a frequency: a number with Hz, kHz, MHz or GHz`},
		{"tesla-c2050", "l1.size=16 KB/s", `--set l1.size: "16 KB/s" is not a size: a number with B, KB, KiB, MB, MiB, GB, GiB, TB or TiB`},
		{"tesla-c2050", "dram.tCL=12 ns", `--set dram.tCL: "12 ns" is not a number of cycles: a number with cycles`},
		{"tesla-c2050", "host.launch=4", `--set host.launch: "4" is not a time: a number with fs, ps, ns, us, ms or s`},
		{"tesla-c2050", "sms=14.5", `--set sms: "14.5" is not a whole number`},
		{"tesla-c2050", "l1.enabled=maybe", `--set l1.enabled: "maybe" is not true, false, on or off`},
		{"tesla-c2050", "l1=16 KiB", `--set l1: a section with enabled, size, ways, line, sector, index, replacement, write, write_allocate, write_hit, banks, hit_latency, bank_interval, mshrs, merges is wanted, not "16 KiB"`},
		{"tesla-c2050", "theory.f32_peak.value=1 Tflop/s", `--set theory.f32_peak.value: "1 Tflop/s" is not a number of Gflop/s`},
		// Ranges and choices.
		{"tesla-c2050", "sms=0", "--set sms: 0 is out of range 1..1024"},
		{"tesla-c2050", "warp_width=65", "--set warp_width: 65 is out of range 1..64"},
		{"tesla-c2050", "clock=11 GHz", "--set clock: 11 GHz is out of range 1 MHz..10 GHz"},
		{"tesla-c2050", "l1.hit_latency=-1 cycles", `--set l1.hit_latency: "-1 cycles" is negative`},
		{"tesla-c2050", "scheduler.policy=gtoo", `--set scheduler.policy: "gtoo" is not lrr or gto: nearest is gto`},
		{"tesla-c2050", "kind=tube", `--set kind: "tube" is not one of ` + strings.Join(slices.Sorted(maps.Keys(families())), ", ")},
		{"tesla-c2050", "kind=functional", "--set kind: a machine of kind simt cannot become one of kind functional: its keys are others"},
		{"tesla-c2050", "dram.ecc.overhead=1.5", "--set dram.ecc.overhead: 1.5 is out of range 0..1"},
		{"functional", "memory.capacity=1 KiB", "--set memory.capacity: 1 KiB is out of range 1 MiB..1024 TiB"},
		// Keys that do not fit together.
		{"tesla-c2050", "l1.size=47 KiB", `
--set l1.size: 48128 bytes is not a multiple of ways x line = 768 bytes
tesla-c2050.yaml:LINE: l1.index: xor needs a power of two of sets, not 62`},
		{"tesla-c2050", "l1.line=96 B", `
--set l1.line: 96 bytes is not a power of two
tesla-c2050.yaml:LINE: l1.size: 49152 bytes is not a multiple of ways x line = 576 bytes
tesla-c2050.yaml:LINE: l1.sector: 128 bytes is not a power of two from line/32 to line (96 bytes)
tesla-c2050.yaml:LINE: l1.index: xor needs a power of two of sets, not 85
tesla-c2050.yaml:LINE: dram.interleave: 256 B is not a multiple of what SMs ask for at once, 96 B`},
		{"tesla-c2050", "l1.line=512 B", `
tesla-c2050.yaml:LINE: dram.interleave: 256 B is not a multiple of what SMs ask for at once, 512 B`},
		{"tesla-c2050", "l1.size=36 KiB", "tesla-c2050.yaml:LINE: l1.index: xor needs a power of two of sets, not 48"},
		{"tesla-c2050", "l2.slice.sector=256 B", "--set l2.slice.sector: 256 bytes is not a power of two from line/32 to line (128 bytes)"},
		{"tesla-c2050", "dram.banks=12", "--set dram.banks: 12 is not a power of two"},
		{"tesla-c2050", "dram.interleave=64 B", "--set dram.interleave: 64 B is not a multiple of l2.slice.line, 128 B"},
		{"tesla-c2050", "dram.tREFI=40 cycles", "tesla-c2050.yaml:LINE: dram.tRFC: 49 cycles is not less than tREFI (40)"},
		{"tesla-c2050", "launch.block_size=2048", "--set launch.block_size: 2048 threads is more than occupancy.block_threads, 1024"},
		{"tesla-c2050", "load_store.coalescing=segments", "--set load_store.coalescing: segments needs l1.enabled: false, for its GPUs do not cache global memory"},
		{"tesla-c2050", "l2.atomic_granule=12 B", "--set l2.atomic_granule: 12 B is not a power of two"},
		{"tesla-c2050", "dram.clock=0 Hz", "--set dram.clock: 0 Hz is not positive"},
		{"tesla-c2050", "dram.clock=11 GHz", "--set dram.clock: 11 GHz is out of range 1 MHz..10 GHz"},
		{"tesla-c2050", "dram.controller_latency=1 s", "--set dram.controller_latency: 1 s is more than 1 ms"},
		// What no host holds.
		{"tesla-c2050", "l2.slice.size=1 TiB", "--set l2.slice.size: 103079215104 lines of L2 in all: at most 67108864 can be simulated"},
		{"tesla-c2050", "l2.slices_per_channel=342", "--set l2.slices_per_channel: 342 is out of range 1..64"},
		{"tesla-c2050", "dram={channels: 1024, bank_groups: 16}", "--set dram.bank_groups: 16384 bank groups in all: at most 4096 can be simulated"},
		{"tesla-c2050", "dram={channels: 1024, banks: 256, ranks: 2, bank_groups: 2}", "--set dram.banks: 524288 banks in all: at most 262144 can be simulated"},
	} {
		t.Run(c.machine+" "+c.set, func(t *testing.T) {
			_, err := Build(builtin(t, c.machine, c.set), Options{})
			wantError(t, err, withLines(t, c.machine, c.want))
		})
	}
}

// withLines puts the line at which the machine's file has the key of a message
// in the place of LINE.
func withLines(t *testing.T, machine, messages string) string {
	lines := strings.Split(strings.TrimSpace(messages), "\n")
	for i, message := range lines {
		before, after, ok := strings.Cut(message, "LINE: ")
		if !ok {
			continue
		}
		key, _, _ := strings.Cut(after, ":")
		for _, s := range builtin(t, machine).Sources() {
			if s.Path == key {
				lines[i] = fmt.Sprintf("%s%d: %s", before, s.Line, after)
			}
		}
	}
	return strings.Join(lines, "\n")
}
