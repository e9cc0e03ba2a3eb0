package experiments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
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

// monitor is akita's live monitor on a run, for visitors from this computer. A
// nil one does nothing.
type monitor struct {
	port     int
	listener net.Listener
	server   *http.Server

	machine    *models.Machine
	components []*component
	parts      []models.Part // parallel to components
	akita      *monitoring.Monitor
	routes     http.Handler // akita's own
	logged     io.Writer    // where package log wrote before

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
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, badInput("--monitor %d: %w", port, err)
	}
	return &monitor{port: port, listener: listener, quit: make(chan struct{})}, nil
}

// start serves the monitor of a machine that does not run yet.
func (m *monitor) start(machine *models.Machine) error {
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
	m.logged = log.Writer()
	log.SetOutput(io.Discard) // akita logs every request that it cannot serve
	if err := m.takeRoutes(); err != nil {
		return err
	}
	m.server = &http.Server{Handler: m}
	m.ended.Add(1)
	go func() {
		defer m.ended.Done()
		_ = m.server.Serve(m.listener) // until Close
	}()
	return nil
}

// takeRoutes gets hold of akita's routes. Akita hands them to nothing but the
// process's default handler, and then listens on every interface of the
// computer, where anyone could look in and pause the run. That default is
// another one while it does; and as the port is taken, by listener, akita
// panics instead of listening.
func (m *monitor) takeRoutes() error {
	routes, standard := http.NewServeMux(), http.DefaultServeMux
	http.DefaultServeMux = routes
	defer func() { http.DefaultServeMux = standard }()
	func() {
		defer func() { _ = recover() }()
		m.akita.StartServer()
	}()
	if _, pattern := routes.Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}}); pattern == "" {
		return fmt.Errorf("--monitor %d: akita's monitor has no routes", m.port)
	}
	m.routes = routes
	return nil
}

// ServeHTTP answers a request by akita's routes.
func (m *monitor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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

// stop ends the monitor.
func (m *monitor) stop() {
	if m == nil {
		return
	}
	close(m.quit)
	_ = m.listener.Close() // server closes it too, if it was started
	if m.server != nil {
		_ = m.server.Close()
	}
	m.ended.Wait()
	if m.logged != nil {
		log.SetOutput(m.logged)
	}
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
