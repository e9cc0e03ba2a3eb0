package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"

	"heddle/experiments/native"
	"heddle/kernels"
)

// countMachine is what is simulated beside a count, if it is not told: a
// multicore, whose threads are of one lane.
const countMachine = "xeon-e5540"

// Runs that valgrind counts: as many as visit so many edges, within bounds.
const (
	leastVisits = 1 << 18
	leastRuns   = 8
	mostRuns    = 4096
)

// untimedFlag lets a tool that counts run the program.
const untimedFlag = "untimed"

// counted is what a kernel executes natively and simulated.
type counted struct {
	Kernel       string         `json:"kernel"`
	Native       *native.Count  `json:"native"`
	Simulated    simulatedCount `json:"simulated"`
	Instructions Float          `json:"instructions_ratio"`
	Accesses     Float          `json:"accesses_ratio"`
}

// simulatedCount is what a simulated thread executes.
type simulatedCount struct {
	Instructions uint64 `json:"instructions"`
	Loads        uint64 `json:"loads"`
	Stores       uint64 `json:"stores"`
	Atomics      uint64 `json:"atomics"`
}

// accesses returns the loads and stores, where an atomic is so many.
func (s simulatedCount) accesses(perAtomic int) float64 {
	return float64(s.Loads + s.Stores + s.Atomics*uint64(perAtomic))
}

// repeat is what a tool that counts from outside runs.
func (r nativeRun) repeat(ctx context.Context, times int) error {
	k, err := r.check()
	if err != nil {
		return err
	}
	g, _, err := r.open(ctx, k, Hooks{})
	if err != nil {
		return err
	}
	return native.Repeat(ctx, k, g, r.kernelOptions(), times)
}

// count prints what kernels execute: r's, or all.
func (c *cli) count(ctx context.Context, r Run, all, asJSON bool) error {
	names := []string{r.Kernel}
	if all {
		names = kernelNames()
	}
	var list []counted
	for _, name := range names {
		k, err := kernel(name)
		if err != nil {
			return err
		}
		one := r
		one.Kernel = name
		if all && k.Iterations == 0 {
			one.Iterations = 0
		}
		x, err := one.count(ctx, k)
		if err != nil {
			return err
		}
		list = append(list, *x)
	}
	if asJSON {
		return json.NewEncoder(c.stdout).Encode(list)
	}
	c.println(fmt.Sprintf("%s, seed %d: one thread natively, by %s, and on %s", r.Graph, r.Seed, list[0].Native.By, r.Machine))
	t := table{right: "lrrrrrr"}
	t.add("kernel", "instructions", "simulated", "ratio", "accesses", "simulated", "ratio")
	for _, x := range list {
		accesses := x.Simulated.accesses(x.Native.PerAtomic)
		t.add(x.Kernel, count(int64(x.Native.Instructions)), count(x.Simulated.Instructions), digits(float64(x.Instructions), 3),
			count(int64(x.Native.Loads+x.Native.Stores)), count(int64(accesses)), digits(float64(x.Accesses), 3))
	}
	c.println(t.lines("  ")...)
	return nil
}

// count counts what r's kernel, k, executes.
func (r Run) count(ctx context.Context, k kernels.Kernel) (*counted, error) {
	if err := r.checkOptions(k); err != nil {
		return nil, err
	}
	simulated := r
	simulated.Set = append(slices.Clone(r.Set), "threads=1")
	for _, p := range k.Programs() {
		if _, used := p.UsesFullEmpty(); used {
			simulated.Set = append(simulated.Set, "core.load_store.full_empty=true")
			break
		}
	}
	result, err := simulated.Execute(ctx, Hooks{})
	if err != nil {
		return nil, err
	}
	x := &counted{Kernel: k.Name, Simulated: simulatedCount{Instructions: result.Host.Instructions}}
	for _, a := range result.Arrays {
		x.Simulated.Loads += uint64(a.Loads)
		x.Simulated.Stores += uint64(a.Stores)
		x.Simulated.Atomics += uint64(a.Atomics)
	}
	if x.Native, err = r.countNative(ctx, k); err != nil {
		return nil, err
	}
	x.Instructions = Float(float64(x.Simulated.Instructions) / x.Native.Instructions)
	x.Accesses = Float(x.Simulated.accesses(x.Native.PerAtomic) / (x.Native.Loads + x.Native.Stores))
	return x, nil
}

// countNative counts by the processor, or else by valgrind.
func (r Run) countNative(ctx context.Context, k kernels.Kernel) (*native.Count, error) {
	g, _, err := r.open(ctx, k, Hooks{})
	if err != nil {
		return nil, err
	}
	n, err := native.Counters(ctx, k, g, r.kernelOptions())
	if !errors.Is(err, native.ErrNoCounters) {
		return n, err
	}
	if _, missing := exec.LookPath("valgrind"); missing != nil {
		return nil, badInput("--count: %w, and valgrind is not installed", err)
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	runs := int(min(max(leastVisits/max(g.Edges(), 1), leastRuns), mostRuns))
	return native.Valgrind(ctx, program, runs, func(times int) []string {
		return []string{"native", r.Kernel, "--graph", r.Graph, "--seed", strconv.FormatUint(r.Seed, 10),
			"--source", strconv.Itoa(r.Source), "--iterations", strconv.Itoa(r.Iterations),
			"--" + untimedFlag, strconv.Itoa(times)}
	})
}
