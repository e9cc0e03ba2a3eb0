package experiments

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"heddle/models"
	"heddle/sim"
	"heddle/traces"
)

// traceFlags are the flags of a command that can write a timeline.
type traceFlags struct{ path, from, length, cores string }

func (t *traceFlags) add(f *pflag.FlagSet) {
	f.StringVar(&t.path, "trace", "", "write a timeline of the run to `FILE`, which ends in "+traces.Formats)
	f.StringVar(&t.from, "trace-from", "", "begin the timeline at a simulated `TIME`, such as \"10 us\"")
	f.StringVar(&t.length, "trace-for", "", "end the timeline a simulated `TIME` later")
	f.StringVar(&t.cores, "trace-cores", "", "show the threads and requests of these cores only, a `LIST` such as 0,4-7")
}

// parse returns the timeline that is asked for, nil for none.
func (t *traceFlags) parse(f *pflag.FlagSet) (*trace, error) {
	if t.path == "" {
		for _, name := range []string{"trace", "trace-from", "trace-for", "trace-cores"} {
			if f.Changed(name) {
				return nil, badInput("--%s: no file: want --trace FILE", name)
			}
		}
		return nil, nil
	}
	if err := traces.CheckPath(t.path); err != nil {
		return nil, badInput("--trace %w", err)
	}
	if err := checkOutput("--trace", t.path); err != nil {
		return nil, err
	}
	x := &trace{path: t.path}
	var err error
	if x.options.From, err = timeFlag("--trace-from", t.from); err != nil {
		return nil, err
	}
	if x.options.For, err = timeFlag("--trace-for", t.length); err != nil {
		return nil, err
	}
	if t.length != "" && x.options.For == 0 {
		return nil, badInput("--trace-for %q: nothing would be shown", t.length)
	}
	if t.cores != "" {
		if x.options.Cores, err = numberList(t.cores); err != nil {
			return nil, badInput("--trace-cores %w", err)
		}
	}
	return x, nil
}

func timeFlag(name, text string) (sim.Time, error) {
	if text == "" {
		return 0, nil
	}
	t, err := models.Parse[sim.Time](text)
	if err != nil {
		return 0, badInput("%s %w", name, err)
	}
	return t, nil
}

// mostListed bounds the length of a list of numbers.
const mostListed = 1 << 16

// numberList reads a list such as 0,4-7.
func numberList(text string) ([]int, error) {
	var list []int
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || from < 0 || to < from || to-from > mostListed-len(list) {
			return nil, fmt.Errorf("%q: want numbers and ranges, such as 0,4-7", text)
		}
		for i := from; i <= to; i++ {
			list = append(list, i)
		}
	}
	return list, nil
}

// trace is a timeline being written.
type trace struct {
	path    string
	options traces.Options
	file    *outFile
	tracer  *traces.Tracer
}

func (t *trace) start(m *models.Machine) (err error) {
	layout, err := m.Layout()
	if err != nil {
		return badInput("--trace: %w", err)
	}
	t.options.Now, t.options.DRAM = m.Engine.Now, m.DRAMBytes
	if t.file, err = createFile(t.path); err != nil {
		return err
	}
	t.tracer, err = traces.NewTracer(t.path, t.file.Name(), t.file, layout, t.options)
	if err == nil {
		err = m.Observe(t.tracer)
	}
	if err != nil {
		t.drop()
		return badInput("--trace: %w", err)
	}
	return nil
}

func (t *trace) keep() error {
	return t.file.keep(t.tracer.Close())
}

func (t *trace) drop() {
	if t.file != nil {
		t.file.drop()
		t.file = nil
	}
}
