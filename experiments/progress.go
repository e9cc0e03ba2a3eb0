package experiments

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"heddle/models"
)

// progressInterval is how often the bar looks at the run.
const progressInterval = 100 * time.Millisecond

// progress is a live bar on a terminal. A nil one shows nothing.
type progress struct {
	container *mpb.Progress
	bar       *mpb.Bar
	quit      chan struct{}
	ended     sync.WaitGroup

	mu          sync.Mutex
	phase       string
	done, total int64
	machine     *models.Machine // while it runs
	began       time.Time
	text        string // after the bar
}

// newProgress begins a bar on out, or none if out is nil.
func newProgress(out *os.File) *progress {
	if out == nil {
		return nil
	}
	p := &progress{quit: make(chan struct{}), phase: "opening the graph"}
	p.container = mpb.New(mpb.WithOutput(out), mpb.WithRefreshRate(progressInterval))
	locked := func(s *string) decor.Decorator {
		return decor.Any(func(decor.Statistics) string {
			p.mu.Lock()
			defer p.mu.Unlock()
			return *s
		})
	}
	p.bar = p.container.New(0, mpb.BarStyle().Lbound(" ").Filler("█").Tip("█").Padding("░").Rbound(" "), mpb.BarWidth(32),
		mpb.PrependDecorators(locked(&p.phase)), mpb.AppendDecorators(locked(&p.text)))
	p.ended.Add(1)
	go p.poll()
	return p
}

// poll moves the bar until the run ends.
func (p *progress) poll() {
	defer p.ended.Done()
	poll(p.quit, func() {
		done, total := p.look()
		p.bar.SetTotal(total, false)
		p.bar.SetCurrent(done)
	})
}

// poll calls move every progressInterval until quit is closed.
func poll(quit <-chan struct{}, move func()) {
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	for {
		select {
		case <-quit:
			return
		case <-tick.C:
			move()
		}
	}
}

// look brings what the bar shows up to date.
func (p *progress) look() (done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.machine != nil {
		at := p.machine.Progress()
		p.done, p.total = at.Done, at.Of
		p.phase = fmt.Sprintf("launch %d, block %d of %d", at.Launches, at.Done, at.Of)
		if at.Of == 0 {
			p.phase = fmt.Sprintf("launch %d", at.Launches)
		}
		p.text = rough(float64(at.Instructions)/time.Since(p.began).Seconds()) + " instructions/s"
		if at.Now > 0 {
			p.text = duration(at.Now.Seconds()) + " simulated, " + p.text
		}
	}
	return p.done, p.total
}

func (p *progress) opening(done, total int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
}

func (p *progress) running(m *models.Machine) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.machine, p.began = m, time.Now()
}

func (p *progress) checking() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.machine, p.phase, p.text, p.done, p.total = nil, "checking the answer", "", 0, 0
}

// stop takes the bar off the terminal.
func (p *progress) stop() {
	if p == nil {
		return
	}
	close(p.quit)
	p.ended.Wait()
	p.bar.Abort(true)
	p.container.Wait()
}
