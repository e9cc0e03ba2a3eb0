package native

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/kerneltest"
	"heddle/kernels/team"
)

// timer is a kernel whose runs take the times given, one after the other, and
// whose answer is how often it has run.
type timer struct {
	times []time.Duration
	runs  int
	err   error
}

func (r *timer) Run() error {
	time.Sleep(r.times[min(r.runs, len(r.times)-1)])
	r.runs++
	return r.err
}

func (r *timer) Answer() kernels.Answer { return ran(r.runs) }

type ran int

func (ran) Check(*graph.Graph) error  { return nil }
func (ran) Figures() []kernels.Figure { return nil }

// prepared is the Native of a kernel whose run is r.
func prepared(r kernels.NativeRun) func(*team.Team, *graph.Graph, kernels.Options) (kernels.NativeRun, error) {
	return func(*team.Team, *graph.Graph, kernels.Options) (kernels.NativeRun, error) { return r, nil }
}

func measure(t *testing.T, r *timer, threads int, o Options) *Timing {
	t.Helper()
	k := kernels.Kernel{Native: prepared(r)}
	m, err := Measure(context.Background(), k, kerneltest.FromEdges(1, nil), kernels.Options{Threads: threads}, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Only the runs after the warm-up count, each once.
func TestMeasureCountsWhatFollowsTheWarmup(t *testing.T) {
	const long, short = 150 * time.Millisecond, 2 * time.Millisecond
	r := &timer{times: []time.Duration{long, short}}
	m := measure(t, r, 2, Options{Repeat: 5})
	if m.Warmups != 1 || len(m.Samples) != 5 || m.Threads != 2 {
		t.Errorf("%d runs to warm up, %d samples, %d threads", m.Warmups, len(m.Samples), m.Threads)
	}
	if m.Answer != ran(m.Warmups+5) {
		t.Errorf("the answer is that of run %v", m.Answer)
	}
	if m.Least < short.Seconds() || m.Least > m.Median || m.Median > m.Most || m.Spread < 0 {
		t.Errorf("%+v", m)
	}
	if m.Noise.Spins != 2*10 {
		t.Errorf("%d loops timed by 2 workers around 5 runs", m.Noise.Spins)
	}
}

// Runs that are short warm up more than once.
func TestWarmupLasts(t *testing.T) {
	m := measure(t, &timer{times: []time.Duration{time.Microsecond}}, 1, Options{})
	if m.Warmups != mostWarmups || len(m.Samples) != 1 {
		t.Errorf("%d runs to warm up, %d samples", m.Warmups, len(m.Samples))
	}
}

func TestMeasureFails(t *testing.T) {
	r := &timer{times: []time.Duration{0}, err: context.Canceled}
	k := kernels.Kernel{Native: prepared(r)}
	if _, err := Measure(context.Background(), k, nil, kernels.Options{Threads: 1}, Options{}); err != context.Canceled || r.runs != 1 {
		t.Errorf("error %v after %d runs", err, r.runs)
	}
}

func TestSummary(t *testing.T) {
	for _, c := range []struct {
		samples                          []float64
		waited                           []float64
		spins                            []float64
		median, least, most, undisturbed float64
	}{
		{[]float64{5, 1, 2, 4, 3}, []float64{0.25, 0, 1, 0.21, 0.15}, []float64{9, 9, 9, 9, 9}, 3, 1, 5, 3},
		{[]float64{5, 1, 2, 4, 3}, []float64{0.25, 0, 1, 0.21, 0.15}, []float64{10.4, 10, 10, 10.6, 10.6}, 3, 1, 5, 3},
		{[]float64{4, 1, 2, 3}, []float64{1, 0, 0.1, 7}, []float64{9, 9, 9, 9}, 2.5, 1, 4, 1.5},
		{[]float64{4, 1, 2, 3}, []float64{1, 0, 0.1, 7}, []float64{9, 12, 9, 9}, 2.5, 1, 4, 2},
		{[]float64{7}, []float64{0.5}, []float64{1}, 7, 7, 7, math.NaN()},
	} {
		m := Timing{Samples: c.samples, Waited: c.waited, Spins: c.spins}
		m.summarize()
		same := float64(m.Undisturbed) == c.undisturbed || math.IsNaN(c.undisturbed) && math.IsNaN(float64(m.Undisturbed))
		if m.Median != c.median || m.Least != c.least || m.Most != c.most || !same || m.Spread < 0 {
			t.Errorf("%+v", m)
		}
		if _, err := json.Marshal(m); err != nil {
			t.Error(err)
		}
	}
}

// The loop's time is proportional to nothing but the processor's speed: what
// the listener hears is times over the fastest.
func TestNoise(t *testing.T) {
	workers := team.New(context.Background(), 1)
	defer workers.Close()
	l := &listener{team: workers, began: time.Now(), times: []float64{1, 1.5, 1, 1, 3}}
	n := l.heard()
	if n.Median != 0 || n.Worst != 2 || n.Spins != 5 || n.Quiet {
		t.Errorf("%+v", n)
	}
	if !strings.Contains(n.String(), "noisy") || !strings.Contains(n.String(), "200.0 % at worst of 5") {
		t.Error(n)
	}
	l = &listener{team: workers, began: time.Now().Add(-time.Hour), times: []float64{1, 1.001}}
	if n := l.heard(); !n.Quiet || math.Abs(n.Median-0.0005) > 1e-9 {
		t.Errorf("%+v", n)
	}
}

func TestWhatLinuxTells(t *testing.T) {
	if _, err := os.Stat("/proc/stat"); err != nil {
		t.Skip(err)
	}
	if s := stolen([]int{0}); s < 0 {
		t.Errorf("%v s stolen", s)
	}
	if w := waited([]int{os.Getpid()}); w < 0 {
		t.Errorf("%v s waited", w)
	}
}
