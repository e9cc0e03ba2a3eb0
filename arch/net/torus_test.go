package net

import (
	"testing"

	"pgregory.net/rapid"

	"heddle/sim"
)

// walk finds the distances from node 0 by breadth-first search over the links.
func walk(dims [3]int, from int) []int {
	nodes := dims[0] * dims[1] * dims[2]
	dist := make([]int, nodes)
	for i := range dist {
		dist[i] = -1
	}
	dist[from] = 0
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		stride := 1
		for _, n := range dims {
			at := u / stride % n
			for _, next := range []int{(at + 1) % n, (at + n - 1) % n} {
				v := u + (next-at)*stride
				if dist[v] < 0 {
					dist[v] = dist[u] + 1
					queue = append(queue, v)
				}
			}
			stride *= n
		}
	}
	return dist
}

// Hops are those of a breadth-first search over the links, their mean over all
// pairs is MeanHops, and a packet takes the interface and a hop's time a hop.
func TestTorusTakesShortestWays(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		nodes := rapid.IntRange(1, 160).Draw(r, "nodes")
		c := TorusConfig{Interface: 70 * sim.Nanosecond, Hop: 11 * sim.Nanosecond}
		x := NewTorus(c, nodes)
		dims := x.Dimensions()
		if dims[0]*dims[1]*dims[2] != nodes {
			r.Fatalf("%d nodes as %v", nodes, dims)
		}
		sum := 0
		for a := range nodes {
			for b, want := range walk(dims, a) {
				sum += want
				if got := x.Hops(a, b); got != want {
					r.Fatalf("%v: %d hops from %d to %d, want %d", dims, got, a, b, want)
				}
				if got, want := x.Latency(a, b), c.Interface+sim.Time(want)*c.Hop; got != want {
					r.Fatalf("%v: %d fs from %d to %d, want %d", dims, got, a, b, want)
				}
			}
		}
		if got, want := x.MeanHops(), float64(sum)/float64(nodes*nodes); got-want > 1e-9 || want-got > 1e-9 {
			r.Fatalf("%v: mean of %g hops, want %g", dims, got, want)
		}
	})
}

func TestTorusIsNearlyACube(t *testing.T) {
	for nodes, want := range map[int][3]int{
		1: {1, 1, 1}, 2: {1, 1, 2}, 8: {2, 2, 2}, 13: {1, 1, 13}, 64: {4, 4, 4}, 96: {4, 4, 6}, 128: {4, 4, 8}, 512: {8, 8, 8},
	} {
		if got := TorusDimensions(nodes); got != want {
			t.Errorf("%d nodes: %v, want %v", nodes, got, want)
		}
	}
}
