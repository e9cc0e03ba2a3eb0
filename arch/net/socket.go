package net

import (
	"errors"
	"fmt"

	"heddle/sim"
)

// SocketLinksConfig describes the point-to-point links between the dies of a
// machine, such as HyperTransport or QPI. All dies of a socket are linked with
// each other; Linked says which dies of different sockets are.
type SocketLinksConfig struct {
	Linked  string           `yaml:"linked" oneof:"all same-die" doc:"dies of different sockets that have a link: every two, or those of the same number within their sockets"`
	Header  sim.Bytes        `yaml:"header" range:"0 B..256 B" doc:"bytes that go with the data of each packet: its head, its request, its share of probes"`
	Package SocketLinkConfig `yaml:"package" optional:"true" doc:"links between dies of a socket; may be absent if there is one a socket"`
	Socket  SocketLinkConfig `yaml:"socket" optional:"true" doc:"links between sockets; may be absent if there is one"`
}

// SocketLinkConfig describes links of one kind.
type SocketLinkConfig struct {
	Bandwidth sim.Bandwidth `yaml:"bandwidth" range:"1 MB/s..10 TB/s" doc:"of packets for which the link is the only one, each way, headers included"`
	Transit   sim.Bandwidth `yaml:"transit" range:"1 MB/s..10 TB/s" doc:"of packets that take a further link too, each way, headers included"`
}

// Distance says how far apart two dies are.
type Distance uint8

// Distances, from near to far.
const (
	SameDie Distance = iota
	SamePackage
	OneHop  // one link between sockets
	TwoHops // two links
	Distances
)

func (d Distance) String() string {
	return [...]string{"die", "package", "1 hop", "2 hops"}[d]
}

// Validate returns what is wrong with c for a machine of the given sockets,
// each of so many dies; each error begins with the key at fault.
func (c *SocketLinksConfig) Validate(sockets, dies int) error {
	var errs []error
	need := func(key string, l SocketLinkConfig) {
		if !(l.Bandwidth > 0) {
			errs = append(errs, fmt.Errorf("%s.bandwidth: %g B/s is not positive", key, float64(l.Bandwidth)))
		}
		if !(l.Transit > 0) {
			errs = append(errs, fmt.Errorf("%s.transit: %g B/s is not positive", key, float64(l.Transit)))
		}
	}
	if c.Linked != "all" && c.Linked != "same-die" {
		errs = append(errs, fmt.Errorf("linked: %q is not one of all, same-die", c.Linked))
	}
	if c.Header < 0 {
		errs = append(errs, fmt.Errorf("header: %d bytes is negative", c.Header))
	}
	if dies > 1 {
		need("package", c.Package)
	}
	if sockets > 1 {
		need("socket", c.Socket)
	}
	return errors.Join(errs...)
}

// SocketLinks are the links of a machine as bandwidths: a packet waits where
// others are on its way. The latencies are the business of who sends.
type SocketLinks struct {
	perSocket int
	header    sim.Bytes
	links     []socketLink
	route     [][]uint16 // of from x dies + to: links, in order
	dies      int
}

type socketLink struct {
	over     *sim.Ledger
	config   SocketLinkConfig
	line     sim.Bytes // data of the packets that hold was computed for
	hold     [2]sim.Time
	from, to int
	bytes    sim.Bytes
}

// LinkStats are the counts of one link in one direction.
type LinkStats struct {
	From, To int       // dies
	Bytes    sim.Bytes // data, without headers
	Busy     sim.Time
}

// NewSocketLinks returns the idle links of a machine of so many sockets, each
// of so many dies. Die d is on socket d / dies. Packets of other sizes than
// line are allowed, but slower to compute. Errors name the key of c at fault.
func NewSocketLinks(c SocketLinksConfig, sockets, dies int, line sim.Bytes) (*SocketLinks, error) {
	if err := c.Validate(sockets, dies); err != nil {
		return nil, err
	}
	n := sockets * dies
	l := &SocketLinks{perSocket: dies, header: c.Header, route: make([][]uint16, n*n), dies: n}
	for from := range n {
		for to := range n {
			if !c.linked(from, to, dies) {
				continue
			}
			kind := c.Socket
			if from/dies == to/dies {
				kind = c.Package
			}
			link := socketLink{config: kind, line: line, from: from, to: to}
			link.hold = [2]sim.Time{kind.Bandwidth.TimeFor(line + c.Header), kind.Transit.TimeFor(line + c.Header)}
			link.over = sim.NewLedger(8*link.hold[0], 1024)
			l.route[from*n+to] = []uint16{uint16(len(l.links))}
			l.links = append(l.links, link)
		}
	}
	for from := range n {
		for to := range n {
			if from == to || l.route[from*n+to] != nil {
				continue
			}
			// Within the sender's socket first, then to the other one.
			via := from/dies*dies + to%dies
			l.route[from*n+to] = []uint16{l.route[from*n+via][0], l.route[via*n+to][0]}
		}
	}
	return l, nil
}

func (c *SocketLinksConfig) linked(a, b, dies int) bool {
	return a != b && (a/dies == b/dies || c.Linked == "all" || a%dies == b%dies)
}

// Distance returns how far apart two dies are.
func (l *SocketLinks) Distance(a, b int) Distance {
	switch {
	case a == b:
		return SameDie
	case a/l.perSocket == b/l.perSocket:
		return SamePackage
	case len(l.route[a*l.dies+b]) == 1:
		return OneHop
	}
	return TwoHops
}

// Farthest returns the greatest distance between two dies.
func (l *SocketLinks) Farthest() Distance {
	far := SameDie
	for b := range l.dies {
		far = max(far, l.Distance(0, b)) // all dies see the same distances
	}
	return far
}

// Send passes data from one die to another and returns when its head arrives,
// less the latency of the way: at, if no link on it is busy.
func (l *SocketLinks) Send(at sim.Time, from, to int, data sim.Bytes) sim.Time {
	route := l.route[from*l.dies+to]
	for _, i := range route {
		k := &l.links[i]
		k.bytes += data
		kind := 0
		if len(route) > 1 {
			kind = 1
		}
		hold := k.hold[kind]
		if data != k.line {
			hold = k.slow(kind, data+l.header)
		}
		at = k.over.Reserve(at, hold)
	}
	return at
}

// slow returns how long a packet of an unusual size takes.
//
//go:noinline
func (k *socketLink) slow(kind int, size sim.Bytes) sim.Time {
	if kind == 0 {
		return k.config.Bandwidth.TimeFor(size)
	}
	return k.config.Transit.TimeFor(size)
}

// Advance tells the links that nothing will be sent before now.
func (l *SocketLinks) Advance(now sim.Time) {
	for i := range l.links {
		l.links[i].over.Advance(now)
	}
}

// Links returns the number of links; the two directions count as two.
func (l *SocketLinks) Links() int { return len(l.links) }

// Link returns the counts of link i.
func (l *SocketLinks) Link(i int) LinkStats {
	k := &l.links[i]
	return LinkStats{From: k.from, To: k.to, Bytes: k.bytes, Busy: k.over.Busy()}
}
