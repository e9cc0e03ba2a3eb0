package experiments

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"heddle/experiments/batch"
)

// batchProgress is a live bar of many jobs, by their cost, on a terminal. A nil
// one shows nothing.
type batchProgress struct {
	container *mpb.Progress
	bar       *mpb.Bar
	jobs      []batch.Job
	unit      float64 // of cost, a step of the bar

	mu     sync.Mutex
	done   int
	latest string // job that began last
	cost   float64
}

// barSteps is how finely the bar tells costs apart.
const barSteps = 10_000

// newBatchProgress begins a bar on out, or none if out is nil.
func newBatchProgress(out *os.File, jobs []batch.Job) *batchProgress {
	if out == nil || len(jobs) == 0 {
		return nil
	}
	p := &batchProgress{jobs: jobs}
	for i := range jobs {
		p.unit += jobs[i].Cost / barSteps
	}
	p.container = mpb.New(mpb.WithOutput(out), mpb.WithRefreshRate(progressInterval))
	began := time.Now()
	told := func(tell func() string) decor.Decorator {
		return decor.Any(func(decor.Statistics) string {
			p.mu.Lock()
			defer p.mu.Unlock()
			return tell()
		})
	}
	p.bar = p.container.New(barSteps, mpb.BarStyle().Lbound(" ").Filler("█").Tip("█").Padding("░").Rbound(" "), mpb.BarWidth(24),
		mpb.PrependDecorators(told(func() string {
			return fmt.Sprintf("%d of %d runs, %s", p.done, len(p.jobs), time.Since(began).Round(time.Second))
		})),
		mpb.AppendDecorators(told(func() string { return p.latest })))
	return p
}

func (p *batchProgress) begun(name string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latest = name
}

func (p *batchProgress) ended(i int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.done++
	p.cost += p.jobs[i].Cost
	at := int64(p.cost / p.unit)
	p.mu.Unlock()
	p.bar.SetCurrent(min(at, barSteps-1)) // a bar that is full stops being drawn
}

// stop takes the bar off the terminal.
func (p *batchProgress) stop() {
	if p == nil {
		return
	}
	p.bar.Abort(true)
	p.container.Wait()
}
