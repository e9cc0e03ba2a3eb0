package experiments

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"heddle/models"
)

func (c *cli) machineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "machine",
		Short: "List the machines, or show the description of one",
		Args:  c.commandArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	list := &cobra.Command{
		Use:   "list",
		Short: "List the machines",
		Args:  arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			machines, err := machineEntries()
			c.println(machineTable(machines)...)
			return err
		},
	}
	cmd.AddCommand(list, c.machineShowCommand())
	return cmd
}

func (c *cli) machineShowCommand() *cobra.Command {
	var set []string
	var resolved bool
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show the description of a machine",
		Long: `Shows the description of a machine, every number with its source. NAME is one of
those that heddle list names, or the path of a file. The resolved description
ends with what it implies of the whole machine: peak rates, unloaded latencies.`,
		Example: `  heddle machine show tesla-c2050
  heddle machine show tesla-c2050 --resolved
  heddle machine show tesla-c2050 --set l1.size="16 KiB"`,
		Args: arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := describeMachine(args[0], set)
			if err != nil {
				return &InputError{err}
			}
			if _, err := models.Build(d, models.Options{}); err != nil {
				return &InputError{err}
			}
			if resolved || len(set) > 0 {
				checks, err := d.Theory()
				fmt.Fprint(c.stdout, d.YAML())
				c.println(theory(checks)...)
				return err
			}
			text, err := descriptionFile(d)
			if err != nil {
				return &InputError{err}
			}
			_, err = c.stdout.Write(text)
			return err
		},
		ValidArgsFunction: names(func() []string { return models.Names(models.Library) }),
	}
	cmd.Flags().BoolVar(&resolved, "resolved", false, "with the machines that it extends merged in")
	cmd.Flags().StringArrayVar(&set, "set", nil, "override a value, `PATH=VALUE`, and show the resolved description; may be repeated")
	return cmd
}

// theory returns, as comments, what a description implies of the whole machine
// beside what is published of it.
func theory(checks []models.Check) []string {
	if len(checks) == 0 {
		return nil
	}
	t := table{right: "lrrr"}
	t.add("implied", "value", "published", "off by", "formula")
	for _, c := range checks {
		stated, off := "-", "-"
		if !math.IsNaN(c.Stated) {
			stated, off = digits(c.Stated, 4), percent(c.Implied/c.Stated-1)
		}
		t.add(c.Key, digits(c.Implied, 4)+" "+c.Unit, stated, off, c.Formula)
	}
	return append([]string{""}, t.lines("# ")...)
}

// descriptionFile returns the text of d's own file.
func descriptionFile(d *models.Description) ([]byte, error) {
	file := d.Files()[0]
	if slices.Contains(models.Names(models.Library), d.Name()) && file == d.Name()+".yaml" {
		return fs.ReadFile(models.Library, file)
	}
	return os.ReadFile(file)
}
