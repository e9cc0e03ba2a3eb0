package matching

import (
	"sync/atomic"
	"time"

	"heddle/kernels"
	"heddle/kernels/feb"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// nativeDataflow is Algorithms 4 and 5 on goroutines, with full/empty words in
// software.
func nativeDataflow(t *team.Team, g *graph.Graph, _ kernels.Options) (kernels.NativeRun, error) {
	if err := g.CheckPositiveWeights(); err != nil {
		return nil, err
	}
	v := g.Vertices()
	began := time.Now()
	rows, err := sortRows(t, g, true)
	if err != nil {
		return nil, err
	}
	return &dataflow{
		t: t, g: g, rows: rows, sorting: time.Since(began), candidate: feb.New(len(g.Adj)),
		state: make([]int32, v), mate: make([]int32, v),
	}, nil
}

type dataflow struct {
	t         *team.Team
	g         *graph.Graph
	rows      *sortedRows
	sorting   time.Duration
	candidate *feb.Words
	state     []int32
	mate      []int32
}

// Run implements kernels.NativeRun. When its context ends, the vertices begun
// are still processed, and those that they wait for: somebody waits for their
// answers.
func (d *dataflow) Run() error {
	v := d.g.Vertices()
	if err := d.t.Each(v, team.Chunk, d.clearVertices); err != nil {
		return err
	}
	if err := d.t.Each(len(d.g.Adj), team.Chunk, d.clearEdges); err != nil {
		return err
	}
	return d.t.Each(v, team.Chunk, d.match)
}

// Answer implements kernels.NativeRun.
func (d *dataflow) Answer() kernels.Answer {
	a := newAnswer(d.g, d.mate, nil)
	a.unqueued = true
	a.sorting = d.sorting
	return a
}

func (d *dataflow) clearVertices(lo, hi int) {
	for u := lo; u < hi; u++ {
		d.mate[u], d.state[u] = none, 0
	}
}

func (d *dataflow) clearEdges(lo, hi int) {
	words := d.candidate
	for e := lo; e < hi; e++ {
		words.Purge(e)
	}
}

// match is lines 8 to 11 of Algorithm 4 for the vertices from lo to hi-1.
func (d *dataflow) match(lo, hi int) {
	var stack []call
	for u := int32(lo); u < int32(hi); u++ {
		if d.begun(u) {
			continue
		}
		stack = append(stack[:0], d.call(u))
		for len(stack) > 0 {
			if t, next := d.step(&stack[len(stack)-1]); next {
				stack = append(stack, d.call(t))
			} else {
				stack = stack[:len(stack)-1]
			}
		}
	}
}

// begun reports whether somebody has begun to process u before.
func (d *dataflow) begun(u int32) bool { return atomic.AddInt32(&d.state[u], 1) != 1 }

// call is an open call of Algorithm 5.
type call struct {
	s      int32
	asked  bool  // the neighbor at e has been asked, and may answer
	e, end int64 // the rest of s's row
}

func (d *dataflow) call(s int32) call {
	return call{s: s, e: d.g.XAdj[s], end: d.g.XAdj[s+1]}
}

// step goes on with Algorithm 5 for c's vertex until it ends, or until a
// neighbor t must be processed next.
func (d *dataflow) step(c *call) (t int32, next bool) {
	words := d.candidate
	for e := c.e; e < c.end; e++ {
		t = d.rows.adj[e]
		if !c.asked {
			words.WriteEF(int(e), 1)
			if !d.begun(t) {
				c.e, c.asked = e, true
				return t, true
			}
		}
		c.asked = false
		if words.ReadFF(int(d.rows.reverse[e])) == 1 {
			// The other end writes the same.
			atomic.StoreInt32(&d.mate[c.s], t)
			atomic.StoreInt32(&d.mate[t], c.s)
			for rest := e + 1; rest < c.end; rest++ {
				words.WriteEF(int(rest), 0)
			}
			return 0, false
		}
	}
	return 0, false
}
