package net

import "heddle/sim"

// TorusConfig describes a three-dimensional torus with a router at each node.
type TorusConfig struct {
	Interface sim.Time `yaml:"interface" range:"0 ns..100 us" doc:"of a packet from a node into the network and from the network into a node, together"`
	Hop       sim.Time `yaml:"hop" range:"0 ns..100 us" doc:"from a router to the next"`
}

// Torus is a three-dimensional torus as latencies: a packet takes a shortest
// way, and links are not contended for. That holds where nodes inject far less
// than their links carry, as those of the Cray XMT do.
type Torus struct {
	dims  [3]int
	place [][3]int16 // of each node
	away  [3][]sim.Time
	enter sim.Time
	hop   sim.Time
}

// NewTorus returns a torus of the given nodes, at least 1, as near to a cube
// as their number allows.
func NewTorus(c TorusConfig, nodes int) *Torus {
	t := &Torus{dims: TorusDimensions(nodes), place: make([][3]int16, nodes), enter: c.Interface, hop: c.Hop}
	for d, n := range t.dims {
		// By the difference of two coordinates, from 1-n to n-1.
		t.away[d] = make([]sim.Time, 2*n-1)
		for i := range t.away[d] {
			t.away[d][i] = sim.Time(ringDistance(0, i-(n-1), n)) * c.Hop
		}
	}
	for i := range t.place {
		x, yz := i%t.dims[0], i/t.dims[0]
		t.place[i] = [3]int16{int16(x), int16(yz % t.dims[1]), int16(yz / t.dims[1])}
	}
	return t
}

// TorusDimensions returns the three factors of nodes, from small to large,
// with which packets to random nodes make the fewest hops; of several, those
// nearest to a cube.
func TorusDimensions(nodes int) [3]int {
	best, fewest := [3]int{1, 1, nodes}, meanRing(nodes)
	for a := 1; a*a*a <= nodes; a++ {
		if nodes%a != 0 {
			continue
		}
		for b := a; a*b*b <= nodes; b++ {
			if nodes/a%b != 0 {
				continue
			}
			c := nodes / a / b
			if hops := meanRing(a) + meanRing(b) + meanRing(c); hops <= fewest {
				best, fewest = [3]int{a, b, c}, hops
			}
		}
	}
	return best
}

// meanRing returns the mean distance of two nodes, not necessarily different,
// of a ring of n: the sum of all floor(n^2/4), over n.
func meanRing(n int) float64 { return float64(n*n/4) / float64(n) }

func ringDistance(a, b, n int) int {
	d := a - b
	if d < 0 {
		d = -d
	}
	return min(d, n-d)
}

// Latency returns the time of a packet from node a to node b without the time
// that its sender takes to put it on the network.
func (t *Torus) Latency(a, b int) sim.Time {
	p, q := &t.place[a], &t.place[b]
	return t.enter +
		t.away[0][int(p[0]-q[0])+t.dims[0]-1] +
		t.away[1][int(p[1]-q[1])+t.dims[1]-1] +
		t.away[2][int(p[2]-q[2])+t.dims[2]-1]
}

// Hops returns the routers that a packet from node a to node b goes on to
// after its first.
func (t *Torus) Hops(a, b int) int {
	n := 0
	for d := range t.dims {
		n += ringDistance(int(t.place[a][d]), int(t.place[b][d]), t.dims[d])
	}
	return n
}

// Dimensions returns the sizes of the three rings.
func (t *Torus) Dimensions() [3]int { return t.dims }

// MeanHops returns the hops between two nodes drawn at random, which may be
// the same.
func (t *Torus) MeanHops() float64 {
	return meanRing(t.dims[0]) + meanRing(t.dims[1]) + meanRing(t.dims[2])
}

// MeanLatency returns the mean of Latency over all pairs of nodes.
func (t *Torus) MeanLatency() sim.Time {
	return t.enter + sim.Time(t.MeanHops()*float64(t.hop)+0.5)
}
