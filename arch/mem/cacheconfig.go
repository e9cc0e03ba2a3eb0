package mem

import (
	"errors"
	"fmt"

	"heddle/sim"
)

// CacheConfig describes a cache.
type CacheConfig struct {
	Enabled       bool       `yaml:"enabled" doc:"false: every access goes straight to the level below"`
	Size          sim.Bytes  `yaml:"size" range:"1 B..1099511627776 B" doc:"capacity; a multiple of ways x line"`
	Ways          int        `yaml:"ways" range:"1..1024" doc:"associativity"`
	Line          sim.Bytes  `yaml:"line" range:"4 B..4096 B" doc:"bytes that share a tag; a power of two"`
	Sector        sim.Bytes  `yaml:"sector" range:"4 B..4096 B" doc:"bytes fetched by a miss; a power of two, at most line, at least line/32"`
	Index         string     `yaml:"index" oneof:"modulo xor" doc:"set of a line: its number modulo the sets, or, of a power of two of sets, all its bits folded by xor"`
	Replacement   string     `yaml:"replacement" oneof:"lru fifo random plru" doc:"which line a fill replaces; plru (tree) needs a power of two of ways"`
	Write         string     `yaml:"write" oneof:"write-through write-back" doc:"a write-through cache sends writes and atomics below; a write-back one performs them"`
	WriteAllocate bool       `yaml:"write_allocate" doc:"a write that misses brings its line in"`
	WriteHit      string     `yaml:"write_hit" oneof:"update evict" doc:"what a write-through cache does with its copy when it is written"`
	Banks         int        `yaml:"banks" range:"1..1024" doc:"lines are interleaved over the banks"`
	HitLatency    sim.Cycles `yaml:"hit_latency" range:"0 cycles..10000 cycles" doc:"from the bank taking an access to data; a miss goes below after as long"`
	BankInterval  sim.Cycles `yaml:"bank_interval" range:"0 cycles..10000 cycles" doc:"between accesses that one bank takes"`
	MSHRs         int        `yaml:"mshrs" range:"1..65536" doc:"misses in flight"`
	Merges        int        `yaml:"merges" range:"0..32767" doc:"later accesses that can wait on one miss; more of them look the line up again when it is there"`
}

// Validate returns what relates wrongly in c, one error a fault, each of which
// begins with the key at fault.
func (c CacheConfig) Validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	positive := true
	for _, f := range []struct {
		key   string
		value int64
	}{{"size", int64(c.Size)}, {"ways", int64(c.Ways)}, {"line", int64(c.Line)}, {"sector", int64(c.Sector)},
		{"banks", int64(c.Banks)}, {"mshrs", int64(c.MSHRs)}} {
		if f.value < 1 {
			fault("%s: %d is less than 1", f.key, f.value)
			positive = false
		}
	}
	if positive {
		if !powerOfTwo(int64(c.Line)) {
			fault("line: %d bytes is not a power of two", c.Line)
		}
		if !powerOfTwo(int64(c.Sector)) || c.Sector > c.Line || c.Sector*32 < c.Line {
			fault("sector: %d bytes is not a power of two from line/32 to line (%d bytes)", c.Sector, c.Line)
		}
		if set := c.Line * sim.Bytes(c.Ways); c.Size%set != 0 {
			fault("size: %d bytes is not a multiple of ways x line = %d bytes", c.Size, set)
		}
		if sets := int64(c.Size / c.Line / sim.Bytes(c.Ways)); c.Index == "xor" && !powerOfTwo(sets) {
			fault("index: xor needs a power of two of sets, not %d", sets)
		}
		if c.Replacement == "plru" && (!powerOfTwo(int64(c.Ways)) || c.Ways > 64) {
			fault("replacement: plru needs a power of two of at most 64 ways, not %d", c.Ways)
		}
	}
	if c.Merges < 0 || c.Merges > 32767 {
		fault("merges: %d is not in 0..32767", c.Merges)
	}
	if c.HitLatency < 0 {
		fault("hit_latency: %d is negative", c.HitLatency)
	}
	if c.BankInterval < 0 {
		fault("bank_interval: %d is negative", c.BankInterval)
	}
	for _, f := range []struct {
		key, value string
		allowed    [4]string
	}{
		{"index", c.Index, [4]string{"modulo", "xor"}},
		{"replacement", c.Replacement, [4]string{"lru", "fifo", "random", "plru"}},
		{"write", c.Write, [4]string{"write-through", "write-back"}},
		{"write_hit", c.WriteHit, [4]string{"update", "evict"}},
	} {
		if err := oneOf(f.key, f.value, f.allowed[:]...); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// oneOf returns an error unless value is one of the non-empty words allowed.
func oneOf(key, value string, allowed ...string) error {
	list := ""
	for _, w := range allowed {
		if w == "" {
			continue
		}
		if w == value {
			return nil
		}
		if list != "" {
			list += ", "
		}
		list += w
	}
	return fmt.Errorf("%s: %q is not one of %s", key, value, list)
}

func powerOfTwo(n int64) bool { return n > 0 && n&(n-1) == 0 }
