package sim

import (
	"testing"

	"pgregory.net/rapid"
)

// TestServer holds every start against the recurrence of a queue with one
// server: start = max(arrival, end of the one before).
func TestServer(t *testing.T) {
	var s Server
	steps := []struct{ at, hold, start Time }{
		{10, 4, 10}, // idle
		{10, 4, 14}, // behind the first
		{11, 1, 18},
		{19, 1, 19}, // just when it becomes free
		{30, 5, 30}, // after a gap
		{0, 5, 35},  // the order of calls counts
		{0, 0, 40},
	}
	for _, x := range steps {
		if got := s.Reserve(x.at, x.hold); got != x.start {
			t.Errorf("Reserve(%d, %d) = %d, want %d", x.at, x.hold, got, x.start)
		}
	}
	if s.Busy() != 20 || s.Free() != 40 {
		t.Errorf("busy %d, free at %d, want 20, 40", s.Busy(), s.Free())
	}
}

func TestBanks(t *testing.T) {
	b := make(Banks, 2)
	for _, x := range []struct {
		bank  int
		start Time
	}{{0, 0}, {1, 0}, {0, 7}, {1, 7}, {1, 14}} {
		if got := b.Reserve(x.bank, 0, 7); got != x.start {
			t.Errorf("bank %d starts at %d, want %d", x.bank, got, x.start)
		}
	}
	if b.Busy() != 5*7 {
		t.Errorf("busy %d, want %d", b.Busy(), 5*7)
	}
}

// TestLink holds latency and throughput against at + n/bandwidth + latency,
// over both resources.
func TestLink(t *testing.T) {
	const latency, perLine = 100 * Nanosecond, 128 * 125 * Picosecond // 8 GB/s
	for _, over := range []Resource{new(Server), NewLedger(Nanosecond, 4096)} {
		l := NewLink(latency, 8e9, over)
		if got, want := l.Send(Microsecond, 128), Microsecond+perLine+latency; got != want {
			t.Errorf("%T: a lone line arrives at %d, want %d", over, got, want)
		}
		const n = 1000
		var last Time
		for range n {
			last = l.Send(2*Microsecond, 128)
		}
		if want := 2*Microsecond + n*perLine + latency; last != want {
			t.Errorf("%T: the last of %d lines arrives at %d, want %d", over, n, last, want)
		}
		if l.Bytes() != 128*(n+1) || l.Busy() != (n+1)*perLine {
			t.Errorf("%T: %d bytes in %d fs", over, l.Bytes(), l.Busy())
		}
	}
	expectPanic(t, "positive bandwidth", func() { NewLink(0, 0, new(Server)) })
	expectPanic(t, "latency", func() { NewLink(-1, 1, new(Server)) })
}

// booking is a request to a resource and its answer.
type booking struct{ at, amount, start Time }

func (b booking) end() Time { return b.start + b.amount }

// checkConserved fails if in some window more is served than it is long: of
// the requests made at or after a and done by b the amounts add up to at most
// b - a.
func checkConserved(t *rapid.T, bookings []booking) {
	for _, first := range bookings {
		for _, last := range bookings {
			a, b := first.at, last.end()
			var served Time
			for _, x := range bookings {
				if x.at >= a && x.end() <= b {
					served += x.amount
				}
			}
			if b >= a && served > b-a {
				t.Fatalf("%d fs served from %d to %d, in %d fs: %v", served, a, b, b-a, bookings)
			}
		}
	}
}

// TestLedgerConservesBandwidth books at random times, in rings of random
// length that move or do not.
func TestLedgerConservesBandwidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := NewLedger(1<<rapid.IntRange(0, 12).Draw(t, "log epoch"), 64)
		told := rapid.Bool().Draw(t, "told")
		spread := 1 << rapid.IntRange(1, 20).Draw(t, "log spread")
		longest := 1 << rapid.IntRange(0, 14).Draw(t, "log longest")
		var now Time
		var bookings []booking
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			b := booking{
				at:     now + Time(rapid.IntRange(0, spread).Draw(t, "at")),
				amount: Time(rapid.IntRange(1, longest).Draw(t, "amount")),
			}
			if told {
				now += Time(rapid.IntRange(0, spread/4).Draw(t, "advance"))
				b.at = max(b.at, now)
				l.Advance(now)
			}
			b.start = l.Reserve(b.at, b.amount)
			if b.start < b.at {
				t.Fatalf("a request for %d starts at %d", b.at, b.start)
			}
			bookings = append(bookings, b)
		}
		checkConserved(t, bookings)
		var sum Time
		for _, b := range bookings {
			sum += b.amount
		}
		if l.Busy() != sum {
			t.Fatalf("busy %d, want %d", l.Busy(), sum)
		}
	})
}

// TestLedgerInOrder holds that requests in the order of their times are served
// exactly as by a Server.
func TestLedgerInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := NewLedger(1<<rapid.IntRange(0, 12).Draw(t, "log epoch"), 64)
		told := rapid.Bool().Draw(t, "told")
		var s Server
		var at Time
		gap := 1 << rapid.IntRange(0, 18).Draw(t, "log gap")
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			at += Time(rapid.IntRange(0, gap).Draw(t, "gap"))
			amount := Time(rapid.IntRange(0, 10_000).Draw(t, "amount"))
			if told {
				l.Advance(at)
			}
			got, want := l.Reserve(at, amount), s.Reserve(at, amount)
			if amount > 0 && got != want {
				t.Fatalf("%d at %d starts at %d, a server's at %d", amount, at, got, want)
			}
		}
	})
}

// TestLedgerLosesNoCapacity books all that a span can hold, in random order
// and pieces, and finds it full: the makespan is the sum of the amounts.
func TestLedgerLosesNoCapacity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epoch := Time(1) << rapid.IntRange(4, 10).Draw(t, "log epoch")
		epochs := rapid.IntRange(1, 200).Draw(t, "epochs") // the ring holds 64
		l := NewLedger(epoch, 64)
		l.Advance(0)
		// Sparse requests first, some of them in the future.
		left := epoch * Time(epochs)
		var sparse Time
		for range rapid.IntRange(0, 20).Draw(t, "sparse") {
			at := Time(rapid.IntRange(0, min(epochs, 64)-1).Draw(t, "epoch"))*epoch + Time(rapid.IntRange(0, int(epoch)-1).Draw(t, "offset"))
			if amount := epoch / 16; amount <= left && l.Reserve(at, amount)+amount <= epoch*Time(epochs) {
				sparse += amount
				left -= amount
			} else if amount <= left {
				return // the request itself ran past the span
			}
		}
		var last Time
		for left > 0 {
			amount := min(left, Time(rapid.Int64Range(1, int64(4*epoch)).Draw(t, "amount")))
			last = max(last, l.Reserve(0, amount)+amount)
			left -= amount
		}
		if want := epoch * Time(epochs); last > want {
			t.Fatalf("done at %d, want %d at most; %d sparse", last, want, sparse)
		}
	})
}

// TestLedgerFirstFit holds requests for whole epochs, in the ring, across its
// end and beyond, against a list of all epochs: each takes the first that are
// free.
func TestLedgerFirstFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := NewLedger(16, 64)
		l.Advance(0)
		var taken [4096]bool
		now, spread := 0, 1<<rapid.IntRange(0, 8).Draw(t, "log spread")
		for range rapid.IntRange(1, 80).Draw(t, "requests") {
			if rapid.IntRange(0, 3).Draw(t, "advances") == 0 {
				now += rapid.IntRange(0, spread/4).Draw(t, "advance")
				l.Advance(Time(now) * l.Epoch())
			}
			at := now + rapid.IntRange(0, spread).Draw(t, "at")
			n := rapid.IntRange(1, 20).Draw(t, "amount")
			end := at
			for left := n; left > 0; end++ {
				if !taken[end] {
					taken[end] = true
					left--
				}
			}
			got := l.Reserve(Time(at)*l.Epoch(), Time(n)*l.Epoch()) / l.Epoch()
			if int(got) != end-n {
				t.Fatalf("%d epochs at %d start at %d, want %d", n, at, got, end-n)
			}
		}
	})
}

// TestLedgerBeyond holds what is booked behind the ring against a list of all
// femtoseconds.
func TestLedgerBeyond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := NewLedger(1, 64)
		l.Advance(0)
		var taken [2048]bool
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			at := 64 + rapid.IntRange(0, 300).Draw(t, "at")
			n := rapid.IntRange(1, 20).Draw(t, "amount")
			end := at
			for left := n; left > 0; end++ {
				if !taken[end] {
					taken[end] = true
					left--
				}
			}
			if got := l.Reserve(Time(at), Time(n)); int(got) != end-n {
				t.Fatalf("%d at %d start at %d, want %d", n, at, got, end-n)
			}
			for i, s := range l.beyond {
				if s.start >= s.end || i > 0 && l.beyond[i-1].end >= s.start {
					t.Fatalf("spans are not in order and apart: %v", l.beyond)
				}
			}
		}
	})
}

// TestLedgerSkipsFullEpochs holds that a request does not look at epochs that
// have nothing left.
func TestLedgerSkipsFullEpochs(t *testing.T) {
	l := NewLedger(1024, 4096)
	l.Reserve(0, l.Horizon()-1)
	if got := l.room.next(0); got != 4095 {
		t.Errorf("the first epoch with something left is %d, want 4095", got)
	}
	l.Reserve(0, 1)
	if got := l.room.next(0); got != -1 {
		t.Errorf("the first epoch with something left is %d, want none", got)
	}
}

// TestLedgerBackFills holds that a booking in the future does not stand before
// an earlier request, be it in the ring or beyond.
func TestLedgerBackFills(t *testing.T) {
	l := NewLedger(1024, 64)
	l.Advance(0)
	for _, x := range []struct{ at, amount, start Time }{
		{50 * 1024, 2000, 50 * 1024},
		{1 << 40, 7, 1 << 40},     // beyond the ring
		{1<<40 + 5, 7, 1<<40 + 7}, // and in order there
		{0, 3000, 0},
		{0, 50*1024 - 3000, 3000},
		{2000, 100, 50*1024 + 2000}, // all before is booked
		{64*1024 - 1, 2, 64*1024 - 1},
	} {
		if got := l.Reserve(x.at, x.amount); got != x.start {
			t.Errorf("Reserve(%d, %d) = %d, want %d", x.at, x.amount, got, x.start)
		}
	}
	// The ring reaches what was booked beyond it.
	l.Advance(1<<40 - 1024)
	for _, x := range []struct{ at, amount, start Time }{
		{1<<40 - 1, 2, 1<<40 + 13}, // one before, one behind the 14 that are booked
		{1<<40 + 3, 1, 1<<40 + 15},
	} {
		if got := l.Reserve(x.at, x.amount); got != x.start {
			t.Errorf("Reserve(%d, %d) = %d, want %d", x.at, x.amount, got, x.start)
		}
	}
}

// TestLedgerEnters holds that a booking from behind the ring is entered once,
// while the ring's end moves over it.
func TestLedgerEnters(t *testing.T) {
	l := NewLedger(1024, 64)
	l.Advance(0)
	l.Reserve(l.Horizon()+100, 2900)
	for base := range Time(5) {
		l.Advance(base * 1024)
	}
	for _, x := range []struct{ at, amount, start Time }{
		{64 * 1024, 100, 65*1024 - 100}, // the idle time before the booking
		{64 * 1024, 72, 67*1024 - 72},   // and that behind it: 100 + 2900 + 72 = 3072
		{64 * 1024, 1024, 67 * 1024},    // all before is booked
		{66*1024 + 1, 1024, 68 * 1024},
	} {
		if got := l.Reserve(x.at, x.amount); got != x.start {
			t.Errorf("Reserve(%d, %d) = %d, want %d", x.at, x.amount, got, x.start)
		}
	}
}

// TestLedgerUntold holds the documented behaviour of a ledger whose Advance
// nobody calls: half a ring stays behind the latest request, and what is
// earlier is served where the ring begins.
func TestLedgerUntold(t *testing.T) {
	l := NewLedger(1024, 64)
	at := 1000 * l.Epoch()
	l.Reserve(at, 1)
	begin := at - 31*l.Epoch()
	if got := l.Reserve(begin, 5); got != begin {
		t.Errorf("the first request in the ring starts at %d, want %d", got, begin)
	}
	if got := l.Reserve(begin-1, 5); got != begin+5 {
		t.Errorf("a request from before the ring starts at %d, want %d", got, begin+5)
	}
}

func TestLedgerSize(t *testing.T) {
	for _, x := range []struct {
		length, epoch Time
		n             int
		horizon       Time
	}{
		{1024, 1024, 64, 64 * 1024},
		{1025, 2048, 65, 128 * 2048},
		{1, 1, 1, 64},
		{0, 1, 5000, 4096},
		{Second, 1 << 31, 4096, 4096 << 31},
	} {
		if l := NewLedger(x.length, x.n); l.Epoch() != x.epoch || l.Horizon() != x.horizon {
			t.Errorf("NewLedger(%d, %d) has epochs of %d, a ring of %d, want %d, %d",
				x.length, x.n, l.Epoch(), l.Horizon(), x.epoch, x.horizon)
		}
	}
}

func TestResourcesDoNotAllocate(t *testing.T) {
	server := NewLink(Nanosecond, 1e9, new(Server))
	ledger := NewLedger(Nanosecond, 1024)
	link := NewLink(Nanosecond, 1e9, ledger)
	banks := make(Banks, 8)
	var now Time
	step := func() {
		for i := range 100 {
			now += 40 * Nanosecond
			ledger.Advance(now)
			server.Send(now, 32)
			link.Send(now+Time(i%7)*Microsecond/4, 32) // some beyond the ring
			banks.Reserve(i%8, now, Nanosecond)
		}
	}
	step()
	if n := testing.AllocsPerRun(100, step); n != 0 {
		t.Errorf("%v allocations in 100 requests", n)
	}
}

// BenchmarkReserve measures one request to each resource, the ledger with and
// without a backlog of half its ring.
func BenchmarkReserve(b *testing.B) {
	b.Run("server", func(b *testing.B) {
		var s Server
		for i := range b.N {
			s.Reserve(Time(i)*100, 100)
		}
	})
	b.Run("ledger/idle", func(b *testing.B) {
		l := NewLedger(Nanosecond, 4096)
		for i := range b.N {
			now := Time(i) * Nanosecond
			l.Advance(now)
			l.Reserve(now+Time(i%5)*100*Nanosecond, 200*Picosecond)
		}
	})
	b.Run("ledger/congested", func(b *testing.B) {
		l := NewLedger(Nanosecond, 4096)
		l.Reserve(0, l.Horizon()/2)
		for i := range b.N {
			now := Time(i) * Nanosecond
			l.Advance(now)
			l.Reserve(now+Time(i%5)*100*Nanosecond, Nanosecond)
		}
	})
}
