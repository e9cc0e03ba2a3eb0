package hostbench

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/pbnjay/memory"
)

// Facts are what a computer says of itself.
type Facts struct {
	Processor string  `json:"processor"`
	CPUs      []int   `json:"cpus"`    // hardware threads that may be used, one of each core first
	Cores     int     `json:"cores"`   // that they belong to
	Sockets   int     `json:"sockets"` // that they belong to
	Caches    []Cache `json:"caches"`  // of data, by level
	Line      int     `json:"line_bytes"`
	Memory    int     `json:"memory_bytes"`
	Page      int     `json:"page_bytes"`
	Virtual   bool    `json:"virtual"` // a hypervisor lies between
}

// Cache is a data cache or a unified one.
type Cache struct {
	Level int `json:"level"`
	Bytes int `json:"bytes"`
	Ways  int `json:"ways"`
}

// SMT returns the hardware threads of a core.
func (f *Facts) SMT() int { return max(1, len(f.CPUs)/max(1, f.Cores)) }

// Cache returns the cache of a level, and whether there is one.
func (f *Facts) Cache(level int) (Cache, bool) {
	for _, c := range f.Caches {
		if c.Level == level {
			return c, true
		}
	}
	return Cache{}, false
}

// Sizes of working sets that must lie in memory alone.
const (
	leastFar = 64 << 20
	mostFar  = 512 << 20
)

// far returns the bytes of a working set of which caches hold little.
func (f *Facts) far() int {
	last := 0
	for _, c := range f.Caches {
		last = max(last, c.Bytes)
	}
	n := leastFar
	for n < 4*last && n < mostFar {
		n *= 2
	}
	for f.Memory > 0 && n > f.Memory/4 && n > leastFar {
		n /= 2
	}
	return n
}

// Describe returns what this computer says of itself. What the system does not
// tell is as on most: lines of 64 bytes, a core for each hardware thread.
func Describe() Facts {
	f := Facts{Processor: processor(), CPUs: allowedCPUs(), Line: 64, Memory: int(memory.TotalMemory()), Page: os.Getpagesize(), Sockets: 1}
	f.topology("/sys/devices/system/cpu")
	info, _ := os.ReadFile("/proc/cpuinfo") // where there is none, nothing is told
	f.Virtual = strings.Contains(string(info), " hypervisor")
	return f
}

// topology reads what Linux tells of hardware threads and caches below root.
func (f *Facts) topology(root string) {
	cpu := func(n int, path ...string) string {
		return readLine(filepath.Join(append([]string{root, "cpu" + strconv.Itoa(n)}, path...)...))
	}
	cores, sockets := map[string]int{}, map[string]bool{}
	rank := map[int]int{} // among the threads of its core
	for _, n := range f.CPUs {
		socket := cpu(n, "topology", "physical_package_id")
		core := socket + ":" + cpu(n, "topology", "core_id")
		if core == ":" { // not told
			core = strconv.Itoa(n)
		}
		rank[n] = cores[core]
		cores[core]++
		sockets[socket] = true
	}
	f.Cores, f.Sockets = len(cores), len(sockets)
	slices.SortStableFunc(f.CPUs, func(a, b int) int { return rank[a] - rank[b] })
	for i := 0; len(f.CPUs) > 0; i++ {
		index := "index" + strconv.Itoa(i)
		level, err := strconv.Atoi(cpu(f.CPUs[0], "cache", index, "level"))
		if err != nil {
			break
		}
		if cpu(f.CPUs[0], "cache", index, "type") == "Instruction" {
			continue
		}
		ways, _ := strconv.Atoi(cpu(f.CPUs[0], "cache", index, "ways_of_associativity"))
		f.Caches = append(f.Caches, Cache{level, cacheSize(cpu(f.CPUs[0], "cache", index, "size")), ways})
		if line, err := strconv.Atoi(cpu(f.CPUs[0], "cache", index, "coherency_line_size")); err == nil && line > 0 {
			f.Line = line
		}
	}
	slices.SortFunc(f.Caches, func(a, b Cache) int { return a.Level - b.Level })
}

// cacheSize reads "32K" or "8M"; 0 for anything else.
func cacheSize(text string) int {
	for suffix, unit := range map[string]int{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30} {
		if digits, ok := strings.CutSuffix(text, suffix); ok {
			n, _ := strconv.Atoi(digits)
			return n * unit
		}
	}
	return 0
}

func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.SplitSeq(string(info), "\n") {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.Join(strings.Fields(value), " ")
			}
		}
	}
	return runtime.GOARCH
}

// readLine returns the first line of a file, "" if there is none.
func readLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}
