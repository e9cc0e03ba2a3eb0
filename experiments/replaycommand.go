package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"heddle/models"
	"heddle/traces"
)

func (c *cli) replayCommand() *cobra.Command {
	var machine string
	var set []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Perform recorded memory accesses on a machine's memory system",
		Long: `Performs the accesses of a file that heddle record has written on the memory
system of a machine, without executing the kernel, and reports how long they took
and what the caches did. An access is sent as long after what it waited for as in
the recorded run. What depends on times, such as which thread wins a race, stays
as it was recorded.`,
		Example: `  heddle record matching/ld-serial --machine xeon-e5540 --set threads=1 --graph rmat-g:10 -o ld.trace
  heddle replay ld.trace --machine opteron-6176se --set threads=1`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := replay(cmd.Context(), args[0], machine, set)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(c.stdout).Encode(p)
			}
			return p.write(c.stdout, c.color)
		},
	}
	addMachineFlags(cmd, &machine, &set)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as one JSON object")
	return cmd
}

// Replay is what came of performing a recorded trace on a machine's memory.
type Replay struct {
	Trace     traces.Header       `json:"trace"`
	Machine   string              `json:"machine"`
	Launches  int                 `json:"launches"`
	Loads     uint64              `json:"loads"` // of threads, as are stores and atomics
	Stores    uint64              `json:"stores"`
	Atomics   uint64              `json:"atomics"`
	Requests  uint64              `json:"requests"` // of warps
	Skipped   uint64              `json:"not_recorded"`
	Recorded  float64             `json:"recorded_seconds"` // of the run
	Simulated float64             `json:"simulated_seconds"`
	Host      float64             `json:"host_seconds"`
	Arrays    Arrays              `json:"arrays"`
	Config    *models.Description `json:"config"`
}

// replay performs the trace in a file.
func replay(ctx context.Context, path, machine string, set []string) (*Replay, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &InputError{err}
	}
	defer f.Close()
	d, err := describeMachine(machine, set)
	if err != nil {
		return nil, &InputError{err}
	}
	m, err := models.Build(d, models.Options{})
	if err != nil {
		return nil, &InputError{err}
	}
	memory, err := m.Replayer()
	if err != nil {
		return nil, &InputError{err}
	}
	trace, err := traces.NewReader(f)
	if err != nil {
		return nil, badInput("%s: %w", path, err)
	}
	defer trace.Close()
	began := time.Now()
	r, err := traces.Replay(ctx, trace, memory)
	if ctx.Err() != nil {
		return nil, ErrInterrupted
	}
	if err != nil {
		return nil, badInput("%s: %w", path, err)
	}
	memory.End(r.Elapsed)
	p := &Replay{
		Trace: trace.Header, Machine: d.Name(), Launches: r.Launches,
		Loads: r.Kinds[0], Stores: r.Kinds[1], Atomics: r.Kinds[2], Requests: r.Requests, Skipped: r.Skipped,
		Recorded: r.Recorded.Seconds(), Simulated: r.Elapsed.Seconds(), Host: time.Since(began).Seconds(), Config: d,
	}
	p.Arrays = arraysOf(m.Report().Arrays)
	return p, nil
}

// write writes the replay for people.
func (p *Replay) write(w io.Writer, color bool) error {
	page := report{Result: &Result{Arrays: p.Arrays}, color: color}
	h := &p.Trace
	page.add("%s on %s, %s: accesses replayed on %s", page.paint(bold, h.Kernel), h.Machine, h.Graph, p.Machine)
	accesses := p.Loads + p.Stores + p.Atomics
	page.section("Accesses", fmt.Sprintf(": %s of threads (%s loads, %s stores, %s atomics), %s requests, in %d launches",
		rough(float64(accesses)), rough(float64(p.Loads)), rough(float64(p.Stores)), rough(float64(p.Atomics)), rough(float64(p.Requests)), p.Launches))
	if p.Skipped > 0 {
		page.add("  %s more, outside all arrays, were not recorded", rough(float64(p.Skipped)))
	}
	page.section("Time", fmt.Sprintf(": %s, of the recorded run %s", duration(p.Simulated), duration(p.Recorded)))
	page.arrays(true)
	page.section("Simulator", fmt.Sprintf(": %s, %s requests/s", duration(p.Host), rough(float64(p.Requests)/p.Host)))
	_, err := io.WriteString(w, strings.Join(page.lines, "\n")+"\n")
	return err
}
