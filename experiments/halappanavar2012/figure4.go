package halappanavar2012

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"heddle/experiments/plot"
	"heddle/experiments/study"
)

// platform is a bar of figure 4: a machine of its study.
type platform string

// platforms are the bars of figure 4 in its order; speed-up is over hostCore.
var platforms = []platform{"CPU (12T)", "CPU (24T)", "Tesla", "Fermi", "Fermi-L2", "Fermi, ECC", "Fermi-L2, ECC"}

// statedOfGPUs are the speed-ups of the abstract, on RMAT-G.
var statedOfGPUs = map[string]float64{"Tesla": 3, "Fermi": 10}

const hostCore platform = "CPU (1T)"

// platformRun is a run on a graph, by its name or file.
func (o *Paper) platformRun(p platform, graph string) study.Case {
	for _, x := range o.fig4.Find(at("machine", string(p))...) {
		if x.Graph == graph {
			return x.Case
		}
	}
	panic(fmt.Sprintf("study %s has no run of %s on %s", o.fig4.Name, graph, p))
}

// real is a class of real graphs: first the paper's own, then those that stand
// in for it where it is not there.
type real struct {
	title     string
	parameter string   // of the study
	files     []string // without extension
}

var reals = []real{
	{"cit-patent", "cit_patent", []string{"cit-Patents", "cit-patent", "cit-HepPh"}},
	{"soc-live", "soc_live", []string{"soc-LiveJournal1", "soc-live", "soc-Slashdot0902"}},
	{"Usa-Roadmap", "usa_roadmap", []string{"USA-road-d.USA", "Usa-Roadmap", "USA-road-d.NY"}},
}

// own is how many of a class's files, from the first, are the paper's graph.
const own = 2

// find returns the first file of the class in a folder, whether it is the
// paper's own, and nothing if there is none.
func (r real) find(folder string) (path string, isOwn bool) {
	for i, stem := range r.files {
		for _, extension := range []string{".mtx", ".graph", ".gr", ".txt"} {
			for _, gz := range []string{"", ".gz"} {
				path := filepath.Join(folder, stem+extension+gz)
				if info, err := os.Stat(path); err == nil && !info.IsDir() {
					return path, i < own
				}
			}
		}
	}
	return "", false
}

// RealGraphs returns the files in Options.Graphs that figure 4 takes, and the
// classes that have none.
func (o Options) RealGraphs() (paths, missing []string) {
	for _, r := range reals {
		path, _ := r.find(o.Graphs)
		if o.Graphs == "" || path == "" {
			missing = append(missing, r.title+" ("+strings.Join(r.files, ", ")+")")
			continue
		}
		paths = append(paths, path)
	}
	return paths, missing
}

// realParameters are the files as the study's parameters.
func (o Options) realParameters() []string {
	var set []string
	for _, r := range reals {
		if path, _ := r.find(o.Graphs); o.Graphs != "" && path != "" {
			set = append(set, r.parameter+"="+path)
		}
	}
	return set
}

var figure4 = Part{
	Name:   "fig4",
	Title:  "Figure 4: GPUs and their host",
	Needs:  func(o *Paper) Needs { return casesOf(o.fig4) },
	Report: reportFigure4,
}

// figure4Graphs are the graphs of the figure's study, those of families first.
func (o *Paper) figure4Graphs() []string {
	var graphs []string
	for _, p := range o.fig4.Find(at("machine", string(hostCore))...) {
		graphs = append(graphs, p.Graph)
	}
	return graphs
}

func reportFigure4(o *Paper, d *Data) *Report {
	table := newRows("fig4", d)
	synthetic := plot.Panel{Title: fmt.Sprintf("(a) synthetic graphs, scale %d", o.gpuScale()), YLabel: "speed-up over one core of the host"}
	actual := plot.Panel{Title: "(b) real graphs", YLabel: synthetic.YLabel}
	text := []string{fmt.Sprintf("  %-20s", "speed-up")}
	for _, p := range platforms {
		text[0] += fmt.Sprintf(" %9.9s", strings.ReplaceAll(string(p), "Fermi", "F."))
	}
	for i, g := range o.figure4Graphs() {
		panel, label, letter := &synthetic, "", "a"
		if i < len(families) {
			label = families[i].title
		} else {
			panel, letter = &actual, "b"
			label, _, _ = strings.Cut(filepath.Base(g), ".")
			if strings.HasPrefix(label, "USA-road-d") {
				label = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(g), ".gz"), ".gr")
			}
		}
		panel.Groups = append(panel.Groups, label)
		base := d.outcome(o.platformRun(hostCore, g)).Seconds()
		table.run(letter, string(hostCore), label, 1, "speed-up", o.platformRun(hostCore, g))
		line := fmt.Sprintf("  %-20.20s", label)
		for _, p := range platforms {
			run := o.platformRun(p, g)
			speedup := base / d.outcome(run).Seconds()
			panel.Bars = addBar(panel.Bars, string(p), speedup)
			table.run(letter, string(p), label, speedup, "speed-up", run)
			line += fmt.Sprintf(" %9s", short(speedup))
		}
		text = append(text, line)
	}
	for i := range synthetic.Bars {
		b := &synthetic.Bars[i]
		x, ok := statedOfGPUs[b.Name]
		if !ok {
			continue
		}
		b.MarkName, b.Marks = publishedName, []float64{math.NaN(), x, math.NaN()}
		table.run("a", b.Name+", published", families[goodSkew].title, x, "speed-up", study.Case{Graph: families[goodSkew].at(paperGPUScale)})
		text = append(text, fmt.Sprintf("  published, %s, scale %d: %s %s", families[goodSkew].title, paperGPUScale, b.Name, short(x)))
	}
	figure := &plot.Figure{Title: "GPUs and their host", Panels: []plot.Panel{synthetic}, Notes: []string{"Fermi-L2: L1 bypassed; ECC off unless named; copies to and from the GPU not counted", notes(o, d)}}
	if len(actual.Groups) > 0 {
		figure.Panels = append(figure.Panels, actual)
	}
	return &Report{Text: text, Rows: table.list, Figure: figure}
}

// addBar appends a value to the bars of a name.
func addBar(bars []plot.Bars, name string, value float64) []plot.Bars {
	i := slices.IndexFunc(bars, func(b plot.Bars) bool { return b.Name == name })
	if i < 0 {
		return append(bars, plot.Bars{Name: name, Values: []float64{value}})
	}
	bars[i].Values = append(bars[i].Values, value)
	return bars
}

// isPapers says whether the real graph of a class is the paper's own.
func (o Options) isPapers(class int) bool {
	if o.Graphs == "" {
		return false
	}
	_, isOwn := reals[class].find(o.Graphs)
	return isOwn
}
