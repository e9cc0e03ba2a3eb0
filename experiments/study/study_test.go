package study

import (
	"math"
	"reflect"
	"testing"
)

const result = `{
	"kernel": "matching/ld", "machine": "m", "graph": {"name": "g", "vertices": 3, "edges": 2}, "seed": 7,
	"result": {"verified": true, "weight": 1.5, "queue_sizes": [4, 2], "share": null},
	"simulated": {"seconds": 0.25, "cycles": 100, "upload_seconds": 1, "download_seconds": 2, "memory_bytes": 64},
	"host": {"wall_seconds": 3, "instructions": 5},
	"metrics": {"z": 1, "a": null, "b": 2e3}, "stalls": {"issued": 0.5, "other": 0.5},
	"launches": [{"program": "p", "items": 3, "seconds": 0.125, "instructions": 5, "notes": {"queue": 4}}],
	"hot_words": [{"place": "tail[0]", "atomics": 9}]
}`

func TestDecode(t *testing.T) {
	o, err := Decode([]byte(result))
	if err != nil {
		t.Fatal(err)
	}
	if o.Seconds() != 0.25 || *o.Simulated.Cycles != 100 || !o.Answer.Verified || o.Graph.Edges != 2 || o.Host.Instructions != 5 ||
		o.HotWords[0].Place != "tail[0]" || o.Launches[0].Notes["queue"] != 4 {
		t.Errorf("%+v", o)
	}
	if names := []string{o.Metrics[0].Name, o.Metrics[1].Name, o.Metrics[2].Name}; !reflect.DeepEqual(names, []string{"z", "a", "b"}) {
		t.Errorf("metrics in order %v", names)
	}
	if o.Metrics.Get("b") != 2000 || !math.IsNaN(o.Metrics.Get("a")) || !math.IsNaN(o.Metrics.Get("no")) || o.Stalls.Get("issued") != 0.5 {
		t.Errorf("%v %v", o.Metrics, o.Stalls)
	}
	if o.Answer.Numbers.Get("weight") != 1.5 || !math.IsNaN(o.Answer.Numbers.Get("share")) || !reflect.DeepEqual(o.Answer.Lists["queue_sizes"], []int64{4, 2}) {
		t.Errorf("%+v", o.Answer)
	}
}

func TestDecodeWithoutTiming(t *testing.T) {
	o, err := Decode([]byte(`{"simulated": {"seconds": null}, "metrics": null}`))
	if err != nil || !math.IsNaN(o.Seconds()) || o.Metrics != nil {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, text := range []string{``, `[]`, `{"metrics": 3}`, `{"metrics": {"a": "b"}}`, `{"result": {"a": "b"}}`, `{"result": {"a": [0.5]}}`, `{"result": [1]}`} {
		if o, err := Decode([]byte(text)); err == nil {
			t.Errorf("%s: %+v", text, o)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(result))
	f.Fuzz(func(t *testing.T, text []byte) {
		if o, err := Decode(text); (o == nil) == (err == nil) {
			t.Errorf("%v, %v", o, err)
		}
	})
}

func TestCase(t *testing.T) {
	c := Case{Kernel: "k", Machine: "m", Graph: "g"}
	a, b := c.With("x=1"), c.With("y=2")
	if a.ID() == b.ID() || a.ID() == c.ID() || len(c.Set) != 0 || c.ID() != (Case{Kernel: "k", Machine: "m", Graph: "g"}).ID() {
		t.Errorf("%v %v %v", a, b, c)
	}
	static := c
	static.Schedule = "static"
	if static.ID() == c.ID() || static.String() != "k on m, g --schedule static" {
		t.Errorf("%v", static)
	}
	if got := a.With("z=3").String(); got != "k on m, g --set x=1 --set z=3" {
		t.Error(got)
	}
}
