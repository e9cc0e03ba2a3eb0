package experiments

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"heddle/models"
)

// Exit statuses.
const (
	exitVerified = 0 // the command did what it was asked for; a run's answer is right
	exitFailed   = 1 // the run failed or was interrupted, or its answer is wrong
	exitBadInput = 2 // the input was refused; nothing was run or written
)

// Main is the command line: it does what args say and returns the exit status.
// The end of ctx, an interrupt or a request to terminate ends a run cleanly; a
// second signal ends the process.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	ctx, restore := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer restore()
	context.AfterFunc(ctx, restore)

	c := newCLI(stdout, stderr)
	root := c.root()
	root.SetArgs(args)
	root.SetOut(c.stdout)
	root.SetErr(c.stderr)
	err := root.ExecuteContext(ctx)
	if flushed := c.stdout.Flush(); err == nil && flushed != nil {
		err = flushed
	}
	if err == nil {
		return exitVerified
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !strings.HasPrefix(line, " ") {
			line = "heddle: " + line
		}
		fmt.Fprintln(c.stderr, line)
	}
	if bad := (*InputError)(nil); errors.As(err, &bad) {
		return exitBadInput
	}
	return exitFailed
}

// cli is where the commands write.
type cli struct {
	stdout   *bufio.Writer
	stderr   io.Writer // safe for goroutines
	color    bool      // of stdout
	terminal *os.File  // stderr if it is a terminal
	log      zerolog.Logger
	verbose  bool
}

func newCLI(stdout, stderr io.Writer) *cli {
	c := &cli{stdout: bufio.NewWriter(standardOutput{stdout}), stderr: &lockedWriter{w: stderr}, terminal: terminal(stderr)}
	c.color = terminal(stdout) != nil && os.Getenv("NO_COLOR") == ""
	c.setLog(zerolog.WarnLevel)
	return c
}

// terminal returns w if it is a terminal.
func terminal(w io.Writer) *os.File {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

func (c *cli) setLog(level zerolog.Level) {
	c.log = zerolog.New(zerolog.ConsoleWriter{
		Out:          c.stderr,
		NoColor:      c.terminal == nil || os.Getenv("NO_COLOR") != "",
		PartsExclude: []string{zerolog.TimestampFieldName},
	}).Level(level)
}

// standardOutput names itself in its errors.
type standardOutput struct{ io.Writer }

func (s standardOutput) Write(b []byte) (int, error) {
	n, err := s.Writer.Write(b)
	if err != nil {
		err = fmt.Errorf("standard output: %w", err)
	}
	return n, err
}

// lockedWriter lets goroutines share a writer.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "heddle",
		Short: "Simulate irregular graph kernels on models of real machines",
		Long: `Heddle simulates irregular graph kernels, instruction by instruction, on models
of real machines, and checks every answer.

Exit status: 0 the answer is verified; 1 the run failed, was interrupted, or its
answer is wrong; 2 bad input.`,
		Example: `  heddle run
  heddle run bfs/level --machine tesla-c2050 --graph rmat-b:16 --json
  heddle run matching/ld --graph road.gr.gz --set l1.size="16 KiB" --set l1.ways=4
  heddle list`,
		Args:              c.commandArgs,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRun:  c.prepare,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.PersistentFlags().BoolVarP(&c.verbose, "verbose", "v", false, "log what goes on to standard error")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(c.runCommand(), c.annotateCommand(), c.listCommand(), c.machineCommand(), c.graphCommand(), c.metricsCommand(),
		c.compareCommand(), c.sweepCommand(), c.studyCommand(), c.microbenchCommand(), c.recordCommand(), c.replayCommand(),
		c.nativeCommand(), c.calibrateCommand(), c.validateCommand(), c.reproduceCommand())
	root.AddCommand(c.reportCommand(), c.serveCommand())
	return root
}

func (c *cli) prepare(*cobra.Command, []string) {
	if c.verbose {
		c.setLog(zerolog.DebugLevel)
	}
}

// commandArgs refuses what is not a subcommand of cmd.
func (c *cli) commandArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return unknown("command", args[0], names)
}

// arguments returns a check that a command is given from least to most
// arguments.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return badInput("too few arguments: usage: %s", cmd.UseLine())
		case len(args) > most:
			return badInput("unexpected argument %q: usage: %s", args[most], cmd.UseLine())
		}
		return nil
	}
}

// flagError says in one line what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	var (
		missing *pflag.NotExistError
		invalid *pflag.InvalidValueError
		bare    *pflag.ValueRequiredError
	)
	switch {
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() == "":
		name := missing.GetSpecifiedName()
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		hint := ""
		if near := models.Nearest(name, known); near != "" {
			hint = ": nearest is --" + near
		}
		return badInput("unknown flag --%s%s; %s --help lists them", name, hint, cmd.CommandPath())
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		return badInput("--%s %q: want %s", f.Name, invalid.GetValue(), wanted(f.Value.Type()))
	case errors.As(err, &bare):
		f := bare.GetFlag()
		return badInput("--%s: no value: want %s", f.Name, wanted(f.Value.Type()))
	}
	return badInput("%w; see %s --help", err, cmd.CommandPath())
}

// wanted says what values a type of flag takes.
func wanted(kind string) string {
	switch kind {
	case "uint64":
		return "a whole number, 0 to 2^64-1"
	case "int", "int64":
		return "a whole number"
	case "bool":
		return "true or false"
	case "stringArray":
		return "path=value"
	}
	return "a name"
}
