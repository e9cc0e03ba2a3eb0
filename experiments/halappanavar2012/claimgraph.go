package halappanavar2012

import (
	"math"
	"strings"
)

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
	all = append(all, claim{id: "isolated-b", where: "III-C", text: "RMAT-B: isolated vertices, over 30 %", scale: tableScale, paper: paperScale, exact: true,
		published: 30, value: columnOf(o.graphOf(b, tableScale), "result.isolated_percent")})
	variance := func(f family) quantity { return columnOf(o.graphOf(f, tableScale), "result.degree_variance") }
	for i, f := range families[1:] {
		last := families[i]
		all = append(all, claim{id: "spread-" + f.graph, where: "III-C", text: f.title + ": degrees vary more than those of " + last.title,
			scale: tableScale, low: variance(last), high: variance(f)})
	}
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
