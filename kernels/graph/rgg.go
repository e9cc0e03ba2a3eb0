package graph

import (
	"math"
	"math/rand/v2"
	"slices"
)

// rggRadius times sqrt(ln n / n) is the radius within which the points of a
// random geometric graph are neighbors, the convention of the 10th DIMACS
// implementation challenge (Holtgrewe, Sanders, Schulz, "Engineering a scalable
// high quality graph partitioner", IPDPS 2010): just above the threshold of
// connectivity.
const rggRadius = 0.55

// RGG are the parameters of a random geometric graph: 2^Scale points, uniform
// in the unit square, joined when nearer than rggRadius * sqrt(ln n / n).
type RGG struct {
	Scale int
	Seed  uint64
}

type point struct{ x, y float64 }

// grid holds points sorted by square cell, row after row; cells are at least
// as wide as the radius, so all neighbors are in the 3 x 3 cells around.
type grid struct {
	side   int // cells per row
	start  []int32
	points []point
}

// Generate makes the graph. Vertices are numbered cell by cell, so that
// neighbors in space are near in memory. Progress, which may be nil, is told of
// the points whose neighbors are known.
func (p RGG) Generate(progress func(done, total int64)) *Graph {
	n := 1 << p.Scale
	radius := rggRadius * math.Sqrt(math.Log(float64(n))/float64(n))
	g := newGrid(p.points(n), max(1, int(1/radius)))

	out := &Graph{XAdj: make([]int64, n+1)}
	g.visit(radius*radius, func(u, _ int32) { out.XAdj[u+1]++ }, nil)
	for i := range n {
		out.XAdj[i+1] += out.XAdj[i]
	}
	out.Adj = make([]int32, out.XAdj[n])
	next := slices.Clone(out.XAdj[:n])
	report := tally{total: int64(n), progress: progress}
	g.visit(radius*radius, func(u, v int32) {
		out.Adj[next[u]] = v
		next[u]++
	}, report.add)
	return out
}

// points draws the points, each block from a stream of its own.
func (p RGG) points(n int) []point {
	points := make([]point, n)
	inBlocks(n, 1<<16, func(lo, hi int) {
		rng := rand.New(rand.NewPCG(mix(p.Seed), mix(^p.Seed+mix(uint64(lo)))))
		for i := lo; i < hi; i++ {
			points[i] = point{rng.Float64(), rng.Float64()}
		}
	})
	return points
}

func newGrid(points []point, side int) *grid {
	g := &grid{side: side, start: make([]int32, side*side+2), points: make([]point, len(points))}
	cell := func(p point) int { return int(p.y*float64(side))*side + int(p.x*float64(side)) }
	for _, p := range points {
		g.start[cell(p)+2]++
	}
	for i := 2; i < len(g.start); i++ {
		g.start[i] += g.start[i-1]
	}
	// start[c+1] is the next free place of cell c, and its end when all is placed.
	for _, p := range points {
		c := cell(p)
		g.points[g.start[c+1]] = p
		g.start[c+1]++
	}
	g.start = g.start[:side*side+1]
	return g
}

// visit calls f(u, v) for all ordered pairs of points nearer than the square
// root of limit. Calls with the same u come from one goroutine, v ascending.
// done, which may be nil, is told of numbers of points finished.
func (g *grid) visit(limit float64, f func(u, v int32), done func(points int64)) {
	inBlocks(g.side, 1, func(row, _ int) {
		for column := range g.side {
			c := row*g.side + column
			for u := g.start[c]; u < g.start[c+1]; u++ {
				g.around(row, column, u, limit, f)
			}
		}
		if done != nil {
			done(int64(g.start[(row+1)*g.side] - g.start[row*g.side]))
		}
	})
}

// around calls f(u, v) for the points v near u, which lies in the cell given.
func (g *grid) around(row, column int, u int32, limit float64, f func(u, v int32)) {
	p := g.points[u]
	for r := max(0, row-1); r <= min(g.side-1, row+1); r++ {
		first := g.start[r*g.side+max(0, column-1)]
		last := g.start[r*g.side+min(g.side-1, column+1)+1]
		for v := first; v < last; v++ {
			dx, dy := g.points[v].x-p.x, g.points[v].y-p.y
			// The conversions forbid fused multiply-add, which would make
			// the graph depend on the processor.
			if float64(dx*dx)+float64(dy*dy) < limit && u != v {
				f(u, v)
			}
		}
	}
}
