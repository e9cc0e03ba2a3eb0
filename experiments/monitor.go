package experiments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"reflect"
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
	port       int
	akita      *monitoring.Monitor
	machine    *models.Machine
	components []*component
	parts      []models.Part // parallel to components
	routes     http.Handler  // akita's own

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
		c := &component{ComponentBase: akita.NewComponentBase(part.Name)}
		m.components = append(m.components, c)
		m.parts = append(m.parts, part)
		m.akita.RegisterComponent(c)
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
	switch path := r.URL.Path; {
	case path == "/api/run" || strings.HasPrefix(path, "/api/tick/"):
		http.Error(w, "the run drives its engine itself", http.StatusMethodNotAllowed)
		return
	case path == "/api/pause":
		m.paused = true
	case path == "/api/continue":
		m.paused = false
	default:
		m.refresh(path)
	}
	answer := response{header: w.Header(), status: http.StatusOK}
	defer func() {
		if fault := recover(); fault != nil { // akita panics at requests that it cannot serve
			http.Error(w, fmt.Sprint(fault), http.StatusBadRequest)
			return
		}
		w.WriteHeader(answer.status)
		_, _ = answer.body.WriteTo(w) // the visitor may have gone
	}()
	m.routes.ServeHTTP(&answer, r)
}

// response holds an answer until it is known to be whole.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *response) Header() http.Header         { return r.header }
func (r *response) WriteHeader(status int)      { r.status = status }
func (r *response) Write(b []byte) (int, error) { return r.body.Write(b) }

// refresh brings what a request asks to see of a component up to date.
func (m *monitor) refresh(path string) {
	name, isComponent := strings.CutPrefix(path, "/api/component/")
	var within []string
	if field, ok := strings.CutPrefix(path, "/api/field/"); ok {
		var request struct {
			Component string `json:"comp_name"`
			Field     string `json:"field_name"`
		}
		if json.Unmarshal([]byte(field), &request) != nil {
			return // akita refuses it
		}
		name = request.Component
		within = strings.Split(request.Field, ".")[1:] // after State
	} else if !isComponent {
		return
	}
	for i, c := range m.components {
		if c.Name() != name {
			continue
		}
		if !m.paused {
			m.machine.Engine.Pause() // state is consistent between two events
			defer m.machine.Engine.Continue()
		}
		c.State = along(reflect.ValueOf(m.parts[i].State), within)
	}
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
	State any // as of the last request
}

// Handle implements akita's Handler; no event is ever scheduled for it.
func (*component) Handle(akita.Event) error { return nil }

// NotifyRecv implements akita's Component; it has no ports.
func (*component) NotifyRecv(akita.VTimeInSec, akita.Port) {}

// NotifyPortFree implements akita's Component; it has no ports.
func (*component) NotifyPortFree(akita.VTimeInSec, akita.Port) {}
