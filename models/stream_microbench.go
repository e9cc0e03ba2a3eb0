package models

import (
	"fmt"

	"heddle/arch/isa"
	"heddle/sim"
)

// streamMicrobenchmarks are the figures of StreamTheoryConfig that programs can
// measure, and how near a simulation must come.
var streamMicrobenchmarks = []microbenchmark[*streamBench]{
	{"saturating_streams", 0.01, (*streamBench).saturatingStreams},
	{"f64_peak", 0.03, (*streamBench).flops},
	{"unloaded_latency", 0.02, (*streamBench).unloadedLatency},
	{"loaded_latency", 0.1, (*streamBench).loadedLatency},
	{"memory_peak", 0.03, (*streamBench).memoryPeak},
	{"hot_word", 0.02, (*streamBench).hotWord},
}

// streamBench is a bench for a stream machine.
type streamBench struct {
	bench
	stream    StreamDescription
	full      float64     // cycles between two words of a processor with all streams
	scattered *sim.Values // metrics of scattered loads
}

// all returns the threads that a launch has at most.
func (b *streamBench) all() int { return b.stream.Processors * b.stream.Launch.Streams }

// words times two chains of n operations that depend each on the last, in
// cycles: n words of a multiply-add in the arithmetic unit and an addition in
// the control unit.
func (b *streamBench) words(n, threads int) float64 {
	p := isa.NewBuilder(fmt.Sprintf("words-%d", n))
	x, y := p.Var(1.0), p.Var(2.0)
	for range n {
		x, y = p.FMA(x, 1.5, 2.5), p.Add(y, 1.5)
	}
	return b.stream.cycles(b.run(p.MustBuild(), threads))
}

// perWord returns the cycles between two words of a processor with so many
// streams. The short chain is no longer while streams are still being created.
func (b *streamBench) perWord(streams int) float64 {
	const short, long = 110, 140
	threads := streams * b.stream.Processors
	b.fresh()
	return (b.words(long, threads) - b.words(short, threads)) / float64((long-short)*streams)
}

// perWordFull is perWord with all streams.
func (b *streamBench) perWordFull() float64 {
	if b.full == 0 {
		b.full = b.perWord(b.stream.Launch.Streams)
	}
	return b.full
}

// saturatingStreams compares a processor's only stream with all of them.
func (b *streamBench) saturatingStreams() float64 { return b.perWord(1) / b.perWordFull() }

func (b *streamBench) flops() float64 {
	const word = 3 // operations
	return word * float64(b.stream.Processors) / b.perWordFull() * float64(b.stream.Clock) / 1e9
}

// unloadedLatency makes one thread load from one block of each module, each
// time from where the last load says, and none touched before.
func (b *streamBench) unloadedLatency() float64 {
	n := b.stream.Processors
	stride := int(max(b.stream.Module.Block/8, 1))
	ring := make([]int64, (n+1)*stride)
	for i := 0; i < len(ring); i += stride {
		ring[i] = int64(i + stride)
	}
	chase := func(n int) float64 {
		p := isa.NewBuilder("chase")
		r, i := p.Array("ring", isa.I64), p.Var(0)
		for range n {
			i = p.Load(r, i)
		}
		p.Set(i, p.Mul(i, 3)) // waits for the last
		b.fresh()
		return b.stream.cycles(b.run(p.MustBuild(), 1, b.adopt("ring", ring)))
	}
	return (chase(n) - chase(0)) / float64(n)
}

// scatter makes every thread load words scattered over far more memory than
// the buffers hold, as many at a time as the lookahead lets, and returns a
// metric.
func (b *streamBench) scatter(metric string) float64 {
	if b.scattered == nil {
		b.scatterLoads()
	}
	if b.err != nil {
		return 0
	}
	x, _ := b.scattered.Get(metric)
	return x
}

func (b *streamBench) scatterLoads() {
	const words, loads = 1 << 24, 48
	b.fresh()
	data, out := b.alloc("data", isa.I64, words), b.alloc("out", isa.I64, b.all())
	p := isa.NewBuilder("scattered")
	from, to := p.Array("data", isa.I64), p.Array("out", isa.I64)
	at, sum := p.Mul(isa.ThreadID, 0x1f123bb5), p.Var(0)
	var values []isa.Reg
	for range loads {
		at = p.Add(at, 0x2545f491)
		if values = append(values, p.Load(from, p.And(at, words-1))); len(values) == 8 {
			for _, v := range values {
				sum = p.Add(sum, v)
			}
			values = values[:0]
		}
	}
	p.Store(to, isa.ThreadID, sum)
	b.run(p.MustBuild(), b.all(), data, out)
	if b.err == nil {
		b.scattered = b.Report().Metrics
	}
}

func (b *streamBench) loadedLatency() float64 { return b.scatter("memory_latency.mean") }

// memoryPeak is the rate while processors have threads, without the entry of
// the parallel region.
func (b *streamBench) memoryPeak() float64 {
	return b.scatter("memory_throughput") / b.scatter("processor_efficiency") * 100 * 1e9
}

// hotWord makes all threads add to one word.
func (b *streamBench) hotWord() float64 {
	b.fresh()
	word := b.alloc("word", isa.I64, 1)
	short := b.run(count(1), b.all(), word)
	long := b.run(count(4), b.all(), word)
	return b.stream.cycles(long-short) / float64(3*b.all())
}
