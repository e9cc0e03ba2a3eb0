package matching

import (
	"context"
	"sync/atomic"
	"time"

	"heddle/kernels"
	"heddle/kernels/feb"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// nativeDataflow is Algorithms 4 and 5 on goroutines, with full/empty words in
// software. When its context ends, the vertices begun are still processed, and
// those that they wait for: somebody waits for their answers.
func nativeDataflow(ctx context.Context, g *graph.Graph, o kernels.Options) (kernels.Answer, error) {
	if err := g.CheckPositiveWeights(); err != nil {
		return nil, err
	}
	v := g.Vertices()
	t := team.New(ctx, o.Threads)
	began := time.Now()
	rows, err := sortRows(t, g, true)
	if err != nil {
		return nil, err
	}
	sorting := time.Since(began)
	d := &dataflow{
		g: g, rows: rows, candidate: feb.New(len(g.Adj)),
		state: make([]int32, v), mate: make([]int32, v),
	}
	if err := t.Each(v, 4096, d.clearVertices); err != nil {
		return nil, err
	}
	if err := t.Each(len(g.Adj), 8192, d.clearEdges); err != nil {
		return nil, err
	}
	if err := t.Each(v, 256, d.match); err != nil {
		return nil, err
	}
	a := newAnswer(g, d.mate, nil)
	a.unqueued = true
	a.sorting = sorting
	return a, nil
}

type dataflow struct {
	g         *graph.Graph
	rows      *sortedRows
	candidate *feb.Words
	state     []int32
	mate      []int32
}

func (d *dataflow) clearVertices(lo, hi int) {
	for u := lo; u < hi; u++ {
		d.mate[u], d.state[u] = none, 0
	}
}

func (d *dataflow) clearEdges(lo, hi int) {
	for e := lo; e < hi; e++ {
		d.candidate.Purge(e)
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
	for ; c.e < c.end; c.e++ {
		t = d.rows.adj[c.e]
		if !c.asked {
			c.asked = true
			d.candidate.WriteEF(int(c.e), 1)
			if !d.begun(t) {
				return t, true
			}
		}
		c.asked = false
		if d.candidate.ReadFF(int(d.rows.reverse[c.e])) == 1 {
			// The other end writes the same.
			atomic.StoreInt32(&d.mate[c.s], t)
			atomic.StoreInt32(&d.mate[t], c.s)
			for c.e++; c.e < c.end; c.e++ {
				d.candidate.WriteEF(int(c.e), 0)
			}
			return 0, false
		}
	}
	return 0, false
}
