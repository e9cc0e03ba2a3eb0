package experiments

import (
	"encoding/json"
	"math"
	"strconv"

	"heddle/models"
	"heddle/sim"
)

// Activity is what the machine did in one launch. What is not defined is null.
type Activity struct {
	PerCycle    Float     `json:"instructions_per_cycle"` // of the whole machine, by its main clock
	Occupancy   Float     `json:"occupancy"`              // share of the places for warps or threads that were taken
	Lanes       Float     `json:"lanes"`                  // threads that executed an instruction, on average
	Divergence  Float     `json:"divergence"`             // share of branches that lanes left both ways, or that were mispredicted
	DRAMRead    sim.Bytes `json:"dram_read_bytes"`
	DRAMWritten sim.Bytes `json:"dram_write_bytes"`
	Bandwidth   Float     `json:"dram_bytes_per_second"`
	HitRates    Shares    `json:"hit_rates"` // by level of cache
	Stalls      Shares    `json:"stalls"`    // of the threads' time
}

func activityOf(a *models.Activity) Activity {
	return Activity{
		PerCycle: Float(a.PerCycle), Occupancy: Float(a.Occupancy), Lanes: Float(a.Lanes), Divergence: Float(a.Divergence),
		DRAMRead: a.DRAMRead, DRAMWritten: a.DRAMWritten, Bandwidth: Float(a.Bandwidth),
		HitRates: a.HitRates, Stalls: a.Stalls,
	}
}

// Series tells how a run went on: a list for each figure, with an item for each
// interval, in four significant digits.
type Series struct {
	Ends       []Float    `json:"end_seconds"` // of the intervals, since the timed part began
	PerCycle   []rounded  `json:"instructions_per_cycle"`
	Occupancy  []rounded  `json:"occupancy"`
	Lanes      []rounded  `json:"lanes"`
	Divergence []rounded  `json:"divergence"`
	Bandwidth  []rounded  `json:"dram_bytes_per_second"`
	HitRates   shareLists `json:"hit_rates"`
	Stalls     shareLists `json:"stalls"`
}

func seriesOf(s *models.Series) *Series {
	r := &Series{
		Ends: []Float{}, PerCycle: []rounded{}, Occupancy: []rounded{}, Lanes: []rounded{},
		Divergence: []rounded{}, Bandwidth: []rounded{},
	}
	for i := range s.Activities {
		a := &s.Activities[i]
		r.Ends = append(r.Ends, Float(s.Ends[i].Seconds()))
		r.PerCycle = append(r.PerCycle, rounded(a.PerCycle))
		r.Occupancy = append(r.Occupancy, rounded(a.Occupancy))
		r.Lanes = append(r.Lanes, rounded(a.Lanes))
		r.Divergence = append(r.Divergence, rounded(a.Divergence))
		r.Bandwidth = append(r.Bandwidth, rounded(a.Bandwidth))
		r.HitRates.add(a.HitRates)
		r.Stalls.add(a.Stalls)
	}
	return r
}

// shareLists are lists of shares by name, in the machine's order.
type shareLists []shareList

type shareList struct {
	name   string
	shares []rounded
}

func (c *shareLists) add(shares []models.Share) {
	for i, s := range shares {
		if i == len(*c) {
			*c = append(*c, shareList{name: s.Name})
		}
		(*c)[i].shares = append((*c)[i].shares, rounded(s.Share))
	}
}

// MarshalJSON writes {"<name>": [share, ...], ...}.
func (c shareLists) MarshalJSON() ([]byte, error) {
	var members []member
	for _, x := range c {
		members = append(members, member{x.name, x.shares})
	}
	return object(members)
}

// rounded is a Float that JSON shows in four significant digits.
type rounded float64

// MarshalJSON implements json.Marshaler.
func (r rounded) MarshalJSON() ([]byte, error) {
	x := float64(r)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 3, 64), 64)
	if err != nil {
		return nil, err
	}
	return json.Marshal(short)
}

// Counts are numbers by name, in the machine's order.
type Counts []models.Count

// MarshalJSON writes {"<name>": number, ...}.
func (c Counts) MarshalJSON() ([]byte, error) {
	var members []member
	for _, x := range c {
		members = append(members, member{x.Name, x.N})
	}
	return object(members)
}

// HotWord is a place in memory that many atomics went to, and who contends for
// it.
type HotWord struct {
	Place      string      `json:"place"`
	Array      string      `json:"array"`
	Atomics    uint64      `json:"atomics"` // at least
	Cores      int         `json:"cores"`   // that they came from, at least
	Contenders []Contender `json:"contenders"`
}

// Contender is a source line whose atomics went to a hot word.
type Contender struct {
	Program     string `json:"program"`
	File        string `json:"file"` // relative to the module
	Line        int    `json:"line"`
	Instruction string `json:"instruction"`
	Share       Float  `json:"share"` // of the word's atomics
}

func hotWordOf(w *models.HotWord) HotWord {
	h := HotWord{Place: w.Place, Array: w.Array, Atomics: w.Atomics, Cores: w.Cores, Contenders: make([]Contender, len(w.Contenders))}
	for i, c := range w.Contenders {
		h.Contenders[i] = Contender{c.Program, c.Source.File, c.Source.Num, c.Text, Float(c.Share)}
	}
	return h
}

// Unit is a part of the machine and how busy it was while programs ran.
type Unit struct {
	Name  string    `json:"name"`
	Kind  string    `json:"kind"`            // core, cache, memory or link
	Group string    `json:"group,omitempty"` // what it belongs to, such as a socket
	Busy  Float     `json:"busy"`            // share
	Of    string    `json:"of,omitempty"`    // what it is a share of
	Hits  Float     `json:"hit_rate"`        // of a cache
	Bytes sim.Bytes `json:"bytes"`           // moved
}

// Peak is the most that the machine can do; 0 without timing.
type Peak struct {
	Instructions float64 `json:"instructions_per_second"`
	DRAM         float64 `json:"dram_bytes_per_second"`
}
