package native

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"heddle/kernels/team"
)

// Noise is what else the computer did while runs were timed. Between the runs
// every worker of the team times a loop that always takes the same number of
// instructions and no memory: what it takes longer than at its fastest, others
// have taken.
type Noise struct {
	Spins  int     `json:"spins"`         // loops timed
	Median float64 `json:"spin_median"`   // time of a loop over that of the fastest, less 1
	Worst  float64 `json:"spin_worst"`    // as Median, of the slowest
	Stolen float64 `json:"stolen"`        // share of the processors' time that a hypervisor gave to others, 0 where the system does not tell
	Yields int64   `json:"interruptions"` // involuntary context switches of the process
	Quiet  bool    `json:"quiet"`         // whether all of these are small
}

// Bounds of a quiet computer.
const (
	quietMedian = 0.01
	quietWorst  = 0.05
	quietStolen = 0.005
)

// String is a line for people.
func (n Noise) String() string {
	verdict := "the machine was noisy"
	if n.Quiet {
		verdict = "the machine was quiet"
	}
	return fmt.Sprintf("%s: a spin loop took %.1f %% longer than its fastest in the median and %.1f %% at worst of %d, %.1f %% of the processors' time was stolen, %d involuntary context switches",
		verdict, 100*n.Median, 100*n.Worst, n.Spins, 100*n.Stolen, n.Yields)
}

// spins is the length of a loop: about half a millisecond.
const spins = 1 << 20

// listener takes note of noise.
type listener struct {
	team   *team.Team
	times  []float64 // of all loops
	began  time.Time
	stolen float64
	yields int64
}

func listen(t *team.Team) *listener {
	l := &listener{team: t, began: time.Now(), stolen: stolen(t.Processors()), yields: interruptions()}
	l.sample()
	return l
}

// sample times the loop on every worker.
func (l *listener) sample() {
	first := len(l.times)
	l.times = append(l.times, make([]float64, l.team.Threads())...)
	l.team.All(func(worker int) {
		began := time.Now()
		spin()
		l.times[first+worker] = time.Since(began).Seconds()
	})
}

// sink keeps what spin computes.
var sink atomic.Uint64

// spin executes a chain of instructions that depend on each other.
func spin() {
	x := uint64(1)
	for range spins {
		x = x*2862933555777941757 + 3037000493
	}
	if x == 0 {
		sink.Add(1)
	}
}

// heard returns what there was since listen.
func (l *listener) heard() Noise {
	slices.Sort(l.times)
	over := func(x float64) float64 { return x/l.times[0] - 1 }
	n := Noise{
		Spins:  len(l.times),
		Median: over(median(l.times)),
		Worst:  over(l.times[len(l.times)-1]),
		Yields: interruptions() - l.yields,
	}
	processors := max(1, len(l.team.Processors()))
	n.Stolen = (stolen(l.team.Processors()) - l.stolen) / time.Since(l.began).Seconds() / float64(processors)
	n.Quiet = n.Median <= quietMedian && n.Worst <= quietWorst && n.Stolen <= quietStolen
	return n
}

// ticks is the unit of /proc/stat, by proc(5) on all that runs Go.
const ticks = 100

// stolen returns the seconds for which a hypervisor kept the processors waiting
// since the start of the system, 0 where Linux does not tell.
func stolen(processors []int) float64 {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	const stealField = 8
	var sum float64
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) <= stealField {
			continue
		}
		number, ok := strings.CutPrefix(fields[0], "cpu")
		p, err := strconv.Atoi(number)
		if !ok || err != nil || !slices.Contains(processors, p) {
			continue
		}
		if x, err := strconv.ParseFloat(fields[stealField], 64); err == nil {
			sum += x / ticks
		}
	}
	return sum
}

// interruptions returns how often the process's threads have lost their
// processor while they had work to do, 0 where Linux does not tell.
func interruptions() int64 {
	threads, _ := filepath.Glob("/proc/self/task/*/status")
	var sum int64
	for _, path := range threads {
		text, _ := os.ReadFile(path) // of a thread that may have ended
		for line := range strings.Lines(string(text)) {
			if number, ok := strings.CutPrefix(line, "nonvoluntary_ctxt_switches:"); ok {
				n, _ := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
				sum += n
			}
		}
	}
	return sum
}
