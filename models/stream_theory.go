package models

import (
	"math"
	"reflect"

	"heddle/arch/net"
	"heddle/sim"
)

// StreamTheoryConfig is TheoryConfig for machines of kind stream: what is
// published of a whole machine and follows from its parts by a closed formula.
type StreamTheoryConfig struct {
	Memory         *Stated[sim.Bytes]     `yaml:"memory" doc:"memory that arrays may take"`
	HopsMean       *StatedHops            `yaml:"mean_hops" doc:"hops to a module drawn at random"`
	Flops          *StatedFlops           `yaml:"f64_peak" doc:"double precision operations, two a multiply-add and one in the control unit"`
	Latency        *Stated[sim.Cycles]    `yaml:"unloaded_latency" doc:"of a load from DRAM on an idle machine, averaged over modules"`
	Bandwidth      *Stated[sim.Bandwidth] `yaml:"memory_peak" doc:"words of all processors at their sustained rate"`
	DRAMPeak       *Stated[sim.Bandwidth] `yaml:"module_dram_peak" doc:"data pins of a module"`
	InFlight       *StatedWords           `yaml:"words_in_flight" doc:"words that a processor must have in flight to reach its rate, by Little's law"`
	WordRate       *Stated[sim.Cycles]    `yaml:"hot_word" doc:"between atomic operations on one word"`
	SaturateThread *StatedThreads         `yaml:"saturating_threads" doc:"streams that issue every cycle without memory operations"`
}

// StatedHops and StatedWords are Stated for numbers that are no quantities.
type (
	StatedHops struct {
		Value float64 `yaml:"value" unit:"hops" doc:"the published figure"`
		tolerance
	}
	StatedWords struct {
		Value float64 `yaml:"value" unit:"words" doc:"the published figure"`
		tolerance
	}
)

// streamLaws has a law for each key of StreamTheoryConfig, in base units.
var streamLaws = map[string]struct {
	formula string
	implied func(s *StreamDescription) float64
}{
	"memory":    {"processors and memory.per_processor", func(s *StreamDescription) float64 { return float64(s.Processors) * float64(s.Memory.PerProcessor) }},
	"mean_hops": {"processors", func(s *StreamDescription) float64 { return net.NewTorus(s.Network, s.Processors).MeanHops() }},
	"f64_peak": {"processors and clock", func(s *StreamDescription) float64 {
		return 3 * float64(s.Processors) * float64(s.Clock) / 1e9
	}},
	"unloaded_latency": {"memory_unit, network and module", func(s *StreamDescription) float64 {
		return s.Unloaded(false).Seconds() * float64(s.Clock)
	}},
	"memory_peak":        {"processors and memory_unit.bandwidth", func(s *StreamDescription) float64 { return float64(s.Peak()) }},
	"module_dram_peak":   {"module.dram.clock, data_rate and bus", func(s *StreamDescription) float64 { return float64(s.Module.DRAM.Peak()) }},
	"words_in_flight":    {"memory_unit, network and module", func(s *StreamDescription) float64 { return s.InFlight() }},
	"hot_word":           {"module.word_interval", func(s *StreamDescription) float64 { return float64(s.Module.WordInterval) }},
	"saturating_threads": {"pipeline", func(s *StreamDescription) float64 { return float64(s.Pipeline) }},
}

// streamTheory returns the checks of a stream machine's description.
func streamTheory(d *Description) (checks []Check, baseless []string, err error) {
	var s StreamDescription
	if err := d.Decode(&s); err != nil {
		return nil, nil, err
	}
	sources := map[string]Source{}
	for _, source := range d.Sources() {
		sources[source.Path] = source
	}
	var stated reflect.Value
	if s.Theory != nil {
		stated = reflect.ValueOf(s.Theory).Elem()
	}
	for i, f := range reflect.VisibleFields(reflect.TypeFor[StreamTheoryConfig]()) {
		key := f.Tag.Get("yaml")
		law := streamLaws[key]
		value, _ := f.Type.Elem().FieldByName("Value")
		unit := figureUnit(value)
		scale := unitScale(unit)
		c := Check{
			Key: key, Meaning: f.Tag.Get("doc"), Formula: law.formula, Unit: unit,
			Implied: law.implied(&s) / scale, Stated: math.NaN(),
		}
		if stated.IsValid() && !stated.Field(i).IsNil() {
			figure := stated.Field(i).Elem()
			v := figure.FieldByIndex(value.Index)
			if v.CanInt() {
				c.Stated = float64(v.Int()) / scale
			} else {
				c.Stated = v.Float() / scale
			}
			c.Tolerance = figure.FieldByName("Tolerance").Float()
			c.Source = sources["theory."+key+".value"]
		}
		checks = append(checks, c)
	}
	return checks, nil, nil
}
