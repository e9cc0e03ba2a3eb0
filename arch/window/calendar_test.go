package window

import (
	"testing"

	"pgregory.net/rapid"
)

// Ports behave as a set of all cycles that are taken, as far back as a ring.
func TestPortsAgainstSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type slot struct{ port, cycle int64 }
		taken := map[slot]bool{}
		var p ports
		front := int64(0)
		for range rapid.IntRange(1, 150).Draw(t, "bookings") {
			front += rapid.SampledFrom([]int64{0, 0, 1, 3, 60, 700}).Draw(t, "gap")
			at := max(0, front+rapid.Int64Range(-300, 300).Draw(t, "from"))
			among := portSet(rapid.SampledFrom([]int{1, 2, 3, 0x23, 0x8000, 0x8001}).Draw(t, "ports"))
			n := rapid.SampledFrom([]int64{1, 1, 1, 2, 7}).Draw(t, "cycles")
			free := func(port, at int64) bool {
				for i := range n {
					if taken[slot{port, at + i}] {
						return false
					}
				}
				return true
			}
			want, port := at, int64(-1)
			for ; port < 0; want++ {
				for i := int64(0); i < 16 && port < 0; i++ {
					if among>>i&1 != 0 && free(i, want) {
						port = i
					}
				}
			}
			want--
			var got int64
			if n == 1 {
				got = p.book(among, at)
			} else {
				got = p.bookLong(among, at, n)
			}
			if got != want {
				t.Fatalf("%d cycles of %b from %d: booked %d, want %d", n, among, at, got, want)
			}
			for i := range n {
				taken[slot{port, want + i}] = true
			}
		}
	})
}

// A calendar never gives a cycle twice, and none later than it must.
func TestCalendarAgainstSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		taken := map[int64]bool{}
		var c calendar
		front := int64(100)
		for range rapid.IntRange(1, 200).Draw(t, "bookings") {
			front += rapid.SampledFrom([]int64{0, 0, 1, 3, 60}).Draw(t, "gap")
			at := front + rapid.Int64Range(-90, 300).Draw(t, "from")
			want := at
			for taken[want] {
				want++
			}
			if got := c.next(at); got != want {
				t.Fatalf("from %d: %d, want %d", at, got, want)
			}
			c.take(want)
			taken[want] = true
		}
	})
}
