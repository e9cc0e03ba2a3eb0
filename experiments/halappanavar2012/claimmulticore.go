package halappanavar2012

import "heddle/experiments/study"

// multicoreClaims are those on Magny-Cours and Nehalem.
func (o *Paper) multicoreClaims() []claim {
	var all []claim
	er, g, b := families[0], families[1], families[2]
	scale, small := o.scale(), o.weakScales()[0]
	order := func(id, text string, low, high quantity) {
		all = append(all, claim{id: id, where: "V", text: text, scale: scale, paper: paperScale, low: low, high: high})
	}
	// The paper does not say of how many cores.
	for _, c := range []struct {
		id, text string
		magny    int
		other    study.Case
	}{
		{"magny-slow-1", "one Magny-Cours core takes this times one Nehalem core", 1, o.nehalemRun(g, scale, 1)},
		{"magny-slow", "8 Magny-Cours cores take this times 8 Nehalem cores", 8, o.nehalemRun(g, scale, 8)},
		{"magny-slow-xmt-1", "one Magny-Cours core takes this times one XMT processor", 1, o.xmtRun(queue, g, scale, 1)},
		{"magny-slow-xmt", "32 Magny-Cours cores take this times 32 XMT processors", 32, o.xmtRun(queue, g, scale, 32)},
		{"magny-slow-xmt-128", "48 Magny-Cours cores take this times 128 XMT processors", 48, o.xmtRun(queue, g, scale, 128)},
	} {
		all = append(all, ratioClaim(c.id, "V", c.text, 2, scale, paperScale, o.magnyRun(g, scale, c.magny), c.other))
	}
	for _, f := range families {
		eff := func(scale, cores int) quantity {
			return efficiencyOf(o.magnyRun(f, scale, 1), o.magnyRun(f, scale, cores), cores)
		}
		order("magny-48-drop-"+f.graph, f.title+": a Magny-Cours core does less of 48 than of 24", eff(scale, 48), eff(scale, 24))
		order("magny-small-"+f.graph, f.title+": 48 cores scale worse on small graphs", eff(small, 48), eff(scale, 48))
	}
	order("serial-magny", "RMAT-G: one Nehalem core is faster than one of Magny-Cours", timeOf(o.nehalemRun(g, scale, 1)), timeOf(o.magnyRun(g, scale, 1)))
	order("serial-xmt", "RMAT-G: one Nehalem core is faster than one XMT processor", timeOf(o.nehalemRun(g, scale, 1)), timeOf(o.xmtRun(queue, g, scale, 1)))
	all = append(all,
		claim{id: "serial-host", where: "V", text: "RMAT-G: a core of the GPUs' host is faster than one of Nehalem", scale: o.gpuScale(), paper: paperGPUScale,
			low: timeOf(o.platformRun(hostCore, g.at(o.gpuScale()))), high: timeOf(o.sentenceRun("a Nehalem core")),
			reason: "the paper's host had words of 32 bits, its Nehalem of 64; here both have 32"},
		claim{id: "clocks", where: "VI", text: "the clock of Magny-Cours over that of the XMT", scale: scale,
			published: 5, value: clockOf(o.magnyRun(g, scale, 1)).over(clockOf(o.xmtRun(queue, g, scale, 1)))})
	for _, f := range []family{er, g} {
		order("serial-order-"+f.graph, f.title+": one Nehalem core takes longer than for RMAT-B", timeOf(o.nehalemRun(b, scale, 1)), timeOf(o.nehalemRun(f, scale, 1)))
	}
	return all
}
