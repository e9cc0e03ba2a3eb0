package models

import (
	"heddle/arch/isa"
	"heddle/sim"
)

// gpuMicrobenchmarks are the figures of TheoryConfig that programs can measure,
// and how near a simulation must come: latencies exactly but for the clocks'
// edges, rates as near as a program of finite length can.
var gpuMicrobenchmarks = []microbenchmark[*gpuBench]{
	{"f32_peak", 0.03, func(b *gpuBench) float64 { return b.flops(isa.F32) }},
	{"f64_peak", 0.03, func(b *gpuBench) float64 { return b.flops(isa.F64) }},
	{"l1_latency", 0.03, (*gpuBench).l1Latency},
	{"l2_latency", 0.03, (*gpuBench).l2Latency},
	{"dram_latency", 0.03, (*gpuBench).dramLatency},
	{"l2_bandwidth", 0.2, (*gpuBench).l2Bandwidth}, // a peak: loads meet at some slices and leave others idle
	{"dram_read", 0.15, (*gpuBench).dramRead},      // by unloaded latencies: under load they grow
	{"atomic_same_address", 0.03, (*gpuBench).atomicSameAddress},
	{"launch", 0.03, func(b *gpuBench) float64 { return b.empty() }},
	{"copy", 0.03, (*gpuBench).copy},
}

// gpuBench is a bench for a GPU.
type gpuBench struct {
	bench
	gpu GPUDescription
}

// resident returns the threads that fill the GPU.
func (b *gpuBench) resident() int { return b.gpu.SMs * int(b.gpu.residentThreads()) }

// l1Latency chases through half of L1.
func (b *gpuBench) l1Latency() float64 { return b.chase(b.gpu.L1.Size/2, b.gpu.L1.Line, true) }

// l2Latency chases through what fits in L2 and is too much for L1.
func (b *gpuBench) l2Latency() float64 {
	line := max(b.gpu.L1.Line, b.gpu.L2.Slice.Line)
	size := min(sim.Bytes(b.gpu.l2Size())/2, max(4*b.gpu.L1.Size, 2*longChain*line))
	return b.chase(size, line, true)
}

// dramLatency chases through memory that no load has touched, each load in
// another row and channel.
func (b *gpuBench) dramLatency() float64 {
	d := &b.gpu.DRAM
	stride := sim.Bytes(d.Channels)*max(d.RowBytes, d.Interleave) + d.Interleave
	return b.chase(stride*(shortChain+longChain+1), stride, false)
}

// l2Bandwidth makes all threads load from places that are in L2 and, as the
// loads of an SM lie far apart, not in its L1.
func (b *gpuBench) l2Bandwidth() float64 {
	words := 1 // of half of L2, rounded down to a power of two
	for sim.Bytes(words)*16*2 <= min(sim.Bytes(b.gpu.l2Size()), longestRing) {
		words *= 2
	}
	b.fresh()
	data := b.adopt("data", make([]float64, words))
	out := b.alloc("out", isa.F64, b.resident())
	b.run(sum(), b.resident(), data, out, words) // brings it in
	before := b.fromL2(data)
	short := b.run(hop(shortHops, words), b.resident(), data, out)
	between := b.fromL2(data)
	long := b.run(hop(longHops, words), b.resident(), data, out)
	after := b.fromL2(data)
	bytes := (after - between) - (between - before)
	return float64(bytes) / (long - short).Seconds()
}

// fromL2 returns the bytes of a that the SMs have read from L2 so far.
func (b *gpuBench) fromL2(a isa.Array) sim.Bytes {
	if b.err != nil {
		return 0
	}
	for _, t := range b.Report().Arrays {
		if t.Name == a.Name && b.gpu.L1.Enabled {
			return t.Levels[0].Fetched
		} else if t.Name == a.Name {
			return t.Moved
		}
	}
	return 0
}

// dramRead reads a long array once.
func (b *gpuBench) dramRead() float64 {
	const n = 1 << 20 // many times what L2 holds
	b.fresh()
	data := b.adopt("data", make([]float64, n))
	out := b.alloc("out", isa.F64, b.resident())
	return n * 8 / b.run(sum(), b.resident(), data, out, n).Seconds()
}

// atomicSameAddress makes all threads add to one word.
func (b *gpuBench) atomicSameAddress() float64 {
	b.fresh()
	word := b.alloc("word", isa.I64, 1)
	short := b.run(count(1), b.resident(), word)
	long := b.run(count(4), b.resident(), word)
	return b.cycles(long-short) / float64(3*b.resident())
}

// flops runs chains of multiply-adds on every resident thread.
func (b *gpuBench) flops(t isa.Type) float64 {
	b.fresh()
	out := b.alloc("out", t, b.resident())
	short := b.run(multiplyAdd(t, shortChain), b.resident(), out)
	long := b.run(multiplyAdd(t, shortChain+128), b.resident(), out)
	return 2 * 128 * float64(b.resident()) / (long - short).Seconds() / 1e9
}

// copy times a copy of 64 MiB to the device.
func (b *gpuBench) copy() float64 {
	const size = 64 << 20
	b.fresh()
	b.adopt("data", make([]uint8, size))
	if b.err != nil {
		return 0
	}
	b.Start()
	return size / b.Report().Upload.Seconds()
}
