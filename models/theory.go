package models

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"heddle/sim"
)

// TheoryConfig holds what is published of a whole machine and follows from its
// parts by a closed formula.
//
// Build refuses a description whose files contradict themselves: one whose
// parts, as the files give them, imply another figure than the files state.
// A file that changes a part of the machine that it extends must state the
// figure anew, or drop it with null. Overrides (Set) are what-ifs, and what-ifs
// may leave what is published: they are not held to it, and Theory tells by how
// much they do.
type TheoryConfig struct {
	Memory            *Stated[sim.Bytes]     `yaml:"memory" doc:"memory that arrays may take"`
	ResidentThreads   *StatedThreads         `yaml:"resident_threads" doc:"threads of an SM full of blocks of the usual size"`
	FullRegisters     *StatedRegisters       `yaml:"full_registers" doc:"most registers of a thread with which an SM still fills"`
	F32Peak           *StatedFlops           `yaml:"f32_peak" doc:"single precision operations, two a multiply-add"`
	F64Peak           *StatedFlops           `yaml:"f64_peak" doc:"double precision operations, two a multiply-add"`
	L1Latency         *Stated[sim.Cycles]    `yaml:"l1_latency" doc:"from a load to the next that needs its data, from L1; SM cycles"`
	L2Latency         *Stated[sim.Cycles]    `yaml:"l2_latency" doc:"the same from L2, unloaded"`
	DRAMLatency       *Stated[sim.Cycles]    `yaml:"dram_latency" doc:"the same from device memory, unloaded, of a closed row"`
	L2Size            *Stated[sim.Bytes]     `yaml:"l2_size" doc:"L2 in all"`
	L2Bandwidth       *Stated[sim.Bandwidth] `yaml:"l2_bandwidth" doc:"read from L2 by all SMs"`
	DRAMPeak          *Stated[sim.Bandwidth] `yaml:"dram_peak" doc:"all data pins of device memory"`
	DRAMRead          *Stated[sim.Bandwidth] `yaml:"dram_read" doc:"read from device memory by all SMs"`
	AtomicSameAddress *Stated[sim.Cycles]    `yaml:"atomic_same_address" doc:"between atomics on one word; SM cycles"`
	Launch            *Stated[sim.Time]      `yaml:"launch" doc:"host time of a kernel launch"`
	Copy              *Stated[sim.Bandwidth] `yaml:"copy" doc:"a long copy between host and device"`
}

// Stated is a published figure and how far, relatively, what a description
// implies may be from it.
type Stated[T Quantity] struct {
	Value T `yaml:"value" doc:"the published figure"`
	tolerance
}

// StatedThreads and its like are Stated for numbers that are no quantities, or
// in a unit of their own.
type (
	StatedThreads struct {
		Value float64 `yaml:"value" unit:"threads" doc:"the published figure"`
		tolerance
	}
	StatedRegisters struct {
		Value float64 `yaml:"value" unit:"registers" doc:"the published figure"`
		tolerance
	}
	StatedFlops struct {
		Value float64 `yaml:"value" unit:"Gflop/s" doc:"the published figure"`
		tolerance
	}
	StatedNanoseconds struct {
		Value float64 `yaml:"value" unit:"ns" doc:"the published figure"`
		tolerance
	}
	StatedTimes struct {
		Value float64 `yaml:"value" unit:"times" doc:"the published figure"`
		tolerance
	}
)

type tolerance struct {
	Tolerance float64 `yaml:"tolerance" range:"0..1" doc:"how far from it, relatively, the description may be"`
}

// Check holds a figure that a description implies against the published one.
type Check struct {
	Key       string // of TheoryConfig
	Meaning   string
	Formula   string // what implies it, by the description's keys
	Unit      string // of Implied and Stated
	Implied   float64
	Stated    float64 // NaN when nothing is published
	Tolerance float64 // relative to Stated
	Source    Source  // of Stated
}

// OK reports whether the figures agree, which they do when nothing is stated.
func (c Check) OK() bool {
	return math.IsNaN(c.Stated) || math.Abs(c.Implied-c.Stated) <= c.Tolerance*math.Abs(c.Stated)
}

// String writes both figures: "dram_peak: 144 GB/s implied, 144 GB/s stated".
func (c Check) String() string {
	s := fmt.Sprintf("%s: %.4g %s implied", c.Key, c.Implied, c.Unit)
	if !math.IsNaN(c.Stated) {
		s += fmt.Sprintf(", %.4g %s stated", c.Stated, c.Unit)
	}
	return s
}

// Theory returns what d implies of the whole machine beside what is published
// of it, in the order of TheoryConfig; what the machine does not have (an L1
// that is switched off) is left out. A machine without timing has no theory.
func (d *Description) Theory() ([]Check, error) {
	f, err := d.family()
	if err != nil || f.theory == nil {
		return nil, err
	}
	checks, _, err := f.theory(d)
	return checks, err
}

// contradictions returns how the files of d, without overrides, contradict
// themselves. Files that describe no machine by themselves are not judged.
func (d *Description) contradictions() error {
	files := d.withoutOverrides()
	f, err := files.family()
	if err != nil || f.theory == nil {
		return nil
	}
	checks, baseless, err := f.theory(files)
	if err != nil {
		return nil
	}
	var faults []error
	refuse := func(key, format string, args ...any) {
		n := files.root.child("theory").child(key)
		if value := n.child("value"); value != nil {
			n = value
		}
		faults = append(faults, Fault{n.file, n.line, "theory." + key, fmt.Sprintf(format, args...)})
	}
	for _, c := range checks {
		if !c.OK() {
			refuse(c.Key, "%.4g %s is stated, give or take %.2g %%, but %.4g %s follows from %s: correct one of them, or drop this with null",
				c.Stated, c.Unit, 100*c.Tolerance, c.Implied, c.Unit, c.Formula)
		}
	}
	for _, key := range baseless {
		refuse(key, "is stated, but the machine has no such thing: drop it with null")
	}
	return errors.Join(faults...)
}

// law is a closed formula for a figure of a whole machine described by an M, in
// base units: bytes, bytes a second, cycles, femtoseconds. NaN says that the
// machine has no such thing.
type law[M any] struct {
	formula string // the keys of the description that it reads, for messages; or the one that it is
	implied func(*M) float64
}

// hold returns a check for each figure of T, which is TheoryConfig or its like
// for another kind of machine: a struct of pointers to Stated and its likes,
// with a law for each key. It also returns the keys that stated has and the
// machine cannot have. Stated is nil when d states nothing.
func hold[M, T any](d *Description, machine *M, stated *T, laws map[string]law[M]) (checks []Check, baseless []string) {
	sources := map[string]Source{}
	for _, s := range d.Sources() {
		sources[s.Path] = s
	}
	files, inFiles := new(M), map[string]Source{}
	if from := d.withoutOverrides(); from.Decode(files) == nil {
		for _, s := range from.Sources() {
			inFiles[s.Path] = s
		}
	}
	for i, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		key := f.Tag.Get("yaml")
		x := laws[key].implied(machine)
		value, _ := f.Type.Elem().FieldByName("Value")
		unit := figureUnit(value)
		scale := unitScale(unit)
		c := Check{
			Key: key, Meaning: f.Tag.Get("doc"), Formula: laws[key].formula, Unit: unit,
			Implied: x / scale, Stated: math.NaN(),
		}
		if stated != nil && !reflect.ValueOf(stated).Elem().Field(i).IsNil() {
			figure := reflect.ValueOf(stated).Elem().Field(i).Elem()
			if v := figure.FieldByIndex(value.Index); v.CanInt() {
				c.Stated = float64(v.Int()) / scale
			} else {
				c.Stated = v.Float() / scale
			}
			c.Tolerance = figure.FieldByName("Tolerance").Float()
			c.Source = sources["theory."+key+".value"]
			if math.IsNaN(x) {
				baseless = append(baseless, key)
			}
		}
		// What one key says is as published as the key.
		if s := inFiles[laws[key].formula]; math.IsNaN(c.Stated) && s.Tag != "" && !strings.Contains(s.Tag, "I") {
			c.Stated, c.Source = laws[key].implied(files)/scale, s
		}
		if !math.IsNaN(x) {
			checks = append(checks, c)
		}
	}
	return checks, baseless
}

// figureUnit returns the unit in which reports show a figure.
func figureUnit(value reflect.StructField) string {
	switch value.Type {
	case reflect.TypeFor[sim.Bytes]():
		return "MiB"
	case reflect.TypeFor[sim.Bandwidth]():
		return "GB/s"
	case reflect.TypeFor[sim.Time]():
		return "us"
	case reflect.TypeFor[sim.Cycles]():
		return "cycles"
	}
	return value.Tag.Get("unit")
}

// unitScale returns the size of a figure's unit in base units.
func unitScale(unit string) float64 {
	switch unit {
	case "MiB":
		return 1 << 20
	case "GB/s":
		return 1e9
	case "us":
		return float64(sim.Microsecond)
	}
	return 1
}
