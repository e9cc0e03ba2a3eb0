package halappanavar2012

import (
	"fmt"
	"math"
	"strings"

	"heddle/experiments/study"
)

// claim is a number or an order that the paper states in words, or a row of
// its table II.
type claim struct {
	id    string
	where string // in the paper
	text  string // in our words
	scale int    // of the graphs it is simulated on
	paper int    // scale that it is stated for; 0: none, or any

	// A number: published, and what is simulated.
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
}

// trendPoint is a quantity on graphs of a scale.
type trendPoint struct {
	scale int
	value quantity
}

func (c *claim) isOrder() bool { return c.low.of != nil }

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
	return append(all, o.xmtClaims()...)
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

// graphClaims are those that need no timing: table II, figure 1 and the
// cardinality of the matchings.
func (o *Paper) graphClaims() []claim {
	var all []claim
	tableScale := o.tableScales()[0]
	properties := []struct {
		id, name string // as tableProperties
	}{
		{"vertices", "vertices"}, {"edges", "edges"}, {"max-degree", "max. degree"},
		{"variance", "variance of degrees"}, {"isolated", "isolated vertices, %"},
	}
	for i, f := range families {
		row := publishedAt(i, tableScale)
		paper := tableScale
		if math.IsNaN(row[0]) {
			paper = published[i][0].scale
			row = publishedAt(i, paper)
		}
		for j, p := range properties {
			all = append(all, claim{id: "table2-" + f.graph + "-" + p.id, where: "table II", text: f.title + ": " + p.name,
				scale: tableScale, paper: paper, exact: true, published: row[j], value: columnOf(o.graphOf(f, tableScale), tableProperties[j].column)})
		}
	}
	all = append(all, claim{id: "mean-degree", where: "III-C", text: families[0].title + ": mean degree", scale: tableScale, published: 16,
		value: figureOf(o.graphOf(families[0], tableScale), "mean_degree")})
	// The paper's 10^-7, 12^-6 and 34^-5 are read as 10e-7, 12e-6 and 34e-5:
	// a random graph has the mean degree over V, 16/2^24 = 9.5e-7.
	for i, mean := range []float64{10e-7, 12e-6, 34e-5} {
		f := families[i]
		all = append(all, claim{id: "clustering-" + f.graph, where: "III-C", text: f.title + ": mean clustering coefficient", scale: o.headlineScale(),
			paper: paperScale, exact: true, published: mean, value: figureOf(o.clusteringOf(f), "mean_clustering")})
	}
	matched := func(f family, name string) quantity { return figureOf(o.untimedRun(f), name) }
	for _, c := range []struct {
		family    int
		figure    string
		text      string
		published float64
	}{
		{0, "matched_percent", "matched vertices, %", 94.12},
		{1, "matched_percent", "matched vertices, %", 81.70},
		{1, "matched_percent_connected", "matched of not isolated vertices, %", 83.46},
		{2, "matched_percent", "matched vertices, %", 44.24},
		{2, "matched_percent_connected", "matched of not isolated vertices, %", 63.94},
	} {
		f := families[c.family]
		all = append(all, claim{id: "cardinality-" + f.graph + strings.TrimPrefix(c.figure, "matched_percent"), where: "V", text: f.title + ": " + c.text, scale: o.headlineScale(), paper: paperScale,
			published: c.published, value: matched(f, c.figure)})
	}
	order := func(id, where, text string, low, high quantity) {
		all = append(all, claim{id: id, where: where, text: text, scale: o.headlineScale(), paper: paperScale, low: low, high: high})
	}
	er, g, b := families[0], families[1], families[2]
	order("cardinality-b-g", "V", "RMAT-B matches less than RMAT-G", matched(b, "matched_percent"), matched(g, "matched_percent"))
	order("cardinality-g-er", "V", "RMAT-G matches less than RMAT-ER", matched(g, "matched_percent"), matched(er, "matched_percent"))
	iterations := func(f family) quantity {
		return queueOf(o.untimedRun(f), func(sizes []int64) float64 { return float64(len(sizes)) })
	}
	order("iterations-er-b", "V", "RMAT-ER takes fewer iterations than RMAT-B", iterations(er), iterations(b))
	order("iterations-g-b", "V", "RMAT-G takes fewer iterations than RMAT-B", iterations(g), iterations(b))
	for _, f := range families {
		all = append(all, claim{id: "halves-" + f.graph, where: "III-A", text: f.title + ": a queue over the one before", scale: o.headlineScale(),
			paper: paperScale, published: 0.5, value: queueOf(o.untimedRun(f), shrinkage)})
		order("largest-"+f.graph, "III-A", f.title+": no queue is longer than the first", queueOf(o.untimedRun(f), longestLater), queueOf(o.untimedRun(f), firstSize))
	}
	return all
}

func firstSize(sizes []int64) float64 {
	if len(sizes) == 0 {
		return math.NaN()
	}
	return float64(sizes[0])
}

func longestLater(sizes []int64) float64 {
	longest := 0.0
	for i, n := range sizes {
		if i > 0 {
			longest = max(longest, float64(n))
		}
	}
	return longest
}

// multicoreClaims are those on Magny-Cours and Nehalem.
func (o *Paper) multicoreClaims() []claim {
	var all []claim
	er, g, b := families[0], families[1], families[2]
	scale, small := o.scale(), o.weakScales()[0]
	order := func(id, text string, low, high quantity) {
		all = append(all, claim{id: id, where: "V", text: text, scale: scale, paper: paperScale, low: low, high: high})
	}
	all = append(all,
		ratioClaim("magny-slow", "V", "8 Magny-Cours cores take this times 8 Nehalem cores", 2, scale, paperScale,
			o.magnyRun(g, scale, 8), o.nehalemRun(g, scale, 8)),
		ratioClaim("magny-slow-xmt", "V", "32 Magny-Cours cores take this times 32 XMT processors", 2, scale, paperScale,
			o.magnyRun(g, scale, 32), o.xmtRun(queue, g, scale, 32)))
	for _, f := range families {
		eff := func(scale, cores int) quantity {
			return efficiencyOf(o.magnyRun(f, scale, 1), o.magnyRun(f, scale, cores), cores)
		}
		order("magny-48-drop-"+f.graph, f.title+": a Magny-Cours core does less of 48 than of 24", eff(scale, 48), eff(scale, 24))
		order("magny-small-"+f.graph, f.title+": 48 cores scale worse on small graphs", eff(small, 48), eff(scale, 48))
	}
	order("serial-magny", "RMAT-G: one Nehalem core is faster than one of Magny-Cours", timeOf(o.nehalemRun(g, scale, 1)), timeOf(o.magnyRun(g, scale, 1)))
	order("serial-xmt", "RMAT-G: one Nehalem core is faster than one XMT processor", timeOf(o.nehalemRun(g, scale, 1)), timeOf(o.xmtRun(queue, g, scale, 1)))
	for _, f := range []family{er, g} {
		order("serial-order-"+f.graph, f.title+": one Nehalem core takes longer than for RMAT-B", timeOf(o.nehalemRun(b, scale, 1)), timeOf(o.nehalemRun(f, scale, 1)))
	}
	return all
}

// gpuClaims are those on the GPUs and their host.
func (o *Paper) gpuClaims() []claim {
	var all []claim
	scale := o.gpuScale()
	order := func(id, text string, low, high quantity) {
		all = append(all, claim{id: id, where: "V", text: text, scale: scale, paper: paperGPUScale, low: low, high: high})
	}
	const cpu12, cpu24, onTesla, onFermi, onFermiL2 = 0, 1, 2, 3, 4
	run := func(p int, f family) study.Case { return o.platformRun(platforms[p], f.at(scale)) }
	faster := func(id, text string, f family, fast, slow int) {
		order(id+"-"+f.graph, f.title+": "+text, timeOf(run(fast, f)), timeOf(run(slow, f)))
	}
	for _, f := range families {
		faster("fermi-tesla", "Fermi is faster than Tesla", f, onFermi, onTesla)
		faster("fermi-cpu12", "Fermi is faster than 12 threads of its host", f, onFermi, cpu12)
		faster("fermi-cpu24", "Fermi is faster than 24 threads of its host", f, onFermi, cpu24)
		one := o.platformRun(hostCore, f.at(scale))
		order("host-scaling-"+f.graph, f.title+": 12 threads of the host scale worse than 8 of Nehalem", efficiencyOf(one, run(cpu12, f), 12),
			efficiencyOf(o.nehalemRun(f, o.scale(), 1), o.nehalemRun(f, o.scale(), 8), 8))
	}
	er, b := families[0], families[2]
	gain := func(p int, f family) quantity { return speedup(o.platformRun(hostCore, f.at(scale)), run(p, f)) }
	order("skew-tesla", "Tesla gains less on RMAT-B than on RMAT-ER", gain(onTesla, b), gain(onTesla, er))
	order("skew-fermi", "Fermi gains less on RMAT-B than on RMAT-ER", gain(onFermi, b), gain(onFermi, er))
	faster("l1-off", "Fermi is faster with L1 bypassed", er, onFermiL2, onFermi)

	const cit, soc = 0, 1
	paths, missing := o.RealGraphs()
	if len(missing) == 0 {
		gained := func(path string) quantity {
			return speedup(o.platformRun(hostCore, path), o.platformRun(platforms[onFermi], path))
		}
		order("skew-real", "Fermi gains less on cit-patent than on soc-live", gained(paths[cit]), gained(paths[soc]))
		last := &all[len(all)-1]
		last.scale, last.paper = 0, 0
		last.foreign = !o.isPapers(cit) || !o.isPapers(soc)
	}
	return all
}

// xmtClaims are those on the XMT.
func (o *Paper) xmtClaims() []claim {
	var all []claim
	scale := o.scale()
	order := func(id, text string, low, high quantity) {
		all = append(all, claim{id: id, where: "V", text: text, scale: scale, paper: paperScale, low: low, high: high})
	}
	g := families[goodSkew]
	for _, n := range []int{1, 32} {
		text := "unsorted rows take this times sorted ones, one XMT processor"
		if n > 1 {
			text = "unsorted rows take this times sorted ones, 32 XMT processors"
		}
		all = append(all, ratioClaim(fmt.Sprintf("xmt-sorted-%d", n), "V", text, 2, scale, paperScale, o.xmtRun(queue, g, scale, n), o.xmtRun(sorted, g, scale, n)))
	}
	all = append(all, claim{id: "xmt-latency", where: "III-B", text: "mean latency of memory, 128 XMT processors, cycles", scale: scale, paper: paperScale,
		published: 600, value: metricOf(o.xmtRun(queue, families[0], scale, 128), "memory_latency.mean")})
	for _, f := range families {
		eff := func(kernel string, n int) quantity {
			return efficiencyOf(o.xmtRun(kernel, f, scale, 1), o.xmtRun(kernel, f, scale, n), n)
		}
		order("xmt-drop-64-"+f.graph, f.title+": queues scale worse to 64 processors than to 32", eff(queue, 64), eff(queue, 32))
		order("xmt-drop-128-"+f.graph, f.title+": and worse to 128 than to 64", eff(queue, 128), eff(queue, 64))
		order("dataflow-scales-"+f.graph, f.title+": queues scale worse to 128 than dataflow", eff(queue, 128), eff(dataflow, 128))
		order("dataflow-fast-"+f.graph, f.title+": dataflow is faster than queues on 128", timeOf(o.xmtRun(dataflow, f, scale, 128)), timeOf(o.xmtRun(queue, f, scale, 128)))
		order("hot-tail-"+f.graph, f.title+": the tail of the queue is the hottest word of 128",
			atomicsOn(o.xmtRun(queue, f, scale, 128), ""), atomicsOn(o.xmtRun(queue, f, scale, 128), "tail"))
	}
	eff := func(f family) quantity {
		return efficiencyOf(o.xmtRun(queue, f, scale, 1), o.xmtRun(queue, f, scale, 128), 128)
	}
	order("skew-xmt", "Queues scale worse to 128 processors on RMAT-B than on RMAT-ER", eff(families[2]), eff(families[0]))
	order("xmt-opteron", "RMAT-G: 128 XMT processors are faster than 48 Magny-Cours cores", timeOf(o.xmtRun(queue, g, scale, 128)), timeOf(o.magnyRun(g, scale, 48)))
	return all
}
