package halappanavar2012

import (
	"fmt"

	"heddle/experiments/studies"
	"heddle/experiments/study"
)

// Paper is the studies of a paper's runs, at the scales of some Options. The
// methods that return a case look it up there.
type Paper struct {
	Options
	table2   []*study.Study // one for each scale
	fig1     *study.Study
	fig2     *study.Study
	fig3     *study.Study
	fig4     *study.Study
	fig5     *study.Study
	abstract *study.Study
	// sentences are the runs behind claims that nothing else answers.
	sentences *study.Study
	// screening and varied are of the graphs on which parameters are varied,
	// first all and then the strongest; nil of these themselves.
	screening, varied *Paper
}

// Open reads the studies. An error says that one of them is no study, which is
// no fault of the options.
func Open(o Options) (*Paper, error) {
	p, err := read(o)
	if err == nil {
		p.screening, err = read(o.headlineAtMost(screeningScale))
	}
	if err == nil {
		p.varied, err = read(o.headlineAtMost(DefaultScale))
	}
	return p, err
}

func read(o Options) (*Paper, error) {
	p := &Paper{Options: o}
	var fault error
	open := func(name string, scale int, more ...string) *study.Study {
		s, err := studies.Read("halappanavar2012-"+name, append(more, fmt.Sprintf("scale=%d", scale), fmt.Sprintf("seed=%d", o.Seed))...)
		if err != nil && fault == nil {
			fault = err
		}
		return s
	}
	for _, scale := range o.tableScales() {
		p.table2 = append(p.table2, open("table2", scale))
	}
	p.fig1 = open("fig1", o.headlineScale())
	p.fig2 = open("fig2", o.scale())
	p.fig3 = open("fig3", o.scale())
	p.fig4 = open("fig4", o.gpuScale(), o.realParameters()...)
	p.fig5 = open("fig5", o.scale())
	p.abstract = open("claims", o.headlineScale(), fmt.Sprintf("gpu_scale=%d", o.headlineGPUScale()))
	p.sentences = open("sentences", o.scale(), fmt.Sprintf("gpu_scale=%d", o.gpuScale()))
	return p, fault
}

// at names a place: dimension, label, dimension, label and so on.
func at(place ...string) []study.Coordinate {
	var all []study.Coordinate
	for i := 0; i+1 < len(place); i += 2 {
		all = append(all, study.Coordinate{Dimension: place[i], Label: place[i+1]})
	}
	return all
}

// only returns the one run of a study at a place. The studies come with the
// program, as do the places that are asked for: that they fit is for tests to
// see, and no user can change it.
func only(s *study.Study, place ...string) study.Case {
	found := s.Find(at(place...)...)
	if len(found) != 1 {
		panic(fmt.Sprintf("study %s has %d runs at %q", s.Name, len(found), place))
	}
	return found[0].Case
}

// abstractRun is a run on RMAT-G behind the abstract's claims.
func (o *Paper) abstractRun(machine string, scale int) study.Case {
	return only(o.abstract, "machine", machine, "graph", families[goodSkew].at(scale))
}

// sentenceRun is a run behind a sentence: the one of a part, or of a place in it.
func (o *Paper) sentenceRun(part string, place ...string) study.Case {
	return only(o.sentences, append([]string{"part", part}, place...)...)
}

// graphOf is the degrees of a graph of table II.
func (o *Paper) graphOf(f family, scale int) study.Case {
	for i, s := range o.tableScales() {
		if s == scale {
			return only(o.table2[i], "graph", f.at(scale))
		}
	}
	panic(fmt.Sprintf("no study of table II at scale %d", scale))
}
