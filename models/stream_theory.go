package models

import (
	"heddle/arch/net"
	"heddle/sim"
)

// StreamTheoryConfig is TheoryConfig for machines of kind stream: what is
// published of a whole machine and follows from its parts by a closed formula.
type StreamTheoryConfig struct {
	Memory            *Stated[sim.Bytes]     `yaml:"memory" doc:"memory that arrays may take"`
	SaturatingStreams *StatedStreams         `yaml:"saturating_streams" doc:"streams with which a processor issues every cycle, without memory operations"`
	F64Peak           *StatedFlops           `yaml:"f64_peak" doc:"double precision operations, two a multiply-add and one in the control unit"`
	MeanHops          *StatedHops            `yaml:"mean_hops" doc:"hops to a module drawn at random"`
	UnloadedLatency   *Stated[sim.Cycles]    `yaml:"unloaded_latency" doc:"of a load from DRAM on an idle machine, averaged over modules"`
	LoadedLatency     *Stated[sim.Cycles]    `yaml:"loaded_latency" doc:"of a load at the sustained rate, averaged"`
	MemoryPeak        *Stated[sim.Bandwidth] `yaml:"memory_peak" doc:"words of all processors at their sustained rate"`
	WordsInFlight     *StatedWords           `yaml:"words_in_flight" doc:"words that a processor must have in flight to reach its rate"`
	ModuleDRAMPeak    *Stated[sim.Bandwidth] `yaml:"module_dram_peak" doc:"data pins of a module"`
	HotWord           *Stated[sim.Cycles]    `yaml:"hot_word" doc:"between atomic operations of all processors on one word"`
}

// StatedStreams, StatedHops and StatedWords are Stated for numbers that are no
// quantities.
type (
	StatedStreams struct {
		Value float64 `yaml:"value" unit:"streams" doc:"the published figure"`
		tolerance
	}
	StatedHops struct {
		Value float64 `yaml:"value" unit:"hops" doc:"the published figure"`
		tolerance
	}
	StatedWords struct {
		Value float64 `yaml:"value" unit:"words" doc:"the published figure"`
		tolerance
	}
)

// streamLaws has a law for each key of StreamTheoryConfig.
var streamLaws = map[string]law[StreamDescription]{
	"memory":             {"processors and memory.per_processor", func(s *StreamDescription) float64 { return float64(s.Processors) * float64(s.Memory.PerProcessor) }},
	"saturating_streams": {"pipeline", func(s *StreamDescription) float64 { return float64(s.Pipeline) }},
	"f64_peak":           {"processors, clock and word.packed", (*StreamDescription).flops},
	"mean_hops":          {"processors", func(s *StreamDescription) float64 { return net.NewTorus(s.Network, s.Processors).MeanHops() }},
	"unloaded_latency":   {"memory_unit, network and module", func(s *StreamDescription) float64 { return s.cycles(s.Unloaded(false)) }},
	"loaded_latency":     {"memory_unit, whose queue is full, network and module", (*StreamDescription).loadedLatency},
	"memory_peak":        {"processors and memory_unit.bandwidth", func(s *StreamDescription) float64 { return float64(s.Peak()) }},
	"words_in_flight":    {"by Little's law, memory_unit, network and module", func(s *StreamDescription) float64 { return s.InFlight() }},
	"module_dram_peak":   {"module.dram.clock, data_rate and bus", func(s *StreamDescription) float64 { return float64(s.Module.DRAM.Peak()) }},
	"hot_word":           {"module.word_interval and interval", func(s *StreamDescription) float64 { return float64(max(s.Module.WordInterval, s.Module.Interval)) }},
}

// cycles returns t in cycles of the processors.
func (s *StreamDescription) cycles(t sim.Time) float64 { return t.Seconds() * float64(s.Clock) }

// flops is that of words with a multiply-add in the arithmetic unit and an add
// in the control unit, in 10^9 a second.
func (s *StreamDescription) flops() float64 {
	a := 3.0
	if !s.Word.Packed {
		a = 2
	}
	return a * float64(s.Processors) * float64(s.Clock) / 1e9
}

// loadedLatency adds the memory unit's queue, which is full when a processor
// sends as fast as it can, to the unloaded latency. Modules add a little, as
// words come to them at random.
func (s *StreamDescription) loadedLatency() float64 {
	return s.cycles(s.Unloaded(false) + sim.Time(s.MemoryUnit.Queue-1)*s.WordInterval())
}

// streamTheory returns the checks of a stream machine's description, and the
// keys that it states but cannot have: none.
func streamTheory(d *Description) (checks []Check, baseless []string, err error) {
	var s StreamDescription
	if err := d.Decode(&s); err != nil {
		return nil, nil, err
	}
	checks, baseless = hold(d, &s, s.Theory, streamLaws)
	return checks, baseless, nil
}
