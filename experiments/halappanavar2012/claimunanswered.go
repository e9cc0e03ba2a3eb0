package halappanavar2012

import "math"

// unansweredClaims are the sentences on results that no run here is held
// against, each with the reason.
func (o *Paper) unansweredClaims() []claim {
	var all []claim
	list := []struct{ id, where, text, reason string }{
		{"billion-edges", "abstract", "Scaling goes on to graphs of a billion edges",
			"one run needs some 30 GiB of memory; --full ends at scale 24"},
		{"table2-large", "table II", "Properties of the graphs of scales 25 to 27",
			"generating the last needs some 30 GiB of memory"},
		{"table3", "table III", "Properties of the real graphs",
			"of files that are not part of Heddle; heddle graph info prints them"},
		{"table1", "table I, III-B", "Figures of the machines",
			"not a result: the descriptions hold them, and heddle microbench what follows"},
		{"quality", "III-A", "Locally dominant edges beat other approximations",
			"a result of another work that the paper cites"},
		{"critical-sections", "IV-A", "Critical sections are far slower than atomic additions",
			"no kernel here has a variant with critical sections"},
		{"two-queues", "IV-A", "Two queues are faster than one",
			"no kernel here has a variant with one queue"},
		{"ordered-queues", "IV-A", "Queues in order may not be worth the effort on GPUs",
			"an expectation: the paper did not try it"},
		{"ease", "V", "The XMT is the easiest to program of the five",
			"not a matter of time"},
	}
	if _, missing := o.RealGraphs(); len(missing) > 0 {
		list = append(list, struct{ id, where, text, reason string }{"skew-real", "IV-A", "Fermi gains less on cit-patent than on soc-live", "needs their files: --graphs DIR"})
	}
	for _, c := range list {
		all = append(all, claim{id: c.id, where: c.where, text: c.text, reason: c.reason, published: math.NaN()})
	}
	return all
}
