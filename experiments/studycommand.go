package experiments

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"heddle/experiments/studies"
)

func (c *cli) studyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "study",
		Short: "Run, continue and look at a study: many runs described by a file",
		Long: `A study is a YAML file that names kernels, machines, graphs, overrides, seeds
and schedules; each combination of them is a run. It also names what runs are
compared with, and what is drawn of them. FILE is a path that ends in .yaml or
holds a slash, or the name of a study that comes with Heddle, which heddle study
list names and heddle study show prints: they show what a file may hold.

A run is known by all that its result depends on: the program, the machine's
description, the graph's contents, the seed and this very build of Heddle. What
has been run, in this study or elsewhere, is not run again.`,
		Example: `  heddle study list
  heddle study show l1 > mine.yaml
  heddle study run mine.yaml --memory "8 GiB"
  heddle study status mine.yaml
  heddle study results mine.yaml --csv mine.csv
  heddle study plot mine.yaml`,
		Args: c.commandArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.studyListCommand(), c.studyShowCommand(), c.studyRunCommand(), c.studyStatusCommand(), c.studyResultsCommand(), c.studyPlotCommand(), c.studyTaskCommand())
	return cmd
}

func (c *cli) studyListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the studies that come with Heddle",
		Args:  arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			var t table
			for _, name := range studies.Names() {
				s, err := readStudy(name, nil)
				if err != nil {
					return err
				}
				var parameters []string
				for _, p := range s.Parameters {
					parameters = append(parameters, p.Name+"="+p.Value)
				}
				t.add(name, s.Title, count(len(s.Points))+" runs", strings.Join(parameters, " "))
			}
			c.println(t.lines("")...)
			return nil
		},
	}
}

func (c *cli) studyShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Print the file of a study that comes with Heddle",
		Args:  arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := studies.Text(args[0])
			if err != nil {
				return unknown("study", args[0], studies.Names())
			}
			_, err = c.stdout.Write(text)
			return err
		},
		ValidArgsFunction: names(studies.Names),
	}
}

func (c *cli) studyRunCommand() *cobra.Command {
	var o studyRun
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Do the runs of a study that are not done yet",
		Long: `Checks all that a study asks for, prints what is left to do with the time and
memory that it is expected to need, and does it in parallel, each result kept as
soon as it is there. However it ends, the same command goes on from there: only
the runs in flight are lost. A run that failed is not tried again without
--retry.

The time that a run will take is told from earlier ones in the folder of
results: from the instructions an edge and the instructions a second of the one
of the same kernel on the same machine that is most alike in edges and in what
the machine, with its overrides, runs at once or, failing that, of the same kernel
and of the same machine apart. Memory is told from the sizes of the graph and
the machine, and from that run's arrays.

With --on slurm each run is a task of a job array of the Slurm cluster, which
must share the folders of this computer. A task that ends without a result, as
when its node fails, is handed in again, with twice the memory and time. An
interrupt leaves the tasks to the cluster; the same command waits for them.

Exit status 1 says that runs failed.`,
		Example: `  heddle study run l1 --dry-run
  heddle study run mine.yaml --param scale=16 --jobs 4 --memory "8 GiB"
  heddle study run mine.yaml --on slurm --sbatch "--partition=short"`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.studyRun(cmd.Context(), args[0], &o)
		},
		ValidArgsFunction: names(studies.Names),
	}
	o.add(cmd)
	o.addJobs(cmd)
	f := cmd.Flags()
	f.StringVar(&o.memory, "memory", "", fmt.Sprintf("`SIZE` of memory for all runs at a time, such as \"8 GiB\"; without it %.0f %% of this computer's", 100*memoryShare))
	f.BoolVar(&o.retry, "retry", false, "do runs again that failed")
	f.BoolVar(&o.dryRun, "dry-run", false, "only check the study and print the plan")
	f.StringVar(&o.on, "on", "", "do the runs on a cluster: "+onSlurm)
	f.StringVar(&o.sbatch, "sbatch", "", "more `ARGUMENTS` for sbatch, such as \"--partition=short --account=me\"")
	f.IntVar(&o.retries, "retries", 2, "hand a task of a cluster in again up to `N` times")
	f.BoolVar(&o.detach, "detach", false, "hand the tasks in and do not wait for them")
	return cmd
}
