package sim

import (
	"math/bits"
	"slices"
	"sort"
)

// Ledger is a resource that serves requests booked out of the order of their
// times: the return path of a memory, a bus between caches. It divides time
// into epochs and keeps how much of each is booked, so that a booking far in
// the future does not stand before an earlier one that comes later.
//
// A request is served from its own time on, by whatever the epochs have left.
// Bandwidth is conserved exactly: the requests made at or after a and done by
// b never add up to more than b - a, and no capacity is lost. Requests that
// come in the order of their times are served exactly as a Server would. For
// others, the approximation is within an epoch: a request of an earlier epoch
// uses the idle time of a later one before what is booked there, and is done
// when as much of that epoch has passed as is then booked; a request uses its
// own epoch only behind what is booked there.
//
// The epochs form a ring, which Advance moves. What lies behind the ring is
// kept as a list of exact spans, fewer the more congested it is, and entered
// as the ring moves on.
type Ledger struct {
	shift   uint   // an epoch is 2^shift femtoseconds
	mask    uint64 // epochs in the ring, less one
	base    uint64 // number of the first epoch in the ring
	epochs  []epoch
	room    bitRing // epochs with something left
	touched bitRing // epochs with something booked
	told    bool    // by Advance
	beyond  []span  // booked behind the ring, in order, apart
	busy    Time
}

// epoch is what is booked of an epoch, and the end of the last booking that
// was placed exactly; both in femtoseconds from its beginning, booked <= end.
type epoch struct{ booked, end uint32 }

type span struct{ start, end Time }

// NewLedger returns a ledger with a ring of n epochs. The length of an epoch
// is rounded up to a power of two femtoseconds, at most 2.1 microseconds, and
// n to a power of two from 64 to 4096. An epoch of a few requests' length and
// a ring longer than the spread of the requests' times are right.
func NewLedger(length Time, n int) *Ledger {
	shift := uint(bits.Len64(uint64(min(max(length, 1), 1<<31) - 1)))
	n = 1 << bits.Len(uint(min(max(n, 64), 4096)-1))
	l := &Ledger{
		shift:   shift,
		mask:    uint64(n - 1),
		epochs:  make([]epoch, n),
		room:    newBitRing(n),
		touched: newBitRing(n),
	}
	for i := range l.epochs {
		l.room.set(uint(i))
	}
	return l
}

// Epoch returns the length of an epoch.
func (l *Ledger) Epoch() Time { return 1 << l.shift }

// Horizon returns the length of the ring.
func (l *Ledger) Horizon() Time { return Time(len(l.epochs)) << l.shift }

// Busy returns the time booked so far.
func (l *Ledger) Busy() Time { return l.busy }

// Advance tells the ledger that no request will be made for a time before now,
// so that its ring can begin there; now is the engine's time. A ledger that is
// never told moves its ring when a request lies beyond it, keeping half a ring
// before that request, and serves a request from before the ring at the
// ring's beginning.
func (l *Ledger) Advance(now Time) {
	l.told = true
	if base := uint64(now) >> l.shift; base > l.base {
		l.move(base)
	}
}

// Reserve books amount at or after at and returns start, so that the request
// is done at start + amount. If it is served in parts, start is later than the
// first of them.
func (l *Ledger) Reserve(at, amount Time) (start Time) {
	l.busy += amount
	at = max(at, Time(l.base<<l.shift))
	k := uint64(at) >> l.shift
	if k > l.base+l.mask {
		if l.told {
			return l.bookBeyond(at, amount) - amount
		}
		l.move(k - l.mask/2)
	}
	end := at
	left := uint64(amount)
	length := uint32(1) << l.shift
	if offset := uint32(at) & (length - 1); offset != 0 && left > 0 {
		e := &l.epochs[k&l.mask]
		if from := max(offset, e.end); from < length {
			take := min(left, uint64(length-from))
			left -= take
			e.end = from + uint32(take)
			end = Time(k<<l.shift) + Time(e.end)
			l.book(k, e, uint32(take))
		}
		k++
	}
	for left > 0 {
		if k > l.base+l.mask {
			return l.bookBeyond(l.ringEnd(), Time(left)) - amount
		}
		e := &l.epochs[k&l.mask]
		if e.booked == length {
			k = l.roomFrom(k)
			continue
		}
		take := min(left, uint64(length-e.booked))
		left -= take
		l.book(k, e, uint32(take))
		e.end = max(e.end, e.booked)
		end = Time(k<<l.shift) + Time(e.booked)
		k++
	}
	return end - amount
}

// roomFrom returns the first epoch of the ring from k on with something left,
// or one beyond the ring.
func (l *Ledger) roomFrom(k uint64) uint64 {
	i := l.room.next(uint(k & l.mask))
	if i < 0 {
		return l.base + l.mask + 1
	}
	return k + (uint64(i)-k)&l.mask
}

// book enters amount, not 0, in epoch k, which is e.
func (l *Ledger) book(k uint64, e *epoch, amount uint32) {
	if e.booked == 0 {
		l.touched.set(uint(k & l.mask))
	}
	e.booked += amount
	if e.booked == 1<<l.shift {
		l.room.clear(uint(k & l.mask))
	}
}

func (l *Ledger) ringEnd() Time { return Time((l.base + l.mask + 1) << l.shift) }

// bookBeyond books amount in the gaps between the spans behind the ring, from
// at on, and returns when it has been served.
func (l *Ledger) bookBeyond(at, amount Time) (done Time) {
	if amount == 0 {
		return at
	}
	i := sort.Search(len(l.beyond), func(i int) bool { return l.beyond[i].end >= at })
	merged := span{at, at}
	j := i
	for ; j < len(l.beyond); j++ {
		s := l.beyond[j]
		if gap := s.start - merged.end; gap > amount {
			break
		} else if gap > 0 {
			amount, done = amount-gap, s.start
		}
		merged.start = min(merged.start, s.start)
		merged.end = s.end
		if amount == 0 {
			j++
			break
		}
	}
	if amount > 0 {
		merged.end += amount
		done = merged.end
	}
	l.beyond = slices.Replace(l.beyond, i, j, merged)
	return done
}

// move makes base the first epoch of the ring. It costs as much as the
// bookings that it drops or enters.
func (l *Ledger) move(base uint64) {
	for {
		i := l.touched.next(uint(l.base & l.mask))
		if i < 0 || l.base+(uint64(i)-l.base)&l.mask >= base {
			break
		}
		l.epochs[i] = epoch{}
		l.touched.clear(uint(i))
		l.room.set(uint(i))
	}
	l.base = base
	start, ringEnd := Time(base<<l.shift), l.ringEnd()
	entered := 0
	for entered < len(l.beyond) && l.beyond[entered].start < ringEnd {
		s := &l.beyond[entered]
		l.enter(max(s.start, start), min(s.end, ringEnd))
		if s.end > ringEnd {
			s.start = ringEnd
			break
		}
		entered++
	}
	l.beyond = slices.Delete(l.beyond, 0, entered)
}

// enter books the span from start to end, which the ring has reached.
func (l *Ledger) enter(start, end Time) {
	for start < end {
		k := uint64(start) >> l.shift
		next := min(end, Time((k+1)<<l.shift))
		e := &l.epochs[k&l.mask]
		e.end = uint32(next - Time(k<<l.shift))
		l.book(k, e, uint32(next-start))
		start = next
	}
}
