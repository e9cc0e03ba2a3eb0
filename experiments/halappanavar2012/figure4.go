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

// platform is a bar of figure 4.
type platform struct {
	name    string
	machine string
	set     []string
}

// platforms are the bars of figure 4 in its order; speed-up is over hostCore.
var platforms = []platform{
	{"CPU (12T)", host, []string{threads(12)}},
	{"CPU (24T)", host, []string{threads(24)}},
	{"Tesla", tesla, nil},
	{"Fermi", fermi, nil},
	{"Fermi-L2", fermiNoL1, nil},
	{"Fermi, ECC", fermiECC, nil},
	{"Fermi-L2, ECC", fermiNoL1, eccOn},
}

// statedOfGPUs are the speed-ups of the abstract, on RMAT-G.
var statedOfGPUs = map[string]float64{"Tesla": 3, "Fermi": 10}

var hostCore = platform{"CPU (1T)", host, []string{threads(1)}}

func (o Options) platformRun(p platform, graph string) study.Case {
	return o.on(queue, p.machine, graph, p.set...)
}

// real is a class of real graphs: first the paper's own, then those that stand
// in for it where it is not there.
type real struct {
	title string
	files []string // without extension
}

var reals = []real{
	{"cit-patent", []string{"cit-Patents", "cit-patent", "cit-HepPh"}},
	{"soc-live", []string{"soc-LiveJournal1", "soc-live", "soc-Slashdot0902"}},
	{"Usa-Roadmap", []string{"USA-road-d.USA", "Usa-Roadmap", "USA-road-d.NY"}},
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

var figure4 = Part{
	Name:  "fig4",
	Title: "Figure 4: GPUs and their host",
	Needs: func(o Options) Needs {
		var n Needs
		for _, g := range o.figure4Graphs() {
			for _, p := range append([]platform{hostCore}, platforms...) {
				n.Cases = append(n.Cases, o.platformRun(p, g))
			}
		}
		return n
	},
	Report: reportFigure4,
}

func (o Options) figure4Graphs() []string {
	var graphs []string
	for _, f := range families {
		graphs = append(graphs, f.at(o.gpuScale()))
	}
	paths, _ := o.RealGraphs()
	return append(graphs, paths...)
}

func reportFigure4(o Options, d *Data) *Report {
	table := newRows("fig4", d)
	synthetic := plot.Panel{Title: fmt.Sprintf("(a) synthetic graphs, scale %d", o.gpuScale()), YLabel: "speed-up over one core of the host"}
	actual := plot.Panel{Title: "(b) real graphs", YLabel: synthetic.YLabel}
	text := []string{fmt.Sprintf("  %-20s", "speed-up")}
	for _, p := range platforms {
		text[0] += fmt.Sprintf(" %9.9s", strings.ReplaceAll(p.name, "Fermi", "F."))
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
		table.run(letter, hostCore.name, label, 1, "speed-up", o.platformRun(hostCore, g))
		line := fmt.Sprintf("  %-20.20s", label)
		for _, p := range platforms {
			run := o.platformRun(p, g)
			speedup := base / d.outcome(run).Seconds()
			panel.Bars = addBar(panel.Bars, p.name, speedup)
			table.run(letter, p.name, label, speedup, "speed-up", run)
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
