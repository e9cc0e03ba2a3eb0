package experiments

import (
	"github.com/spf13/cobra"

	"heddle/models"
	"heddle/traces"
)

func (c *cli) recordCommand() *cobra.Command {
	r := Run{Kernel: defaultKernel}
	var asJSON bool
	var path string
	cmd := &cobra.Command{
		Use:   "record [KERNEL] -o FILE",
		Short: "Simulate a kernel and write down its memory accesses",
		Long: `Simulates a kernel as heddle run does, and writes every access of its threads to
the machine's memory to a file, which heddle replay performs on another machine's
memory system. What the file holds is described in the package heddle/traces.`,
		Example: `  heddle record matching/ld-serial --machine xeon-e5540 --set threads=1 --graph rmat-g:10 -o ld.trace
  heddle replay ld.trace --machine xeon-e5540 --set memory.l2.size="1 MiB"`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				r.Kernel = args[0]
			}
			if err := checkCycles(cmd, r); err != nil {
				return err
			}
			if path == "" {
				return badInput("no file: want -o FILE")
			}
			if err := checkOutput("-o", path); err != nil {
				return err
			}
			return c.run(cmd.Context(), r, watchers{file: &recording{run: r, path: path}}, asJSON, "")
		},
		ValidArgsFunction: names(kernelNames),
	}
	addRunFlags(cmd, &r)
	f := cmd.Flags()
	f.StringVarP(&path, "output", "o", "", "write the accesses to `FILE`")
	f.BoolVar(&asJSON, "json", false, "print the result of the run as one JSON object")
	return cmd
}

// recording is a memory trace being written.
type recording struct {
	run      Run
	path     string
	file     *outFile
	recorder *traces.Recorder
}

func (r *recording) start(m *models.Machine) error {
	layout, err := m.Layout()
	if err != nil {
		return badInput("-o %s: %w", r.path, err)
	}
	if r.file, err = createFile(r.path); err != nil {
		return err
	}
	r.recorder, err = traces.NewRecorder(r.file, traces.Header{
		Kernel: r.run.Kernel, Machine: m.Description.Name(), Graph: r.run.Graph, Seed: r.run.Seed,
		Width: layout.Width, Contexts: layout.Cores * layout.Contexts, Period: int64(layout.Clock.Period),
	})
	if err == nil {
		err = m.Observe(r.recorder)
	}
	if err != nil {
		r.drop()
	}
	return err
}

func (r *recording) keep() error { return r.file.keep(r.recorder.Close()) }

func (r *recording) drop() {
	if r.file != nil {
		r.file.drop()
		r.file = nil
	}
}
