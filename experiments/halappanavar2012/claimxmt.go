package halappanavar2012

import (
	"fmt"
	"math"
)

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
	for _, c := range []struct {
		metric, text string
		cycles       float64
	}{{"mean", "mean latency of random reads, 128 XMT processors, cycles", 600}, {"max", "the longest of these, cycles", 1000}} {
		all = append(all, claim{id: "xmt-latency-" + c.metric, where: "III-B", text: c.text, scale: scale,
			published: c.cycles, value: metricOf(o.sentenceRun("random reads"), "memory_latency."+c.metric)})
	}
	for _, variant := range []struct{ name, kernel string }{{"queues", queue}, {"dataflow", dataflow}} {
		for _, most := range []int{1, 16} {
			weights := fmt.Sprintf("1 to %d", most)
			c := ratioClaim(fmt.Sprintf("weights-%d-%s", most, variant.name), "V",
				fmt.Sprintf("RMAT-G, %s, 32: time with weights 1 to V over %s", variant.name, weights), math.NaN(), scale, paperScale,
				o.xmtRun(variant.kernel, g, scale, 32), o.sentenceRun("ranges of weights", "kernel", variant.kernel, "graph", weights))
			c.reason = "the paper experiments with ranges of weights and calls them dominant"
			all = append(all, c)
		}
	}
	for _, f := range families {
		eff := func(kernel string, n int) quantity {
			return efficiencyOf(o.xmtRun(kernel, f, scale, 1), o.xmtRun(kernel, f, scale, n), n)
		}
		order("xmt-drop-64-"+f.graph, f.title+": queues scale worse to 64 processors than to 32", eff(queue, 64), eff(queue, 32))
		order("xmt-drop-128-"+f.graph, f.title+": and worse to 128 than to 64", eff(queue, 128), eff(queue, 64))
		order("dataflow-scales-"+f.graph, f.title+": queues scale worse to 128 than dataflow", eff(queue, 128), eff(dataflow, 128))
		order("dataflow-fast-"+f.graph, f.title+": dataflow is faster than queues on 128", timeOf(o.xmtRun(dataflow, f, scale, 128)), timeOf(o.xmtRun(queue, f, scale, 128)))
		order("sort-cost-"+f.graph, f.title+": matching takes less time than sorting the rows on 32",
			timeOf(o.xmtRun(queue, f, scale, 32)), timeOf(o.sentenceRun("sorting", "graph", f.at(scale))))
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
