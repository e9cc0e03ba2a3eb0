package window

import "fmt"

// Topology is how a machine's cores are arranged. Core c is on die
// c / Cores; die d is on socket d / Dies.
type Topology struct {
	Sockets int
	Dies    int // of a socket
	Cores   int // of a die
	SMT     int // hardware threads of a core
}

// Total returns the number of hardware threads.
func (t Topology) Total() int { return t.Sockets * t.Dies * t.Cores * t.SMT }

// Place returns the core of each of n threads under a policy.
//
// Compact threads are neighbours: they fill a core, then its die, then its
// socket. Scattered threads have as much as possible for themselves: they go
// round the sockets, then the dies of each socket, then cores, and share a core
// when all have a thread.
func (t Topology) Place(policy string, n int) ([]int, error) {
	if n > t.Total() {
		return nil, fmt.Errorf("threads: %d are more than the %d hardware threads (%d cores of core.smt %d)", n, t.Total(), t.Total()/t.SMT, t.SMT)
	}
	cores := make([]int, n)
	for i := range cores {
		if policy == "compact" {
			cores[i] = i / t.SMT
			continue
		}
		socket, rest := i%t.Sockets, i/t.Sockets
		die, rest := rest%t.Dies, rest/t.Dies
		cores[i] = (socket*t.Dies+die)*t.Cores + rest%t.Cores
	}
	return cores, nil
}
