package net

import (
	"math"
	"testing"

	"heddle/sim"

	"pgregory.net/rapid"
)

// gigahertz is a crossbar whose cycle is a nanosecond.
var gigahertz = CrossbarConfig{Clock: 1e9, Width: 32, Header: 8, RequestLatency: 40, ReplyLatency: 50}

func at(cycle int64) sim.Time { return sim.Time(cycle) * sim.Nanosecond }

// A lone packet takes the latency and a cycle for each width bytes of header
// and data that it begins.
func TestLonePacket(t *testing.T) {
	for _, test := range []struct {
		width, header, data sim.Bytes
		flits               int64
	}{
		{32, 8, 0, 1}, {32, 8, 24, 1}, {32, 8, 25, 2}, {32, 8, 128, 5}, {32, 0, 128, 4}, {40, 8, 32, 1},
		{1, 8, 56, 64}, {1, 8, 57, 65}, {2, 0, 128, 64}, {1, 8, 512, 520}, {1024, 256, 512, 1},
		{32, 0, 0, 1}, // a packet without a byte still passes
	} {
		c := gigahertz
		c.Width, c.Header = test.width, test.header
		x := NewCrossbar(c, 2, 3)
		for i, got := range []sim.Time{x.Request(at(100), 0, 1, test.data), x.Reply(at(1000), 2, 1, test.data)} {
			want := []sim.Time{at(100 + 40 + test.flits), at(1000 + 50 + test.flits)}[i]
			if got != want {
				t.Errorf("width %d, header %d, %d bytes, way %d: %v, want %v", test.width, test.header, test.data, i, got, want)
			}
		}
	}
}

// What passes a port waits for those before it; what passes others does not.
func TestPortContention(t *testing.T) {
	const flits = 5 // of 128 bytes
	request := func(x *Crossbar, core, slice int) sim.Time { return x.Request(at(10), core, slice, 128) }
	reply := func(x *Crossbar, core, slice int) sim.Time { return x.Reply(at(10), slice, core, 128) }
	for _, way := range []struct {
		name    string
		send    func(x *Crossbar, core, slice int) sim.Time
		latency int64
	}{{"request", request, 40}, {"reply", reply, 50}} {
		lone := 10 + way.latency + flits
		for _, test := range []struct {
			name  string
			pairs [][2]int // core, slice
			want  []int64
		}{
			{"other ports", [][2]int{{0, 0}, {1, 1}, {2, 2}}, []int64{lone, lone, lone}},
			{"the core's port", [][2]int{{0, 0}, {0, 1}, {0, 2}}, []int64{lone, lone + flits, lone + 2*flits}},
			{"the slice's port", [][2]int{{0, 0}, {1, 0}, {2, 0}}, []int64{lone, lone + flits, lone + 2*flits}},
			{"both", [][2]int{{0, 0}, {0, 0}}, []int64{lone, lone + flits}},
		} {
			x := NewCrossbar(gigahertz, 3, 3)
			for i, p := range test.pairs {
				if got := way.send(x, p[0], p[1]); got != at(test.want[i]) {
					t.Errorf("%s, %s, packet %d: done at %d ns, want %d", way.name, test.name, i, got/sim.Nanosecond, test.want[i])
				}
			}
		}
	}
}

// Requests and replies have networks of their own.
func TestWaysDoNotContend(t *testing.T) {
	x := NewCrossbar(gigahertz, 1, 1)
	x.Request(at(0), 0, 0, 1<<12)
	if got, want := x.Reply(at(40), 0, 0, 0), at(40+50+1); got != want {
		t.Errorf("a reply beside a request: %v, want %v", got, want)
	}
}

// A packet that is computed later but sent earlier is not held up by one that
// has the port only afterwards.
func TestEarlierPacketGoesFirst(t *testing.T) {
	x := NewCrossbar(gigahertz, 2, 1)
	x.Request(at(500), 0, 0, 128)
	if got, want := x.Request(at(100), 1, 0, 128), at(100+40+5); got != want {
		t.Errorf("done at %v, want %v", got, want)
	}
}

// packet is what a random test sent.
type packet struct {
	from, done sim.Time // earliest at the port that it enters by; when it has passed it
	flits      int64
}

// Random packets: none beats its lone time, no port passes more than its
// width each cycle in any span of time, and the bytes add up.
func TestCrossbarConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(label string, from, to int) int { return rapid.IntRange(from, to).Draw(t, label) }
		c := CrossbarConfig{
			Clock: sim.Frequency(pick("MHz", 100, 3000)) * 1e6, Width: sim.Bytes(pick("width", 1, 64)), Header: sim.Bytes(pick("header", 0, 16)),
			RequestLatency: sim.Cycles(pick("request", 0, 60)), ReplyLatency: sim.Cycles(pick("reply", 0, 60)),
		}
		period := sim.NewClock(c.Clock).Period
		cores, slices := pick("cores", 1, 3), pick("slices", 1, 3)
		x := NewCrossbar(c, cores, slices)
		into := map[[2]int][]packet{} // by way and port
		outOf := map[[2]int]int64{}   // flits
		var sent [2]sim.Bytes
		now := sim.Time(0)
		for range 60 {
			if pick("advance", 0, 9) == 0 {
				now += sim.Time(pick("by", 0, 300)) * period
				x.Advance(now)
			}
			when := now + sim.Time(pick("ahead", 0, 200_000_000))
			core, slice := pick("core", 0, cores-1), pick("slice", 0, slices-1)
			data := sim.Bytes(rapid.SampledFrom([]int{0, 8, 32, 128, 300}).Draw(t, "data"))
			flits := max(1, int64((data+c.Header+c.Width-1)/c.Width))
			way := pick("way", 0, 1)
			var done sim.Time
			latency, in, out := c.RequestLatency, slice, core
			if way == 0 {
				done = x.Request(when, core, slice, data)
			} else {
				done = x.Reply(when, slice, core, data)
				latency, in, out = c.ReplyLatency, core, slice
			}
			from := when + sim.Time(latency)*period
			if done < from+sim.Time(flits)*period {
				t.Fatalf("sent at %d, done at %d: less than %d cycles and %d flits of %d", when, done, latency, flits, period)
			}
			into[[2]int{way, in}] = append(into[[2]int{way, in}], packet{from, done, flits})
			outOf[[2]int{way, out}] += flits
			sent[way] += data
		}
		for port, ps := range into {
			for _, first := range ps {
				for _, last := range ps {
					booked := int64(0)
					for _, p := range ps {
						if p.from >= first.from && p.done <= last.done {
							booked += p.flits
						}
					}
					if span := last.done - first.from; booked > 0 && sim.Time(booked)*period > span {
						t.Fatalf("way and port %v passed %d flits in %d cycles", port, booked, span/period)
					}
				}
			}
		}
		if requested, replied := x.Moved(); requested != sent[0] || replied != sent[1] {
			t.Fatalf("moved %d and %d bytes, want %d and %d", requested, replied, sent[0], sent[1])
		}
	})
}

// A port that is never idle passes its width each cycle: the last of n packets
// is done n packets' time after the first was there.
func TestPortThroughput(t *testing.T) {
	for _, data := range []sim.Bytes{0, 32, 128, 2040} {
		x := NewCrossbar(gigahertz, 4, 1)
		flits := int64((data + 8 + 31) / 32)
		var last sim.Time
		const n = 400
		for i := range n {
			last = max(last, x.Request(at(int64(i/4)), i%4, 0, data))
		}
		if want := at(40 + n*flits); last != want {
			t.Errorf("%d packets of %d bytes: done at %v, want %v", n, data, last, want)
		}
	}
	if got := NewCrossbar(gigahertz, 1, 1).PortBandwidth(); math.Abs(float64(got)/32e9-1) > 1e-12 {
		t.Errorf("port bandwidth %v, want 32 GB/s", got)
	}
}

// However long a packet is and whenever it comes, the next waits for all of it.
func TestPacketsBackToBack(t *testing.T) {
	for flits := int64(1); flits <= 200; flits++ {
		for _, start := range []int64{0, 1, 24, 63, 88} { // 24 + 40 is 64
			x := NewCrossbar(gigahertz, 2, 1)
			data := sim.Bytes(32*flits - 8)
			first, second := x.Request(at(start), 0, 0, data), x.Request(at(start), 1, 0, data)
			if want := at(start + 40 + flits); first != want || second != want+at(flits) {
				t.Fatalf("two packets of %d flits at %d: done at %v and %v, want %v and %v",
					flits, start, first, second, want, want+at(flits))
			}
		}
	}
}
