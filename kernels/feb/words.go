// Package feb gives goroutines memory with full/empty bits, as the Cray XMT
// gives its streams, in software: for native runs of dataflow kernels.
//
// A word is a value and a state: whether it is empty, whether somebody changes
// it at this moment, whether somebody waits for it to change, and a version
// that grows with every change. Operations that need not wait take one
// compare-and-swap, ReadFF none. Goroutines that wait sleep in one of a few
// queues that all words share.
package feb

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Words are 64-bit words with full/empty bits, full and 0 at first. Methods may
// be called by any number of goroutines at once.
type Words struct {
	words  []word
	queues [64]queue
}

type word struct {
	state atomic.Uint64
	value atomic.Uint64
}

// The bits of a word's state, below its version.
const (
	empty   = 1 << iota
	busy    // its changer has not finished
	awaited // some goroutine sleeps until it changes
	version
)

// queue is where goroutines sleep.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
}

// New returns n words.
func New(n int) *Words {
	w := &Words{words: make([]word, n)}
	for i := range w.queues {
		q := &w.queues[i]
		q.changed.L = &q.mu
	}
	return w
}

// Len returns the number of words.
func (w *Words) Len() int { return len(w.words) }

// Each operation has a way for a word that need not be waited for, for which
// nobody waits, and that nobody else changes at this moment; and a slow one.

// ReadFF waits until word i is full and returns it.
func (w *Words) ReadFF(i int) uint64 {
	x := &w.words[i]
	if s := x.state.Load(); s&(empty|busy) == 0 {
		v := x.value.Load()
		// Nobody changed it meanwhile; that somebody waits now does not matter.
		if (x.state.Load()^s)&^awaited == 0 {
			return v
		}
	}
	return w.readFF(i)
}

func (w *Words) readFF(i int) uint64 {
	x := &w.words[i]
	for {
		s := x.state.Load()
		if s&(empty|busy) != 0 {
			w.wait(i, s, empty)
			continue
		}
		v := x.value.Load()
		if (x.state.Load()^s)&^awaited == 0 {
			return v
		}
	}
}

// ReadFE waits until word i is full, leaves it empty and returns it.
func (w *Words) ReadFE(i int) uint64 {
	x := &w.words[i]
	if s := x.state.Load(); s&(empty|busy|awaited) == 0 && x.state.CompareAndSwap(s, s|busy) {
		v := x.value.Load()
		x.state.Store(s + version + empty)
		return v
	}
	return w.readFE(i)
}

func (w *Words) readFE(i int) uint64 {
	s := w.claim(i, empty)
	v := w.words[i].value.Load()
	w.settle(i, s, empty)
	return v
}

// WriteEF waits until word i is empty, writes v and leaves it full.
func (w *Words) WriteEF(i int, v uint64) {
	x := &w.words[i]
	if s := x.state.Load(); s&(empty|busy|awaited) == empty && x.state.CompareAndSwap(s, s|busy) {
		x.value.Store(v)
		x.state.Store(s + version - empty)
		return
	}
	w.writeEF(i, v)
}

func (w *Words) writeEF(i int, v uint64) {
	s := w.claim(i, 0)
	w.words[i].value.Store(v)
	w.settle(i, s, 0)
}

// Purge zeroes word i and leaves it empty, whatever it was.
func (w *Words) Purge(i int) {
	x := &w.words[i]
	if s := x.state.Load(); s&(busy|awaited) == 0 && x.state.CompareAndSwap(s, s|busy) {
		x.value.Store(0)
		x.state.Store((s | empty) + version)
		return
	}
	w.purge(i)
}

func (w *Words) purge(i int) {
	x := &w.words[i]
	s := x.state.Load()
	for s&busy != 0 || !x.state.CompareAndSwap(s, s|busy) {
		runtime.Gosched()
		s = x.state.Load()
	}
	x.value.Store(0)
	w.settle(i, s, empty)
}

// claim makes word i busy, in the name of the caller, once its empty bit is
// other than wrong, and returns the state that it had.
func (w *Words) claim(i int, wrong uint64) uint64 {
	x := &w.words[i]
	for {
		s := x.state.Load()
		if s&empty != wrong && s&busy == 0 {
			if x.state.CompareAndSwap(s, s|busy) {
				return s
			}
			continue
		}
		w.wait(i, s, wrong)
	}
}

// settle ends a change of word i, which had state s, and leaves its empty bit
// as given.
func (w *Words) settle(i int, s uint64, emptied uint64) {
	w.words[i].state.Store(s&^(version-1) + version | emptied)
	if s&awaited != 0 {
		q := &w.queues[i%len(w.queues)]
		q.mu.Lock()
		q.changed.Broadcast()
		q.mu.Unlock()
	}
}

// wait returns when word i, seen in state s, may have changed to have an empty
// bit other than wrong. A caller that marks the word as awaited holds the lock
// of the queue until it sleeps, so that whoever changes the word, and with it
// the mark, wakes it.
func (w *Words) wait(i int, s, wrong uint64) {
	if s&busy != 0 {
		runtime.Gosched() // for a moment
		return
	}
	x, q := &w.words[i], &w.queues[i%len(w.queues)]
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		s = x.state.Load()
		switch {
		case s&busy != 0 || s&empty != wrong:
			return
		case s&awaited != 0 || x.state.CompareAndSwap(s, s|awaited):
			q.changed.Wait()
			return
		}
	}
}
