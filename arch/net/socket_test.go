package net

import (
	"strings"
	"testing"

	"heddle/sim"
)

// fourSockets are the links of four sockets of two dies: 1 GB/s is a byte a
// nanosecond.
func fourSockets(t testing.TB) *SocketLinks {
	t.Helper()
	l, err := NewSocketLinks(SocketLinksConfig{
		Linked:  "same-die",
		Header:  16,
		Package: SocketLinkConfig{Bandwidth: 4e9, Transit: 2e9},
		Socket:  SocketLinkConfig{Bandwidth: 2e9, Transit: 1e9},
	}, 4, 2, 64)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestSocketDistances has the matrix of four Opteron 6100 packages as mctop
// measured it: from die 0, die 1 is in the package, 2, 4 and 6 are one hop
// away, 3, 5 and 7 two.
func TestSocketDistances(t *testing.T) {
	l := fourSockets(t)
	for a := range 8 {
		for b := range 8 {
			want := TwoHops
			switch {
			case a == b:
				want = SameDie
			case a/2 == b/2:
				want = SamePackage
			case a%2 == b%2:
				want = OneHop
			}
			if got := l.Distance(a, b); got != want {
				t.Errorf("from die %d to %d: %v, not %v", a, b, got, want)
			}
		}
	}
	if l.Farthest() != TwoHops {
		t.Errorf("farthest is %v", l.Farthest())
	}
	if n := 2 * (4 + 2*6); l.Links() != n {
		t.Errorf("%d links, not %d", l.Links(), n)
	}
	two, err := NewSocketLinks(SocketLinksConfig{Linked: "all", Socket: SocketLinkConfig{Bandwidth: 1e9, Transit: 1e9}}, 2, 1, 64)
	if err != nil || two.Distance(0, 1) != OneHop || two.Farthest() != OneHop || two.Links() != 2 {
		t.Errorf("two sockets of a die: %v", err)
	}
}

// TestSocketContention sends packets at one time: a link passes one after the
// other, at the bandwidth for the kind of way; ways apart do not meet.
func TestSocketContention(t *testing.T) {
	const ns = sim.Nanosecond
	for _, c := range []struct {
		name  string
		sends [][2]int
		size  sim.Bytes
		want  sim.Time // arrival of the last head
	}{
		{"alone", [][2]int{{0, 2}}, 64, 0},
		{"behind one of 80 bytes at 2 GB/s", [][2]int{{0, 2}, {0, 2}}, 64, 40 * ns},
		{"behind two", [][2]int{{0, 2}, {0, 2}, {0, 2}}, 64, 80 * ns},
		{"the other way", [][2]int{{0, 2}, {2, 0}}, 64, 0},
		{"another link", [][2]int{{0, 2}, {0, 4}}, 64, 0},
		{"in the package", [][2]int{{0, 1}, {0, 1}}, 64, 20 * ns},
		{"behind one of 144 bytes", [][2]int{{0, 2}, {0, 2}}, 128, 72 * ns},
		{"two links: the package's at 2 GB/s, the socket's at 1", [][2]int{{0, 3}, {0, 3}}, 64, 80 * ns},
		{"transit takes more of a link", [][2]int{{0, 3}, {1, 3}}, 64, 80 * ns},
		{"transit of an unusual size", [][2]int{{0, 3}, {1, 3}}, 4, 20 * ns},
	} {
		l := fourSockets(t)
		var got sim.Time
		for _, s := range c.sends {
			got = l.Send(1000*ns, s[0], s[1], c.size) - 1000*ns
		}
		if got != c.want {
			t.Errorf("%s: %g ns, not %g", c.name, float64(got)/float64(ns), float64(c.want)/float64(ns))
		}
	}
}

// TestSocketBandwidth saturates a link: it passes what it can, and not more.
func TestSocketBandwidth(t *testing.T) {
	l := fourSockets(t)
	const n = 1000
	var last sim.Time
	for range n {
		last = l.Send(0, 0, 2, 64)
	}
	if want := sim.Time(n-1) * 40 * sim.Nanosecond; last != want {
		t.Errorf("the last of %d packets leaves at %d, not %d", n, last, want)
	}
	var bytes sim.Bytes
	var busy sim.Time
	for i := range l.Links() {
		s := l.Link(i)
		if s.Bytes > 0 && (s.From != 0 || s.To != 2) {
			t.Errorf("from %d to %d went %d bytes", s.From, s.To, s.Bytes)
		}
		bytes, busy = bytes+s.Bytes, busy+s.Busy
	}
	if bytes != n*64 || busy != n*40*sim.Nanosecond {
		t.Errorf("%d bytes in %d", bytes, busy)
	}
	l.Advance(sim.Second)
	if at := l.Send(sim.Second, 0, 2, 64); at != sim.Second {
		t.Errorf("an idle link sends at %d", at)
	}
}

func TestSocketFaults(t *testing.T) {
	_, err := NewSocketLinks(SocketLinksConfig{Linked: "ring", Header: -1}, 2, 2, 64)
	for _, want := range []string{`linked: "ring" is not one of all, same-die`, "header: -1 bytes is negative",
		"package.bandwidth: 0 B/s is not positive", "socket.transit: 0 B/s is not positive"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
