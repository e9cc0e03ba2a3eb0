package experiments

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/sarchlab/akita/v3/monitoring"
	akita "github.com/sarchlab/akita/v3/sim"

	"heddle/models"
)

// Ports that akita's monitor takes; lower ones it replaces by one of its own.
const (
	lowestPort  = 1001
	highestPort = 65535
)

// monitor is akita's live monitor on a run. A nil one does nothing.
type monitor struct {
	port    int
	akita   *monitoring.Monitor
	machine *models.Machine
	routes  http.Handler // akita's own

	// mu is held to answer a request and to move the bars: akita's handlers
	// lock nothing that they show.
	mu     sync.Mutex
	paused bool // by a visitor

	quit  chan struct{}
	ended sync.WaitGroup
}

// newMonitor returns a monitor for the port, if it is free.
func newMonitor(port int) (*monitor, error) {
	if port < lowestPort || port > highestPort {
		return nil, badInput("--monitor %d: want a port from %d to %d", port, lowestPort, highestPort)
	}
	l, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
	if err != nil {
		return nil, badInput("--monitor %d: %w", port, err)
	}
	if err := l.Close(); err != nil {
		return nil, badInput("--monitor %d: %w", port, err)
	}
	return &monitor{port: port, quit: make(chan struct{})}, nil
}

// start serves the monitor. Akita registers its routes with the process's
// default handler, offers no other way to get at them, and listens on every
// interface; so the monitor takes their place there, and lets only this
// computer in.
func (m *monitor) start(machine *models.Machine) (err error) {
	machine.Engine.Share()
	m.machine = machine
	m.akita = monitoring.NewMonitor().WithPortNumber(m.port)
	m.akita.RegisterEngine(machine.Engine)
	for _, part := range machine.Parts() {
		m.akita.RegisterComponent(&component{akita.NewComponentBase(part.Name), part.State})
	}
	defer func() {
		if fault := recover(); fault != nil { // akita panics when it cannot listen
			err = badInput("--monitor %d: %v", m.port, fault)
		}
	}()
	routes, gate := http.NewServeMux(), http.NewServeMux()
	http.DefaultServeMux = routes
	m.akita.StartServer()
	m.routes = routes
	gate.Handle("/", m)
	http.DefaultServeMux = gate
	return nil
}

// ServeHTTP answers a request from this computer by akita's routes.
func (m *monitor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		http.Error(w, "only this computer may look", http.StatusForbidden)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() {
		if fault := recover(); fault != nil { // akita panics at requests that it cannot serve
			http.Error(w, fmt.Sprint(fault), http.StatusBadRequest)
		}
	}()
	switch path := r.URL.Path; {
	case path == "/api/run" || strings.HasPrefix(path, "/api/tick/"):
		http.Error(w, "the run drives its engine itself", http.StatusMethodNotAllowed)
		return
	case path == "/api/pause":
		m.paused = true
	case path == "/api/continue":
		m.paused = false
	case !m.paused && (strings.HasPrefix(path, "/api/component/") || strings.HasPrefix(path, "/api/field/")):
		m.machine.Engine.Pause() // state is consistent between two events
		defer m.machine.Engine.Continue()
	}
	m.routes.ServeHTTP(w, r)
}

// watch moves a bar of the running launch's blocks until stop.
func (m *monitor) watch(machine *models.Machine) {
	if m == nil {
		return
	}
	m.ended.Add(1)
	go func() {
		defer m.ended.Done()
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		var bar *monitoring.ProgressBar
		var launch int64
		for {
			at := machine.Progress()
			m.mu.Lock()
			if bar == nil || at.Launches != launch {
				if bar != nil {
					m.akita.CompleteProgressBar(bar)
				}
				launch = at.Launches
				bar = m.akita.CreateProgressBar(fmt.Sprintf("launch %d, blocks", launch), uint64(at.Of))
			}
			bar.Finished, bar.Total = uint64(at.Done), uint64(at.Of)
			bar.InProgress = uint64(max(at.Of-at.Done, 0))
			m.mu.Unlock()
			select {
			case <-m.quit:
				return
			case <-tick.C:
			}
		}
	}()
}

// stop ends watch. Akita's server cannot be stopped; it ends with the process.
func (m *monitor) stop() {
	if m == nil {
		return
	}
	close(m.quit)
	m.ended.Wait()
}

// component shows a part of a machine as akita knows components. It takes no
// part in akita's message passing.
type component struct {
	*akita.ComponentBase
	State any
}

// Handle implements akita's Handler; no event is ever scheduled for it.
func (*component) Handle(akita.Event) error { return nil }

// NotifyRecv implements akita's Component; it has no ports.
func (*component) NotifyRecv(akita.VTimeInSec, akita.Port) {}

// NotifyPortFree implements akita's Component; it has no ports.
func (*component) NotifyPortFree(akita.VTimeInSec, akita.Port) {}
