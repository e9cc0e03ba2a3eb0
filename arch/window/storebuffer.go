package window

import "heddle/arch/mem"

// storeBuffer holds a thread's stores from dispatch until they are in the
// cache, which they enter in program order after retirement.
type storeBuffer struct {
	entries []storeEntry // ring, by sequence number
	next    int64        // sequence number of the next store
	sent    int64        // of the next to be sent to the cache
	size    int64        // stores that it holds
	ready   int64        // when the next to be sent is retired; never if there is none
	start   int64        // when the latest was sent
	done    int64        // when all that were sent are in the cache
	heads   [64]int64    // latest store to a word, by a hash of its address
}

// storeEntry is a store.
type storeEntry struct {
	addr    uint64
	size    int32
	array   int16
	pc      int32
	data    int64 // when address and data are known
	retired int64
	done    int64 // when it is in the cache, never before it is sent
	older   int64 // the store before it of the same hash
}

func newStoreBuffer(n int) storeBuffer {
	return storeBuffer{entries: make([]storeEntry, ringFor(n))}
}

func (b *storeBuffer) reset(at int64) {
	for i := range b.entries {
		b.entries[i] = storeEntry{done: at, older: -1 << 62}
	}
	for i := range b.heads {
		b.heads[i] = -1 << 62
	}
	b.next, b.sent = 0, 0
	b.ready, b.start, b.done = never, at, at
}

func (b *storeBuffer) at(seq int64) *storeEntry { return &b.entries[seq&int64(len(b.entries)-1)] }

func hashOf(word uint64) uint64 { return word & 63 }

// push adds a store.
func (b *storeBuffer) push(e storeEntry) {
	h := hashOf(e.addr >> 3)
	e.older, e.done = b.heads[h], never
	b.heads[h] = b.next
	*b.at(b.next) = e
	if b.sent == b.next {
		b.ready = e.retired
	}
	b.next++
}

// mayOverlap reports whether one of the latest stores was to a word of the same
// hash as addr's.
func (b *storeBuffer) mayOverlap(addr uint64) bool {
	return b.heads[hashOf(addr>>3)] > b.next-1-int64(len(b.entries))
}

// overlap returns the youngest store that is not in the cache at cycle at and
// shares bytes with an access, or nil. Accesses are aligned: they share bytes
// only within a word of eight.
func (b *storeBuffer) overlap(addr uint64, size int32, at int64) *storeEntry {
	for seq := b.heads[hashOf(addr>>3)]; seq > b.next-1-int64(len(b.entries)); {
		e := b.at(seq)
		if e.done <= at {
			return nil // and so are all older ones
		}
		if e.addr < addr+uint64(size) && addr < e.addr+uint64(e.size) {
			return e
		}
		seq = e.older
	}
	return nil
}

// covers reports whether the store has every byte of an access.
func (e *storeEntry) covers(addr uint64, size int32) bool {
	return e.addr <= addr && addr+uint64(size) <= e.addr+uint64(e.size)
}

// storeFree returns when the store buffer has an entry for another store.
func (t *thread) storeFree() int64 {
	b := &t.buffer
	seq := b.next - b.size
	if seq < 0 {
		return 0
	}
	for b.sent <= seq {
		t.send()
	}
	return b.at(seq).done
}

// send sends the oldest store that has not been sent to the cache: after its
// retirement, one a cycle, each in the cache no sooner than the one before.
func (t *thread) send() {
	b := &t.buffer
	e := b.at(b.sent)
	b.start = max(b.start, e.retired) + 1
	done, _ := t.core.access(t, b.start, mem.Access{Addr: e.addr, Size: e.size, Kind: mem.Write, Array: e.array}, e.pc)
	b.done = max(b.done, done)
	e.done = b.done
	b.sent++
	b.ready = never
	if b.sent < b.next {
		b.ready = b.at(b.sent).retired
	}
}

// drain sends the stores that are retired by cycle at.
func (t *thread) drain(at int64) {
	for t.buffer.ready <= at && t.buffer.ready != never {
		t.send()
	}
}

// drained sends all stores, and returns when they are in the cache.
func (t *thread) drained() int64 {
	t.drain(never)
	return t.buffer.done
}
