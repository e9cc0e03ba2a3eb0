package feb

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// Where nothing waits, words are the values and bits that one thinks.
func TestOneGoroutine(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		const n = 5
		w := New(n)
		var value [n]uint64
		var isEmpty [n]bool
		for range rapid.IntRange(0, 60).Draw(r, "operations") {
			i := rapid.IntRange(0, n-1).Draw(r, "word")
			switch op := rapid.IntRange(0, 3).Draw(r, "operation"); {
			case op == 0:
				w.Purge(i)
				value[i], isEmpty[i] = 0, true
			case isEmpty[i]:
				v := rapid.Uint64().Draw(r, "value")
				w.WriteEF(i, v)
				value[i], isEmpty[i] = v, false
			case op == 1:
				if got := w.ReadFF(i); got != value[i] {
					r.Fatalf("ReadFF gives %d, want %d", got, value[i])
				}
			default:
				if got := w.ReadFE(i); got != value[i] {
					r.Fatalf("ReadFE gives %d, want %d", got, value[i])
				}
				isEmpty[i] = true
			}
		}
		if w.Len() != n {
			r.Fatalf("%d words", w.Len())
		}
	})
}

// Each operation waits for the state that it names, and for that alone.
func TestWaiting(t *testing.T) {
	for _, c := range []struct {
		name        string
		before      func(w *Words) // leaves word 0 in the wrong state
		wait, other func(w *Words)
	}{
		{"readff", func(w *Words) { w.Purge(0) }, func(w *Words) { w.ReadFF(0) }, func(w *Words) { w.WriteEF(0, 1) }},
		{"readfe", func(w *Words) { w.Purge(0) }, func(w *Words) { w.ReadFE(0) }, func(w *Words) { w.WriteEF(0, 1) }},
		{"writeef", func(*Words) {}, func(w *Words) { w.WriteEF(0, 1) }, func(w *Words) { w.ReadFE(0) }},
		{"writeef, purge", func(*Words) {}, func(w *Words) { w.WriteEF(0, 1) }, func(w *Words) { w.Purge(0) }},
	} {
		w := New(1)
		c.before(w)
		var returned atomic.Bool
		done := make(chan struct{})
		go func() {
			c.wait(w)
			returned.Store(true)
			close(done)
		}()
		for w.words[0].state.Load()&awaited == 0 {
			runtime.Gosched() // until it sleeps
		}
		q := &w.queues[0]
		q.mu.Lock()
		q.changed.Broadcast() // as if another word of the queue had changed
		q.mu.Unlock()
		for range 100 {
			runtime.Gosched()
		}
		if returned.Load() {
			t.Errorf("%s: did not wait", c.name)
		}
		c.other(w)
		<-done
	}
}

// Goroutines that all take and give back the same word count without loss.
func TestToken(t *testing.T) {
	const goroutines, rounds = 16, 2000
	w := New(1)
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range rounds {
				w.WriteEF(0, w.ReadFE(0)+1)
			}
		})
	}
	wg.Wait()
	if got := w.ReadFF(0); got != goroutines*rounds {
		t.Errorf("%d, want %d", got, goroutines*rounds)
	}
}

// What several producers put into a few words arrives at one consumer each.
func TestHandOff(t *testing.T) {
	const pairs, each, words = 8, 2000, 3
	w := New(words)
	for i := range words {
		w.Purge(i)
	}
	arrived := make([]atomic.Int32, pairs*each)
	var wg sync.WaitGroup
	for p := range pairs {
		wg.Go(func() {
			for k := range each {
				w.WriteEF(p%words, uint64(p*each+k))
			}
		})
		wg.Go(func() {
			for range each {
				arrived[w.ReadFE(p%words)].Add(1)
			}
		})
	}
	wg.Wait()
	for v := range arrived {
		if n := arrived[v].Load(); n != 1 {
			t.Fatalf("value %d arrived %d times", v, n)
		}
	}
}

// One producer, many consumers: nobody sees a value before it is there or
// after it is gone, and all see the last.
func TestReadersSeeWhatIsThere(t *testing.T) {
	const readers, last = 8, 5000
	w := New(1)
	var taken atomic.Uint64 // every value up to it is gone
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			for seen := uint64(0); seen < last; {
				gone := taken.Load()
				v := w.ReadFF(0)
				if v < seen || gone > 0 && v <= gone {
					t.Errorf("read %d after %d, when %d was gone", v, seen, gone)
					return
				}
				seen = v
			}
		})
	}
	for v := uint64(1); v <= last; v++ {
		taken.Store(w.ReadFE(0))
		w.WriteEF(0, v)
	}
	wg.Wait()
}

// All operations at once on the same words: what is written is taken at most
// once, only purges lose it, and nothing else is ever read.
func TestStress(t *testing.T) {
	const (
		words, producers, consumers, readers = 3, 4, 3, 2
		each, purges                         = 500, 300 // of a producer, of a word
		last                                 = ^uint64(0)
	)
	w := New(words)
	taken := make([]atomic.Int32, 1+words*producers*each) // by value, from 1
	var work, watch sync.WaitGroup
	for i := range words {
		w.Purge(i)
		for p := range producers {
			work.Go(func() {
				for k := range each {
					w.WriteEF(i, uint64(1+(i*producers+p)*each+k))
				}
			})
		}
		work.Go(func() {
			for range purges {
				w.Purge(i)
				runtime.Gosched()
			}
		})
		here := func(v uint64) bool { return v >= uint64(1+i*producers*each) && v <= uint64((i+1)*producers*each) }
		for range consumers {
			watch.Go(func() {
				for {
					v := w.ReadFE(i)
					if v == last {
						w.WriteEF(i, last) // for the others
						return
					}
					if !here(v) {
						t.Errorf("took %d from word %d", v, i)
						return
					}
					taken[v].Add(1)
				}
			})
		}
		for range readers {
			watch.Go(func() {
				for {
					switch v := w.ReadFF(i); {
					case v == last:
						return
					case !here(v):
						t.Errorf("read %d in word %d", v, i)
						return
					}
				}
			})
		}
	}
	work.Wait()
	for i := range words {
		w.WriteEF(i, last)
	}
	watch.Wait()
	lost := 0
	for v := 1; v < len(taken); v++ {
		switch taken[v].Load() {
		case 0:
			lost++
		case 1:
		default:
			t.Fatalf("value %d was taken %d times", v, taken[v].Load())
		}
	}
	if lost > words*purges {
		t.Errorf("%d of %d values were lost, purges lose at most %d", lost, len(taken)-1, words*purges)
	}
}

func BenchmarkReadFF(b *testing.B) {
	w := New(1)
	for b.Loop() {
		w.ReadFF(0)
	}
}

func BenchmarkWriteEF(b *testing.B) {
	w := New(1 << 16)
	i := 0
	for b.Loop() {
		w.Purge(i)
		w.WriteEF(i, 1)
		i = (i + 1) & (1<<16 - 1)
	}
}
