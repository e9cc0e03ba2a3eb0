package experiments

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heddle/kernels/graph"
	"heddle/models"
)

// kernelEntry and the like are what the lists say of a thing.
type kernelEntry struct {
	Name   string `json:"name"`
	Doc    string `json:"doc"`
	Source string `json:"source"`
}

type machineEntry struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Title string `json:"title"`
}

type graphEntry struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Options []string `json:"options,omitempty"`
}

func (c *cli) listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the kernels, machines and graphs that heddle run takes",
		Args:  arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			machines, err := machineEntries()
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(c.stdout).Encode(struct {
					Kernels  []kernelEntry  `json:"kernels"`
					Machines []machineEntry `json:"machines"`
					Graphs   []graphEntry   `json:"graphs"`
					Formats  []graphEntry   `json:"graph_files"`
				}{kernelEntries(), machines, entries(graph.Generators()), entries(graph.Formats())})
			}
			c.println("Kernels")
			var kernels table
			for _, k := range kernelEntries() {
				kernels.add(k.Name, k.Doc)
				kernels.add("", k.Source)
			}
			c.println(kernels.lines("  ")...)
			c.println("", "Machines")
			c.println(machineTable(machines)...)
			c.println("", "Graphs")
			var graphs table
			for _, g := range graph.Generators() {
				doc := g.Doc
				if len(g.Options) > 0 {
					doc += "; options " + strings.Join(g.Options, ", ")
				}
				graphs.add(g.Name, doc)
			}
			for _, f := range graph.Formats() {
				graphs.add("FILE", f.Name+": "+f.Doc+", plain or .gz")
			}
			c.println(graphs.lines("  ")...)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (c *cli) println(lines ...string) {
	for _, l := range lines {
		fmt.Fprintln(c.stdout, l)
	}
}

func kernelEntries() []kernelEntry {
	var list []kernelEntry
	for _, k := range Kernels() {
		list = append(list, kernelEntry{k.Name, k.Doc, k.Source})
	}
	return list
}

func machineEntries() ([]machineEntry, error) {
	var list []machineEntry
	for _, name := range models.Names(models.Library) {
		d, err := models.Open(models.Library, name)
		if err != nil {
			return nil, err
		}
		kind, _ := d.Value("kind")
		title, _ := d.Value("title")
		list = append(list, machineEntry{name, kind, title})
	}
	return list, nil
}

func machineTable(machines []machineEntry) []string {
	var t table
	for _, m := range machines {
		t.add(m.Name, m.Kind, m.Title)
	}
	return t.lines("  ")
}

func entries(forms []graph.Form) []graphEntry {
	var list []graphEntry
	for _, f := range forms {
		list = append(list, graphEntry{f.Name, f.Doc, f.Options})
	}
	return list
}

func graphNames() []string {
	var list []string
	for _, g := range graph.Generators() {
		name, _, _ := strings.Cut(g.Name, "SCALE")
		list = append(list, name)
	}
	return list
}

func (c *cli) metricsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "metrics",
		Short: "List the metrics that each kind of machine reports",
		Args:  arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			all := models.Metrics()
			if asJSON {
				type entry struct {
					Name    string `json:"name"`
					Kind    string `json:"kind"`
					Unit    string `json:"unit"`
					Meaning string `json:"meaning"`
				}
				kinds := map[string][]entry{} // encoded in the order of its keys
				for kind, declared := range all {
					for _, m := range declared {
						kinds[kind] = append(kinds[kind], entry{m.Name, m.Kind.String(), m.Unit, m.Meaning})
					}
				}
				return json.NewEncoder(c.stdout).Encode(kinds)
			}
			for i, kind := range slices.Sorted(maps.Keys(all)) {
				if i > 0 {
					c.println("")
				}
				c.println("Machines of kind " + kind)
				var t table
				for _, m := range all[kind] {
					t.add(m.Name, m.Kind.String(), m.Unit, m.Meaning)
				}
				c.println(t.lines("  ")...)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object: a list for each kind of machine")
	return cmd
}
