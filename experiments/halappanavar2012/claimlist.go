package halappanavar2012

import "heddle/experiments/study"

// claim is a number or an order that the paper states in words, or a row of
// its table II.
type claim struct {
	id    string
	where string // in the paper
	text  string // in our words
	scale int    // of the graphs it is simulated on
	paper int    // scale that it is stated for; 0: none, or any

	// A number: published, NaN if the paper names none, and what is simulated.
	published float64
	value     quantity
	trend     []trendPoint // the same on smaller graphs, ascending

	// An order: low is below high. Of a number both are zero.
	low, high quantity

	// base and run are what value is the ratio of, if it is one of two times.
	base, run *study.Case
	// exact says that the number belongs to graphs of the paper's scale, and
	// foreign that what is simulated is not the paper's graph.
	exact, foreign bool
	// reason says why nothing simulated answers the claim, if it is so, or what
	// to know of the answer.
	reason string
}

// trendPoint is a quantity on graphs of a scale.
type trendPoint struct {
	scale int
	value quantity
}

func (c *claim) isOrder() bool    { return c.low.of != nil }
func (c *claim) isAnswered() bool { return c.isOrder() || c.value.of != nil }

func (c *claim) needs() Needs {
	var n Needs
	for _, q := range []quantity{c.value, c.low, c.high} {
		n.merge(q.needs)
	}
	for _, p := range c.trend {
		n.merge(p.value.needs)
	}
	return n
}

// claims returns what the paper claims.
func (o *Paper) claims() []claim {
	var all []claim
	all = append(all, o.headlineClaims()...)
	all = append(all, o.graphClaims()...)
	all = append(all, o.multicoreClaims()...)
	all = append(all, o.gpuClaims()...)
	all = append(all, o.xmtClaims()...)
	return append(all, o.unansweredClaims()...)
}

// ratioClaim is a number that is the time of base over that of run.
func ratioClaim(id, where, text string, published float64, scale, paper int, base, run study.Case) claim {
	return claim{id: id, where: where, text: text, published: published, scale: scale, paper: paper,
		value: speedup(base, run), base: &base, run: &run}
}

// headlineClaims are those of the abstract, on RMAT-G.
func (o *Paper) headlineClaims() []claim {
	headlined := func(id, text string, published float64, scale, paper int, base, run string) claim {
		on := o.abstractRun
		c := ratioClaim(id, "abstract", text, published, scale, paper, on(base, scale), on(run, scale))
		for _, smaller := range trendScales(scale) {
			c.trend = append(c.trend, trendPoint{smaller, speedup(on(base, smaller), on(run, smaller))})
		}
		return c
	}
	multi := func(id, text string, published float64, base, run string) claim {
		return headlined(id, text, published, o.headlineScale(), paperScale, base, run)
	}
	accelerated := func(id, text string, published float64, run string) claim {
		return headlined(id, text, published, o.headlineGPUScale(), paperGPUScale, "1 core of the host", run)
	}
	const nehalemCore = "1 Nehalem core"
	return []claim{
		multi("magny-48", "48 Magny-Cours cores over one Nehalem core", 32, nehalemCore, "48 Magny-Cours cores"),
		multi("magny-48-self", "48 Magny-Cours cores over one of them", 32, "1 Magny-Cours core", "48 Magny-Cours cores"),
		multi("nehalem-8", "8 Nehalem cores over one", 7, nehalemCore, "8 Nehalem cores"),
		accelerated("tesla", "Tesla C1060 over one core of its Nehalem host", 3, "Tesla C1060"),
		accelerated("fermi", "Tesla C2050 over one core of its Nehalem host", 10, "Tesla C2050"),
		multi("xmt-128", "128 XMT processors over one Nehalem core", 60, nehalemCore, "128 XMT processors"),
		multi("xmt-128-self", "128 XMT processors over one of them", 60, "1 XMT processor", "128 XMT processors"),
	}
}
