package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// Outcome is what came of a run, read back from its result's JSON.
type Outcome struct {
	Kernel  string `json:"kernel"`
	Machine string `json:"machine"`
	Graph   struct {
		Name     string `json:"name"`
		Vertices int    `json:"vertices"`
		Edges    int64  `json:"edges"`
		Weights  string `json:"weights"`
	} `json:"graph"`
	Seed       uint64 `json:"seed"`
	Schedule   string `json:"schedule"`   // that parallel loops followed
	Incomplete bool   `json:"incomplete"` // the run did not come to its end
	Error      string `json:"error"`
	Answer     Answer `json:"result"`
	Simulated  struct {
		Seconds  *float64 `json:"seconds"` // nil: the machine has no timing
		Cycles   *int64   `json:"cycles"`
		Upload   *float64 `json:"upload_seconds"`
		Download *float64 `json:"download_seconds"`
		Memory   int64    `json:"memory_bytes"`
		Contexts int      `json:"contexts"`
		Threads  *float64 `json:"thread_cycles"` // of all threads while they were on the machine
	} `json:"simulated"`
	Host struct {
		WallSeconds      float64 `json:"wall_seconds"`
		ProcessorSeconds float64 `json:"processor_seconds"` // 0: not known
		Instructions     uint64  `json:"instructions"`
		SetupSeconds     float64 `json:"setup_seconds"`
		CheckSeconds     float64 `json:"check_seconds"`
	} `json:"host"`
	Metrics  Numbers   `json:"metrics"`
	Stalls   Numbers   `json:"stalls"` // shares of the threads' time
	Launches []Launch  `json:"launches"`
	HotWords []HotWord `json:"hot_words"`
	Detail
}

// Decode reads the JSON of a result.
func Decode(result []byte) (*Outcome, error) {
	o := new(Outcome)
	if err := json.Unmarshal(result, o); err != nil {
		return nil, fmt.Errorf("a result: %w", err)
	}
	return o, nil
}

// Seconds returns the simulated time, NaN if the machine has no timing.
func (o *Outcome) Seconds() float64 {
	if o.Simulated.Seconds == nil {
		return math.NaN()
	}
	return *o.Simulated.Seconds
}

// Launch is one launch of a program.
type Launch struct {
	Program      string           `json:"program"`
	Items        int              `json:"items"`
	Start        float64          `json:"start_seconds"`
	Seconds      float64          `json:"seconds"`
	Instructions uint64           `json:"instructions"`
	Notes        map[string]int64 `json:"notes"`

	PerCycle    *float64 `json:"instructions_per_cycle"` // nil where it is not defined, as are those below
	Occupancy   *float64 `json:"occupancy"`
	Lanes       *float64 `json:"lanes"`
	Divergence  *float64 `json:"divergence"`
	DRAMRead    int64    `json:"dram_read_bytes"`
	DRAMWritten int64    `json:"dram_write_bytes"`
	Bandwidth   *float64 `json:"dram_bytes_per_second"`
	HitRates    Numbers  `json:"hit_rates"`
	Stalls      Numbers  `json:"stalls"`
}

// Number is a named figure; NaN where there is none.
type Number struct {
	Name  string
	Value float64
}

// Numbers are the members of a JSON object in its order.
type Numbers []Number

// Get returns the number called name, NaN if there is none.
func (n Numbers) Get(name string) float64 {
	for _, x := range n {
		if x.Name == name {
			return x.Value
		}
	}
	return math.NaN()
}

// UnmarshalJSON reads an object whose members are numbers or null.
func (n *Numbers) UnmarshalJSON(text []byte) error {
	*n = nil
	return members(text, func(name string, value json.RawMessage) error {
		x := math.NaN()
		if string(value) != "null" {
			if err := json.Unmarshal(value, &x); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		*n = append(*n, Number{name, x})
		return nil
	})
}

// Answer is whether a kernel's answer was right, and the kernel's own figures.
type Answer struct {
	Verified bool
	Numbers  Numbers
	Lists    map[string][]int64
}

// UnmarshalJSON reads {"verified": ..., "<figure>": number or list, ...}.
func (a *Answer) UnmarshalJSON(text []byte) error {
	*a = Answer{Lists: map[string][]int64{}}
	return members(text, func(name string, value json.RawMessage) error {
		switch {
		case name == "verified":
			return json.Unmarshal(value, &a.Verified)
		case bytes.HasPrefix(value, []byte("[")):
			var list []int64
			err := json.Unmarshal(value, &list)
			a.Lists[name] = list
			return err
		}
		x := math.NaN()
		if string(value) != "null" {
			if err := json.Unmarshal(value, &x); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		a.Numbers = append(a.Numbers, Number{name, x})
		return nil
	})
}

// members calls each for the members of a JSON object, in order; null has
// none.
func members(text []byte, each func(name string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(text))
	open, err := d.Token()
	if err != nil || open == nil {
		return err
	}
	if open != json.Delim('{') {
		return fmt.Errorf("%v in place of an object", open)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if err := each(name.(string), value); err != nil { // a key is a string
			return err
		}
	}
	return nil
}
