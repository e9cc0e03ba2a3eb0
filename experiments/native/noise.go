package native

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"heddle/kernels/team"
)

// Noise is what else the computer did while runs were timed. Around the runs
// every worker of the team times a loop that fills the execution ports and takes
// no memory: what it takes longer than at its fastest, others have taken, on the
// same processor or on the other hardware thread of its core.
type Noise struct {
	Spins  int     `json:"spins"`       // loops timed
	Median float64 `json:"spin_median"` // time of a loop over that of the fastest, less 1
	Worst  float64 `json:"spin_worst"`  // as Median, of the slowest
	Stolen float64 `json:"stolen"`      // share of the processors' time that a hypervisor gave to others, 0 where the system does not tell
	Waited float64 `json:"waited"`      // for a processor: time of all threads together over that of one
	Quiet  bool    `json:"quiet"`       // whether all of these are small
}

// Bounds of a quiet computer.
const (
	quietMedian = 0.01
	quietWorst  = 0.05
	quietStolen = 0.005
	quietWaited = 0.01
)

// String is a line for people.
func (n Noise) String() string {
	verdict := "the machine was noisy"
	if n.Quiet {
		verdict = "the machine was quiet"
	}
	return fmt.Sprintf("%s: a spin loop took %.1f %% longer than its fastest in the median and %.1f %% at worst of %d, %.1f %% of the processors' time was stolen, threads waited for a processor for %.1f %% of the time",
		verdict, 100*n.Median, 100*n.Worst, n.Spins, 100*n.Stolen, 100*n.Waited)
}

// spins is the length of a loop: about a tenth of a millisecond.
const spins = 1 << 16

// listener takes note of noise.
type listener struct {
	team    *team.Team
	threads []int     // of the workers
	times   []float64 // of all loops
	began   time.Time
	stolen  float64
	waited  float64
}

func listen(t *team.Team) *listener {
	threads := threadsOf(t)
	return &listener{team: t, threads: threads, began: time.Now(), stolen: stolen(t.Processors()), waited: waited(threads)}
}

// sample times the loop on every worker, and returns the seconds of the slowest.
func (l *listener) sample() (slowest float64) {
	first := len(l.times)
	l.times = append(l.times, make([]float64, l.team.Threads())...)
	l.team.All(func(worker int) {
		began := time.Now()
		sink.Store(spin(3, 7))
		l.times[first+worker] = time.Since(began).Seconds()
	})
	return slices.Max(l.times[first:])
}

// sink keeps what spin computes.
var sink atomic.Uint64

// spin executes eight chains of instructions: more than a core can begin at a
// time, so that a hardware thread beside it is felt.
//
//go:noinline
func spin(x, y uint64) uint64 {
	a, b, c, d, e, f, g, h := x, y, x+1, y+1, x+2, y+2, x+3, y+3
	for range spins {
		a = (a ^ x) + y
		b = (b ^ x) + y
		c = (c ^ x) + y
		d = (d ^ x) + y
		e = (e ^ x) + y
		f = (f ^ x) + y
		g = (g ^ x) + y
		h = (h ^ x) + y
	}
	return a + b + c + d + e + f + g + h
}

// heard returns what there was since listen.
func (l *listener) heard() Noise {
	slices.Sort(l.times)
	over := func(x float64) float64 { return x/l.times[0] - 1 }
	n := Noise{
		Spins:  len(l.times),
		Median: over(Median(l.times)),
		Worst:  over(l.times[len(l.times)-1]),
	}
	elapsed := time.Since(l.began).Seconds()
	processors := max(1, len(l.team.Processors()))
	n.Stolen = (stolen(l.team.Processors()) - l.stolen) / elapsed / float64(processors)
	n.Waited = max(0, waited(l.threads)-l.waited) / elapsed
	n.Quiet = n.Median <= quietMedian && n.Worst <= quietWorst && n.Stolen <= quietStolen && n.Waited <= quietWaited
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

// waited returns the seconds for which threads of the process have waited for a
// processor while they could run, 0 where Linux does not tell. (The second
// figure of a thread's schedstat, as the kernel's sched-stats document has it.)
func waited(threads []int) float64 {
	var sum float64
	for _, id := range threads {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/schedstat", id)) // of a thread that may have ended
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			nanoseconds, _ := strconv.ParseFloat(fields[1], 64)
			sum += nanoseconds / 1e9
		}
	}
	return sum
}

// threadsOf returns the operating system's threads that the workers of a pinned
// team run on; else they may change, and it returns none.
func threadsOf(t *team.Team) []int {
	if t.Processors() == nil {
		return nil
	}
	ids := make([]int, t.Threads())
	t.All(func(worker int) { ids[worker] = threadID() })
	return ids
}
