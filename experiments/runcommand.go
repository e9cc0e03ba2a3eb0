package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"heddle/kernels/graph"
	"heddle/models"
)

// What heddle run simulates if it is not told.
const (
	defaultKernel  = "matching/ld"
	defaultMachine = "tesla-c2050"
	defaultGraph   = "rmat-g:14"
)

// mostCycles is the largest limit of cycles: at any clock, within what simulated
// time can hold.
const mostCycles = 1_000_000_000_000

func (c *cli) runCommand() *cobra.Command {
	r := Run{Kernel: defaultKernel}
	var asJSON bool
	var annotate string
	var port int
	var shown traceFlags
	cmd := &cobra.Command{
		Use:   "run [KERNEL]",
		Short: "Simulate a kernel on a machine and check its answer",
		Long: `Simulates a kernel on a machine, checks the answer, and reports the simulated
time, where it went, and the simulator's own speed. KERNEL is one of those that
heddle list names; without one it is ` + defaultKernel + `.

An interrupt (Ctrl-C) ends the run with what is known so far, marked incomplete,
and exit status 1; a second one ends it at once.`,
		Example: `  heddle run
  heddle run bfs/level --graph rmat-b:16 --source 0
  heddle run matching/ld --graph USA-road-d.NY.gr.gz --json
  heddle run --set scheduler.policy=gto --set l1.enabled=false
  heddle run --trace ld.pftrace --trace-from "40 us" --trace-for "5 us" --trace-cores 0-1`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				r.Kernel = args[0]
			}
			if err := checkCycles(cmd, r); err != nil {
				return err
			}
			if annotate != "" {
				if err := checkLineOrder("--annotate", annotate); err != nil {
					return err
				}
				if asJSON {
					return badInput("--annotate goes with the report, not with --json; heddle annotate reads what --json prints")
				}
			}
			trace, err := shown.parse(cmd.Flags())
			if err != nil {
				return err
			}
			var m *monitor
			if cmd.Flags().Changed("monitor") {
				if m, err = newMonitor(port); err != nil {
					return err
				}
			}
			w := watchers{monitor: m}
			if trace != nil {
				w.file = trace
			}
			return c.run(cmd.Context(), r, w, asJSON, annotate)
		},
		ValidArgsFunction: names(kernelNames),
	}
	addRunFlags(cmd, &r)
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print the result as one JSON object")
	f.BoolVar(&r.Sample, "sample", false, "simulate windows of the run in detail, and estimate its time from them")
	f.IntVar(&port, "monitor", 0, "show the running machine with akita's monitor on a `PORT` of this computer")
	f.StringVar(&annotate, "annotate", "", "show below the report what each source line, array and launch did, lines in an `ORDER` of source, time, issues, transactions or misses")
	f.Lookup("annotate").NoOptDefVal = bySource
	shown.add(f)
	return cmd
}

// addRunFlags adds what says of r what is simulated.
func addRunFlags(cmd *cobra.Command, r *Run) {
	f := cmd.Flags()
	addMachineFlags(cmd, &r.Machine, &r.Set)
	addInputFlags(cmd, r)
	f.StringVar(&r.Schedule, "schedule", "", "`KIND` of parallel loops: cyclic, static, dynamic, guided or block-dynamic, with ,CHUNK after all but the first; without it the machine's")
	f.BoolVar(&r.Memcheck, "memcheck", false, "end the run when it reads memory that nothing has written")
	f.Int64Var((*int64)(&r.MaxCycles), "max-cycles", 0, "end the run after `N` cycles of the machine's clock, or N instructions a launch without timing")
}

// addMachineFlags adds what names a machine and changes it.
func addMachineFlags(cmd *cobra.Command, machine *string, set *[]string) {
	f := cmd.Flags()
	f.StringVarP(machine, "machine", "m", defaultMachine, "`NAME` of a machine, or the path of its description")
	f.StringArrayVar(set, "set", nil, "override a value of the machine's description, `PATH=VALUE`; may be repeated")
	completeWith(cmd, "machine", func() []string { return models.Names(models.Library) })
}

// checkCycles refuses a limit of cycles that is none.
func checkCycles(cmd *cobra.Command, r Run) error {
	if cmd.Flags().Changed("max-cycles") && (r.MaxCycles < 1 || r.MaxCycles > mostCycles) {
		return badInput("--max-cycles %d: want 1 to %d", r.MaxCycles, int64(mostCycles))
	}
	return nil
}

// watchers look at a run while it goes on. Either may be nil.
type watchers struct {
	monitor *monitor
	file    runFile
}

// runFile is a file that is written while a machine runs.
type runFile interface {
	// start begins the file of a machine that does not run yet.
	start(m *models.Machine) error
	// keep ends the file of a run that has ended, for whatever reason.
	keep() error
	// drop ends the file of a run that has not begun.
	drop()
}

// run executes r and prints its result.
func (c *cli) run(ctx context.Context, r Run, w watchers, asJSON bool, annotate string) error {
	m := w.monitor
	forget := context.AfterFunc(ctx, func() { c.log.Warn().Msg("interrupted: ending the run; once more ends it at once") })
	defer forget()
	live := newProgress(c.terminal)
	hooks := Hooks{
		Opening:  live.opening,
		Checking: live.checking,
		Running: func(machine *models.Machine, g *graph.Graph) {
			live.running(machine)
			m.watch(machine)
		},
		Log: func(line string) { c.log.Info().Msg(line) },
	}
	hooks.Built = func(machine *models.Machine) error {
		if w.file != nil {
			if err := w.file.start(machine); err != nil {
				return err
			}
		}
		if m == nil {
			return nil
		}
		if err := m.start(machine); err != nil {
			return err
		}
		c.log.Warn().Msgf("monitor at http://127.0.0.1:%d, for this computer alone", m.port)
		return nil
	}
	result, err := r.Execute(ctx, hooks)
	live.stop()
	m.stop()
	if result == nil {
		if w.file != nil {
			w.file.drop()
		}
		return err
	}
	var kept, printed error
	if w.file != nil {
		kept = w.file.keep()
	}
	if asJSON {
		printed = json.NewEncoder(c.stdout).Encode(result)
	} else {
		printed = writeReport(c.stdout, result, c.color)
	}
	if annotate != "" && printed == nil {
		printed = c.annotateResult(result, annotate)
	}
	if err != nil {
		return errors.Join(&reported{err}, kept)
	}
	return errors.Join(kept, printed)
}

// reported is an error that the result tells in full; its message is the first
// line.
type reported struct{ err error }

func (r *reported) Error() string {
	first, _, _ := strings.Cut(r.err.Error(), "\n")
	return first
}

func (r *reported) Unwrap() error { return r.err }

// names completes the first argument.
func names(known func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return known(), cobra.ShellCompDirectiveDefault
	}
}

// completeWith completes the value of a flag.
func completeWith(cmd *cobra.Command, flag string, known func() []string) {
	// The only error is a flag that cmd does not have.
	_ = cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return known(), cobra.ShellCompDirectiveDefault
	})
}
