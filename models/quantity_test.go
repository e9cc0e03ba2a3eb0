package models

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heddle/sim"
)

func TestParseIsExact(t *testing.T) {
	check := func(text string, got, want any, err error) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]sim.Bytes{
		"64 B": 64, "1 GB": 1_000_000_000, "48 KiB": 48 << 10, "48KiB": 48 << 10, "1.5 MiB": 3 << 19,
		"1e3 KB": 1_000_000, "1 TiB": 1 << 40, "9223372036854775807 B": math.MaxInt64, "0 B": 0,
	} {
		got, err := Parse[sim.Bytes](text)
		check(text, got, want, err)
	}
	for text, want := range map[string]sim.Cycles{"45 cycles": 45, "1 cycle": 1, "1 cycles": 1} {
		got, err := Parse[sim.Cycles](text)
		check(text, got, want, err)
	}
	for text, want := range map[string]sim.Time{
		"3 us": 3 * sim.Microsecond, "4.5 ns": 4_500_000, "1 ms": sim.Millisecond, "0.001 ps": 1, "1.875 ns": 1_875_000,
	} {
		got, err := Parse[sim.Time](text)
		check(text, got, want, err)
	}
	for text, want := range map[string]sim.Frequency{"1.15 GHz": 1.15e9, "750 MHz": 750e6, "32.768 kHz": 32768} {
		got, err := Parse[sim.Frequency](text)
		check(text, got, want, err)
	}
	for text, want := range map[string]sim.Bandwidth{"144 GB/s": 144e9, "8 GiB/s": 8 << 30, "3.35 TB/s": 3.35e12} {
		got, err := Parse[sim.Bandwidth](text)
		check(text, got, want, err)
	}
}

func TestParseRefuses(t *testing.T) {
	const aSize = " is not a size: a number with B, KB, KiB, MB, MiB, GB, GiB, TB or TiB"
	for text, want := range map[string]string{
		"48 KHz":                `"48 KHz"` + aSize,
		"48":                    `"48"` + aSize,
		"":                      `""` + aSize,
		"KiB":                   `"KiB"` + aSize,
		"48 kib":                `"48 kib"` + aSize,
		"48 KiB extra":          `"48 KiB extra"` + aSize,
		".5 KiB":                `".5 KiB"` + aSize,
		"5. KiB":                `"5. KiB"` + aSize,
		"010 B":                 `"010 B"` + aSize,
		"0x10 B":                `"0x10 B"` + aSize,
		"1_000 B":               `"1_000 B"` + aSize,
		"1/2 KiB":               `"1/2 KiB"` + aSize,
		"NaN B":                 `"NaN B"` + aSize,
		"Inf B":                 `"Inf B"` + aSize,
		"+1 B":                  `"+1 B"` + aSize,
		"-1 B":                  `"-1 B" is negative`,
		"1.5 B":                 `"1.5 B" is not a whole number of B`,
		"9223372036854775808 B": `"9223372036854775808 B" is too large for a size`,
		"1e999 TiB":             `"1e999 TiB" is too large for a size`,
		"1e1000 B":              `"1e1000 B"` + aSize,
	} {
		if _, err := Parse[sim.Bytes](text); err == nil || err.Error() != want {
			t.Errorf("Parse(%q): %v; want %s", text, err, want)
		}
	}
	refused := func(err error, want string) {
		t.Helper()
		if err == nil || err.Error() != want {
			t.Errorf("got %v; want %s", err, want)
		}
	}
	_, err := Parse[sim.Cycles]("45")
	refused(err, `"45" is not a number of cycles: a number with cycles`)
	_, err = Parse[sim.Cycles]("4.5 cycles")
	refused(err, `"4.5 cycles" is not a whole number of cycles`)
	_, err = Parse[sim.Time]("0.1 fs")
	refused(err, `"0.1 fs" is not a whole number of fs`)
	_, err = Parse[sim.Time]("3 B")
	refused(err, `"3 B" is not a time: a number with fs, ps, ns, us, ms or s`)
	_, err = Parse[sim.Frequency]("1e999 Hz")
	refused(err, `"1e999 Hz" is too large for a frequency`)
	_, err = Parse[sim.Bandwidth]("144 GB")
	refused(err, `"144 GB" is not a bandwidth: a number with B/s, KB/s, KiB/s, MB/s, MiB/s, GB/s, GiB/s, TB/s or TiB/s`)
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Format(sim.Bytes(48 << 10)), "48 KiB"},
		{Format(sim.Bytes(3 << 9)), "1.5 KiB"},
		{Format(sim.Bytes(1e9)), "1 GB"},
		{Format(sim.Bytes(1 << 30)), "1 GiB"},
		{Format(sim.Bytes(0)), "0 B"},
		{Format(sim.Bytes(1<<40 + 1)), "1099511627777 B"},
		{Format(sim.Cycles(1)), "1 cycle"},
		{Format(sim.Cycles(45)), "45 cycles"},
		{Format(sim.Frequency(1.15e9)), "1.15 GHz"},
		{Format(sim.Frequency(0.5)), "0.5 Hz"},
		{Format(sim.Bandwidth(144e9)), "144 GB/s"},
		{Format(sim.Bandwidth(8 << 30)), "8 GiB/s"},
		{Format(sim.Time(4_500_000)), "4.5 ns"},
		{Format(3 * sim.Microsecond), "3 us"},
	} {
		if c.got != c.want {
			t.Errorf("Format = %q, want %q", c.got, c.want)
		}
	}
}

// roundTrips checks that v reads back exactly from its text, and that the text
// is the same for the value read.
func roundTrips[T Quantity](t *rapid.T, v T) {
	text := Format(v)
	back, err := Parse[T](text)
	if err != nil || back != v {
		t.Fatalf("Format(%v) = %q reads back as %v, %v", v, text, back, err)
	}
}

func TestQuantitiesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Int64Min(0).Draw(t, "whole")
		float := rapid.Float64Range(0, math.MaxFloat64).Draw(t, "float")
		roundTrips(t, sim.Bytes(whole))
		roundTrips(t, sim.Cycles(whole))
		roundTrips(t, sim.Time(whole))
		roundTrips(t, sim.Frequency(float))
		roundTrips(t, sim.Bandwidth(float))
	})
}

func TestExtremeFloatsRoundTrip(t *testing.T) {
	for _, f := range []float64{0, math.SmallestNonzeroFloat64, 2.2250738585072014e-308, math.MaxFloat64, 1.0 / 3} {
		text := Format(sim.Frequency(f))
		if back, err := Parse[sim.Frequency](text); err != nil || float64(back) != f {
			t.Errorf("%g is written %q and read as %v, %v", f, text, back, err)
		}
	}
}

func TestLongNumbersAreRefused(t *testing.T) {
	if _, err := Parse[sim.Bytes](strings.Repeat("1", longestNumber) + " B"); err == nil ||
		!strings.HasSuffix(err.Error(), "is too large for a size") {
		t.Errorf("a number of the longest length: %v", err)
	}
	if _, err := Parse[sim.Bytes](strings.Repeat("1", longestNumber+1) + " B"); err == nil ||
		!strings.Contains(err.Error(), "is not a size") {
		t.Errorf("a longer number: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"48 KiB", "1.15 GHz", "4.5 ns", "1e3 B", "-1 B", "1e999 s", "0.5 GiB/s", "1 cycle"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		same(t, text, Parse[sim.Bytes], Format[sim.Bytes])
		same(t, text, Parse[sim.Cycles], Format[sim.Cycles])
		same(t, text, Parse[sim.Time], Format[sim.Time])
		same(t, text, Parse[sim.Frequency], Format[sim.Frequency])
		same(t, text, Parse[sim.Bandwidth], Format[sim.Bandwidth])
	})
}

// same checks that what text is read as, when it is read, is not negative and
// survives being written.
func same[T Quantity](t *testing.T, text string, parse func(string) (T, error), format func(T) string) {
	v, err := parse(text)
	if err != nil {
		return
	}
	if v < 0 {
		t.Fatalf("%q is read as %v", text, v)
	}
	if back, err := parse(format(v)); err != nil || back != v {
		t.Fatalf("%q is read as %v, written as %q, read as %v, %v", text, v, format(v), back, err)
	}
}
