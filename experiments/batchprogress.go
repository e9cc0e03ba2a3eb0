package experiments

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"heddle/models"
)

// liveRun is what a bar sees of a run while it goes on.
type liveRun struct {
	machine atomic.Pointer[models.Machine] // while it simulates
	began   atomic.Int64                   // simulating, in nanoseconds of the Unix epoch
	expect  float64                        // instructions, about; 0: nobody knows
}

func (l *liveRun) running(m *models.Machine) {
	l.began.Store(time.Now().UnixNano())
	l.machine.Store(m)
}

func (l *liveRun) checking() { l.machine.Store(nil) }

// look returns how far the run is, from 0 to 1, and what to say of it.
func (l *liveRun) look() (share float64, text string) {
	m := l.machine.Load()
	if m == nil {
		return 0, ""
	}
	at := m.Progress()
	switch {
	case l.expect > 0:
		share = float64(at.Instructions) / l.expect
	case at.Of > 0:
		share = float64(at.Done) / float64(at.Of)
	}
	text = rough(float64(at.Instructions)/time.Since(time.Unix(0, l.began.Load())).Seconds()) + " instructions/s"
	if at.Now > 0 {
		text = duration(at.Now.Seconds()) + " simulated, " + text
	}
	return min(share, 1), text
}

// batchProgress shows many jobs on a terminal: a bar for each worker, and one
// for all jobs by their cost. A nil one shows nothing.
type batchProgress struct {
	container *mpb.Progress
	total     *mpb.Bar
	workers   []*mpb.Bar
	jobs      []batched
	whole     float64 // cost of all jobs
	quit      chan struct{}
	polling   sync.WaitGroup

	mu      sync.Mutex
	doing   []int   // job of each worker, -1 for none
	done    int     // jobs
	cost    float64 // of those done
	skipped float64 // cost of those that were kept
}

// barSteps is how finely a bar tells progress apart. A bar that is full stops
// being drawn, so the last step is never taken.
const barSteps = 10_000

// newBatchProgress begins the bars on out, or none if out is nil.
func newBatchProgress(out *os.File, jobs []batched, workers int) *batchProgress {
	if out == nil || len(jobs) == 0 {
		return nil
	}
	p := &batchProgress{jobs: jobs, quit: make(chan struct{})}
	for i := range jobs {
		p.whole += jobs[i].Cost
	}
	p.container = mpb.New(mpb.WithOutput(out), mpb.WithRefreshRate(progressInterval))
	began := time.Now()
	p.doing = slices.Repeat([]int{-1}, min(workers, len(jobs)))
	for w := range p.doing {
		p.workers = append(p.workers, p.bar(16, func() (string, string) { return fmt.Sprintf("%3d", w+1), p.worker(w) }))
	}
	p.total = p.bar(24, func() (string, string) {
		elapsed := time.Since(began)
		before := fmt.Sprintf("%d of %d runs, %s", p.done, len(p.jobs), elapsed.Round(time.Second))
		share := (p.cost - p.skipped) / (p.whole - p.skipped)
		if share < 0.02 || p.done == len(p.jobs) {
			return before, ""
		}
		return before, "about " + (time.Duration(float64(elapsed) * (1 - share) / share)).Round(time.Second).String() + " left"
	})
	p.polling.Go(func() { poll(p.quit, p.move) })
	return p
}

// bar adds a bar between two texts, which are told under the lock.
func (p *batchProgress) bar(width int, tell func() (before, after string)) *mpb.Bar {
	part := func(which func(before, after string) string) decor.Decorator {
		return decor.Any(func(decor.Statistics) string {
			p.mu.Lock()
			defer p.mu.Unlock()
			return which(tell())
		})
	}
	return p.container.New(barSteps, mpb.BarStyle().Lbound(" ").Filler("█").Tip("█").Padding("░").Rbound(" "), mpb.BarWidth(width),
		mpb.PrependDecorators(part(func(before, _ string) string { return before })),
		mpb.AppendDecorators(part(func(_, after string) string { return after })))
}

// worker says what a worker does.
func (p *batchProgress) worker(w int) string {
	if p.doing[w] < 0 {
		return ""
	}
	job := &p.jobs[p.doing[w]]
	text := job.name
	if job.live != nil {
		if _, more := job.live.look(); more != "" {
			text += ": " + more
		}
	}
	return text
}

// move sets the bars, not under the lock: a bar that is being drawn waits for
// it.
func (p *batchProgress) move() {
	workers, total := p.shares()
	for w, share := range workers {
		setShare(p.workers[w], share)
	}
	setShare(p.total, total)
}

// shares returns how far each worker's job and all jobs are.
func (p *batchProgress) shares() (workers []float64, total float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	workers = make([]float64, len(p.doing))
	cost := p.cost
	for w, i := range p.doing {
		if i >= 0 && p.jobs[i].live != nil {
			workers[w], _ = p.jobs[i].live.look()
			cost += workers[w] * p.jobs[i].Cost
		}
	}
	return workers, cost / p.whole
}

func setShare(b *mpb.Bar, share float64) {
	b.SetCurrent(min(int64(share*barSteps), barSteps-1))
}

func (p *batchProgress) begun(i, worker int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doing[worker] = i
}

func (p *batchProgress) ended(i int, kept bool) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.cost += p.jobs[i].Cost
	if kept {
		p.skipped += p.jobs[i].Cost
	}
	for w := range p.doing {
		if p.doing[w] == i {
			p.doing[w] = -1
		}
	}
}

// stop takes the bars off the terminal.
func (p *batchProgress) stop() {
	if p == nil {
		return
	}
	close(p.quit)
	p.polling.Wait()
	for _, b := range append(p.workers, p.total) {
		b.Abort(true)
	}
	p.container.Wait()
}
