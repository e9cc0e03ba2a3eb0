package htmlreport

import "hash/fnv"

// colors are those of what threads' time goes to, the same on every machine:
// green for work, warm ones for memory, cold ones for arithmetic and control.
var colors = map[string]string{
	"issued": "#2e9e5b", "base": "#2e9e5b",
	"memory_dependency": "#e8833a", "local_dram": "#e8833a",
	"memory_throttle": "#d0453e", "stores": "#d0453e",
	"remote_dram": "#96302c", "remote_cache": "#c2417a",
	"l1": "#f0c14b", "l2": "#dba32c", "l3": "#b98522", "lookahead": "#dba32c", "tlb": "#5fa8a0",
	"exec_dependency": "#3f7fc4", "dependency": "#3f7fc4", "pipeline": "#6aa5dc",
	"pipe_busy": "#7fb2e5", "structural": "#7fb2e5",
	"not_selected": "#8f959e", "smt": "#8f959e",
	"inst_fetch": "#8b62c9", "mispredict": "#8b62c9", "front_end": "#b096de",
	"sync": "#8a6d3b", "full_empty": "#d672b8", "atomics": "#d672b8", "imbalance": "#b9bdc4",
}

// spares are for names that colors does not have.
var spares = []string{"#4e79a7", "#f28e2b", "#76b7b2", "#59a14f", "#edc948", "#b07aa1", "#9c755f"}

func colorOf(name string) string {
	if c, ok := colors[name]; ok {
		return c
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	return spares[h.Sum32()%uint32(len(spares))]
}
