package models

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestFields(t *testing.T) {
	fields, err := Fields(reflect.TypeFor[testMachine]())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&b, "%s|%s|%s|%s|%s|%v|%s\n", f.Path, f.Type, f.Range, strings.Join(f.OneOf, " "), f.Unit, f.Optional, f.Doc)
	}
	const want = `name|text||||false|what reports call it
clock|frequency|1 MHz..10 GHz|||false|
warps|integer|1..64||warps|false|
ratio|number|-1..1.5|||false|
full-bits|switch||||true|words have a full/empty bit
dims|list of integer|1..16|||false|
latency|map of cycles|1 cycle..|||false|
l1|section||||false|
l1.size|size|1 KiB..1 GiB|||false|
l1.line|size|32 B..256 B|||false|
l1.ways|integer|1..|||false|
l1.policy|text||lru fifo random||true|
l2|section||||true|
l2.size|size|1 KiB..1 GiB|||false|
l2.line|size|32 B..256 B|||false|
l2.ways|integer|1..|||false|
l2.policy|text||lru fifo random||true|
levels|list of section||||true|
levels.*.name|text||||false|
levels.*.ways|integer||||false|
dram|section||||false|
dram.latency|time||||false|
dram.bandwidth|bandwidth||||false|
dram.banks|integer||8 16||false|
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	if _, err := Fields(reflect.TypeFor[int]()); err == nil {
		t.Error("an int has fields")
	}
}
