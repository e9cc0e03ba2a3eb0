package htmlreport

import (
	"fmt"
	"math"
	"strings"

	"heddle/experiments/measure"
	"heddle/experiments/study"
)

// layer is a row of a machine's block diagram: units of one kind, or a part of
// the machine, such as a socket, with layers of its own.
type layer struct {
	Name   string
	Kind   string // of its units
	Detail string // from the machine's description
	Units  []box
	Inner  []layer
	Large  bool // few enough units for text in each
}

// box is a unit in a diagram.
type box struct {
	Name, Text string
	Busy       float64 // 0 to 1; with a cache of unknown use its hit rate
	Known      bool
	Title      string
	study.Unit
}

// mostText is how many units of a layer have text in them.
const mostText = 16

// layersOf arranges a machine's units: the way to the host first, then the
// layers from the cores to the memory in the order in which units name them.
// Units of a group that holds a core are a part of the machine of their own.
func layersOf(units []study.Unit, c config) []layer {
	parts := map[string]bool{}
	for _, u := range units {
		if u.Kind == "core" && u.Group != "" {
			parts[u.Group] = true
		}
	}
	var top []layer
	var inner []study.Unit
	var at []string
	groups := map[string][]study.Unit{}
	for _, u := range units {
		if !parts[u.Group] {
			inner = append(inner, u)
			continue
		}
		if groups[u.Group] == nil {
			at = append(at, u.Group)
		}
		groups[u.Group] = append(groups[u.Group], u)
	}
	for _, name := range at {
		top = append(top, layer{Name: name, Inner: rows(groups[name], c)})
	}
	if len(top) > 0 {
		top = []layer{{Inner: top, Kind: "parts"}}
	}
	all := append(top, rows(inner, c)...)
	for i, l := range all { // the bus to the host comes first
		if l.Name == "PCIe" {
			copy(all[1:i+1], all[:i])
			all[0] = l
		}
	}
	return all
}

// rows puts units into layers by kind and group.
func rows(units []study.Unit, c config) []layer {
	var all []layer
	at := map[string]int{}
	for _, u := range units {
		name := u.Group
		if u.Kind == "core" || u.Kind == "memory" || name == "" || strings.HasPrefix(name, "socket") {
			name, _ = numbered(u.Name)
		}
		key := u.Kind + "\x00" + name
		i, ok := at[key]
		if !ok {
			i = len(all)
			at[key] = i
			all = append(all, layer{Name: name, Kind: u.Kind, Detail: detail(name, u.Kind, &c)})
		}
		all[i].Units = append(all[i].Units, boxOf(u))
	}
	for i := range all {
		all[i].Large = len(all[i].Units) <= mostText
	}
	return all
}

// numbered takes a name such as SM 3 apart; without a number the name is all.
func numbered(name string) (kind, number string) {
	kind = strings.TrimRight(name, "0123456789")
	if shorter, ok := strings.CutSuffix(kind, " "); ok && len(kind) < len(name) {
		return shorter, name[len(kind):]
	}
	return name, ""
}

func boxOf(u study.Unit) box {
	b := box{Name: u.Name, Unit: u}
	var words []string
	switch {
	case u.Busy != nil:
		b.Busy, b.Known = math.Max(0, math.Min(*u.Busy, 1)), true
		b.Text = measure.Percent(*u.Busy)
		words = append(words, b.Text+" of "+u.Of)
	case u.Hits != nil:
		b.Busy, b.Known = math.Max(0, math.Min(*u.Hits, 1)), true
		b.Text = measure.Percent(*u.Hits) + " hits"
	}
	if u.Hits != nil {
		words = append(words, measure.Percent(*u.Hits)+" hits")
	}
	if u.Bytes > 0 {
		words = append(words, measure.Size(float64(u.Bytes))+" moved")
	}
	b.Title = strings.Join(append([]string{u.Name}, words...), ": ")
	if len(words) > 1 {
		b.Title = fmt.Sprintf("%s: %s", u.Name, strings.Join(words, ", "))
	}
	return b
}

// detail tells of a layer what the description does, by the kind of machine.
func detail(name, kind string, c *config) string {
	switch c.get("kind") {
	case "simt":
		switch {
		case kind == "core":
			return c.join("{sms} at {clock}", "{scheduler.count} schedulers ({scheduler.policy})", "{occupancy.warps} warps of {warp_width} each")
		case name == "L1":
			return c.join("{l1.size} an SM", "{l1.ways} ways of {l1.line}", "{l1.write}")
		case name == "crossbar":
			return c.join("{crossbar.width} a port at {crossbar.clock}")
		case name == "L2":
			return c.join("{l2.slice.size} a slice", "{l2.slice.ways} ways of {l2.slice.line}", "at {l2.clock}")
		case kind == "memory":
			return c.join("{dram.channels} channels at {dram.clock}", "{dram.banks} banks", "{memory.capacity}")
		case name == "PCIe":
			return c.join("{host.pcie.bandwidth}", "{host.pcie.latency}")
		}
	case "stream":
		switch kind {
		case "core":
			return c.join("{processors} at {clock}", "{launch.streams} streams each", "lookahead {lookahead}")
		case "link":
			return c.join("{memory_unit.bandwidth} a processor", "{network.hop} a hop")
		case "cache":
			return c.join("{module.buffer.size} a module", "{module.buffer.line} lines")
		case "memory":
			return c.join("{memory.per_processor} a processor", "at {module.dram.clock}")
		}
	case "window":
		switch {
		case kind == "core":
			return c.join("{memory.cores} at {clock}", "{core.dispatch} wide", "{core.rob} in flight", "{core.smt} hardware threads")
		case name == "L1":
			return c.join("{memory.l1.size} a core")
		case name == "L2":
			return c.join("{memory.l2.size} a core", "{memory.l2.kind}")
		case name == "L3":
			return c.join("{memory.l3.size}", "{memory.l3.kind}")
		case kind == "memory":
			return c.join("{memory.memory_bandwidth}")
		case kind == "link":
			return c.join("{memory.links.socket.bandwidth} between sockets", "{memory.protocol}")
		}
	}
	return ""
}
