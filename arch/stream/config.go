// Package stream is the Cray XMT: multithreaded processors that issue one
// instruction a cycle from any of their streams, and memory without caches,
// hashed over the nodes of a torus, with a full/empty bit a word.
package stream

import (
	"errors"
	"fmt"

	"heddle/arch/mem"
	"heddle/arch/net"
	"heddle/sim"
)

// Config describes a machine of Threadstorm processors. Latencies and
// intervals are in cycles of the processors' clock.
type Config struct {
	Clock      sim.Frequency    `yaml:"clock" range:"1 MHz..10 GHz" doc:"clock of the processors"`
	Processors int              `yaml:"processors" range:"1..8192" doc:"processors, each with a memory module"`
	Streams    int              `yaml:"streams" range:"1..1024" doc:"hardware streams of a processor"`
	Pipeline   sim.Cycles       `yaml:"pipeline" range:"1 cycle..1000 cycles" doc:"from an instruction of a stream to its next, whose operands it may write"`
	Lookahead  int              `yaml:"lookahead" range:"1..8" doc:"instructions of a stream in flight: the memory operation of one this many before must be done; so also the most memory operations of a stream in flight"`
	Word       WordConfig       `yaml:"word" doc:"how instructions are packed from a program's operations"`
	MemoryUnit MemoryUnitConfig `yaml:"memory_unit" doc:"a processor's way to the network"`
	Cache      mem.CacheConfig  `yaml:"cache" doc:"data cache of a processor, kept coherent at no cost; the XMT has none"`
	Network    net.TorusConfig  `yaml:"network" doc:"torus between the nodes"`
	Module     ModuleConfig     `yaml:"module" doc:"memory of a node"`
	FullEmpty  FullEmptyConfig  `yaml:"full_empty" doc:"synchronised memory operations"`
	Launch     LaunchConfig     `yaml:"launch" doc:"parallel regions"`
}

// WordConfig describes the instructions, each a long word of at most one
// operation for the memory unit, one for the arithmetic unit and one for the
// control unit, which also does simple arithmetic.
type WordConfig struct {
	Packed  bool `yaml:"packed" doc:"false: every operation is an instruction of its own"`
	Divide  int  `yaml:"divide" range:"1..1000" doc:"instructions of an integer divide"`
	Special int  `yaml:"special" range:"1..1000" doc:"instructions of a floating divide or square root"`
}

// MemoryUnitConfig describes the memory unit of a processor.
type MemoryUnitConfig struct {
	Latency   sim.Cycles    `yaml:"latency" range:"0 cycles..10000 cycles" doc:"from issue to the network, both ways together"`
	Bandwidth sim.Bandwidth `yaml:"bandwidth" range:"1 MB/s..1 TB/s" doc:"words of 8 bytes that a processor sends or asks for, sustained"`
	Queue     int           `yaml:"queue" range:"1..65536" doc:"operations issued and not yet sent; with more, streams wait"`
}

// ModuleConfig describes the memory of a node.
type ModuleConfig struct {
	Block        sim.Bytes       `yaml:"block" range:"8 B..4 KiB" doc:"adjacent bytes in one module; the blocks are hashed over all modules"`
	Interval     sim.Cycles      `yaml:"interval" range:"1 cycle..10000 cycles" doc:"between two operations of a module"`
	WordInterval sim.Cycles      `yaml:"word_interval" range:"1 cycle..10000 cycles" doc:"between two atomic or synchronised operations on one word"`
	Buffer       mem.CacheConfig `yaml:"buffer" doc:"memory-side data buffer, at the processors' clock"`
	DRAM         mem.DRAMConfig  `yaml:"dram" doc:"behind the buffer"`
}

// FullEmptyConfig describes synchronised operations, which wait for a word to
// be full or empty.
type FullEmptyConfig struct {
	Enabled bool       `yaml:"enabled" doc:"words have full/empty bits"`
	Retry   sim.Cycles `yaml:"retry" range:"1 cycle..1000000 cycles" doc:"from the return of an operation that failed to its next try, by the memory unit"`
	Limit   int        `yaml:"limit" range:"1..1000000" doc:"tries of an operation, after which a trap parks the thread on the word"`
	Trap    sim.Cycles `yaml:"trap" range:"0 cycles..1000000 cycles" doc:"from a word's change until a thread parked on it tries again"`
}

// LaunchConfig describes how parallel regions begin.
type LaunchConfig struct {
	Streams int        `yaml:"streams" range:"1..1024" doc:"streams of each processor that a region uses"`
	Region  sim.Time   `yaml:"region" range:"0 ns..10 ms" doc:"to enter a parallel region, before its first stream is created"`
	Create  sim.Cycles `yaml:"create" range:"0 cycles..100000 cycles" doc:"between two streams that a processor creates"`
	Barrier sim.Cycles `yaml:"barrier" range:"0 cycles..1000000 cycles" doc:"from the last arrival at a barrier of all threads until they go on"`
}

// Validate returns the relations between keys that do not hold, one error a
// fault, each of which begins with the key at fault.
func (c *Config) Validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Launch.Streams > c.Streams {
		fault("launch.streams: %d is more than streams, %d", c.Launch.Streams, c.Streams)
	}
	if b := c.Module.Block; b&(b-1) != 0 {
		fault("module.block: %d bytes is not a power of two", b)
	}
	if c.Module.Buffer.Enabled && c.Module.Buffer.Line != c.Module.Block {
		fault("module.buffer.line: %d bytes, but module.block has %d", c.Module.Buffer.Line, c.Module.Block)
	}
	if c.Module.DRAM.Channels != 1 {
		fault("module.dram.channels: %d, but a module has 1", c.Module.DRAM.Channels)
	}
	return errors.Join(errs...)
}

// wordBytes is what a memory operation moves, whatever it asks for.
const wordBytes = 8

// WordInterval returns the time between two words of a processor at the
// sustained rate.
func (c *Config) WordInterval() sim.Time { return c.MemoryUnit.Bandwidth.TimeFor(wordBytes) }

// Peak returns the words' bandwidth of the whole machine.
func (c *Config) Peak() sim.Bandwidth {
	return sim.Bandwidth(float64(c.Processors)) * c.MemoryUnit.Bandwidth
}

// Unloaded returns the time from the issue of a load to its data on an idle
// machine, averaged over modules: the memory unit, putting the word on the
// network, the network both ways, the lookup in the module's buffer and, if
// buffered is false, its DRAM.
func (c *Config) Unloaded(buffered bool) sim.Time {
	clock := sim.NewClock(c.Clock)
	t := clock.Span(c.MemoryUnit.Latency) + c.WordInterval() +
		2*net.NewTorus(c.Network, c.Processors).MeanLatency()
	if c.Module.Buffer.Enabled {
		t += clock.Span(c.Module.Buffer.HitLatency)
	}
	if !buffered || !c.Module.Buffer.Enabled {
		t += c.Module.DRAM.Unloaded()
	}
	return t
}

// InFlight returns the words that a processor must have in flight to reach its
// bandwidth at the unloaded latency of DRAM, by Little's law.
func (c *Config) InFlight() float64 { return float64(c.Unloaded(false)) / float64(c.WordInterval()) }
