package sim

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

var testMetrics = Declaration{
	{Name: "l2.read_transactions", Unit: "transactions", Meaning: "32-byte sectors read from the L2."},
	{Name: "dram_read_throughput", Unit: "B/s", Meaning: "Bytes read from DRAM a second.", Kind: Gauge},
	{Name: "l2.hit_rate", Unit: "1", Meaning: "Share of the L2's accesses that hit.", Kind: Ratio},
	{Name: "latency", Unit: "cycles", Meaning: "Load to use.", Kind: Distribution},
	{Name: "stall", Unit: "s", Meaning: "What an SM waits for.", Kind: TimeInState, States: []string{"issued", "memory"}},
}

// testValues returns values with every one of testMetrics set, not in order.
func testValues() *Values {
	v := NewValues(testMetrics)
	timer := NewStateTimer(2, 0)
	timer.Enter(1, Second)
	timer.Settle(4 * Second)
	v.SetTimes("stall", &timer)
	var h Histogram
	h.Add(3)
	v.SetDistribution("latency", &h)
	v.Set("l2.hit_rate", math.NaN())
	v.Under("l2").Set("read_transactions", 1<<40)
	v.Set("dram_read_throughput", 0.1)
	return v
}

func TestValues(t *testing.T) {
	v := testValues()
	if err := v.Err(); err != nil {
		t.Fatal(err)
	}
	if missing := v.Missing(); missing != nil {
		t.Errorf("missing %v", missing)
	}
	var names []string
	for x := range v.All() {
		names = append(names, x.Name)
	}
	if want := testMetrics.Columns(); !slices.Equal(names, want) {
		t.Errorf("emitted %v, declared %v", names, want)
	}
	got, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"l2.read_transactions":1099511627776,"dram_read_throughput":0.1,"l2.hit_rate":null,` +
		`"latency.count":1,"latency.mean":3,"latency.p50":3,"latency.p99":3,"latency.max":3,` +
		`"stall.issued":1,"stall.memory":3}`
	if string(got) != want {
		t.Errorf("JSON is\n%s\nwant\n%s", got, want)
	}
	if x, ok := v.Under("stall").Get("memory"); x != 3 || !ok {
		t.Errorf("stall.memory is %v, %v", x, ok)
	}
	names = nil
	for x := range v.Under("l2").All() {
		names = append(names, x.Name)
	}
	if !slices.Equal(names, []string{"l2.read_transactions", "l2.hit_rate"}) {
		t.Errorf("under l2 are %v", names)
	}
}

func TestValuesMissing(t *testing.T) {
	v := NewValues(testMetrics)
	v.Set("l2.hit_rate", 1)
	want := slices.DeleteFunc(testMetrics.Columns(), func(s string) bool { return s == "l2.hit_rate" })
	if got := v.Missing(); !slices.Equal(got, want) {
		t.Errorf("missing %v, want %v", got, want)
	}
	if _, ok := v.Get("latency.mean"); ok {
		t.Error("a value that was not set is there")
	}
}

func TestValuesRefuse(t *testing.T) {
	two := NewStateTimer(3, 0)
	for want, set := range map[string]func(v *Values){
		`"l2.misses": is not declared`:                                      func(v *Values) { v.Set("l2.misses", 1) },
		`"l1.hit_rate": is not declared`:                                    func(v *Values) { v.Under("l1").Set("hit_rate", 1) },
		`"l2.hit_rate": is set twice`:                                       func(v *Values) { v.Set("l2.hit_rate", 1) },
		`"latency.mean": is set twice`:                                      func(v *Values) { v.SetDistribution("latency", new(Histogram)) },
		`"latency": is declared as a distribution, and set as a counter`:    func(v *Values) { v.Set("latency", 1) },
		`"stall.memory": is not declared`:                                   func(v *Values) { v.Set("stall.memory", 1) },
		`"l2.hit_rate": is declared as a ratio, and set as a time in state`: func(v *Values) { v.SetTimes("l2.hit_rate", &two) },
		`"l2.hit_rate": is declared as a ratio, and set as a distribution`:  func(v *Values) { v.SetDistribution("l2.hit_rate", nil) },
		`"stall": 2 states are declared and 3 timed`:                        func(v *Values) { v.SetTimes("stall", &two) },
	} {
		v := testValues()
		set(v)
		if err := v.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Err is %v, want %s", err, want)
		}
	}
}

func TestDeclarationCheck(t *testing.T) {
	ok := Metric{Name: "ipc", Unit: "1", Meaning: "Instructions a cycle.", Kind: Ratio}
	if err := append(testMetrics.Under("sm"), ok).Check(); err != nil {
		t.Error(err)
	}
	for want, m := range map[string]Metric{
		`"ipc": has no unit`:                               {Name: "ipc", Meaning: "x"},
		`"ipc": has no meaning`:                            {Name: "ipc", Unit: "1"},
		`"IPC": name "IPC" is not made of`:                 {Name: "IPC", Unit: "1", Meaning: "x"},
		`"": name "" is not made of`:                       {Unit: "1", Meaning: "x"},
		`"a.": name "a." is not made of`:                   {Name: "a.", Unit: "1", Meaning: "x"},
		`"ipc": is a time in state with 0 states`:          {Name: "ipc", Unit: "1", Meaning: "x", Kind: TimeInState},
		`"ipc": is a counter with 1 states`:                {Name: "ipc", Unit: "1", Meaning: "x", States: []string{"a"}},
		`"ipc": has no such kind as 5`:                     {Name: "ipc", Unit: "1", Meaning: "x", Kind: numberOfKinds},
		`"stall": "stall.a" is declared twice`:             {Name: "stall", Unit: "s", Meaning: "x", Kind: TimeInState, States: []string{"a", "a"}},
		`"latency.mean": "latency.mean" is declared twice`: {Name: "latency.mean", Unit: "1", Meaning: "x"},
	} {
		d := append(slices.Clone(testMetrics), m)
		for _, err := range []error{d.Check(), NewValues(d).Err()} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error is %v, want %s", err, want)
			}
		}
	}
}
