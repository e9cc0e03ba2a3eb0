package sim

// Resource is something that serves one request at a time: a port, a link, a
// bank, an issue slot. A request walks its path once, when it is made: each
// resource on the path answers at once when it will serve, and remembers what
// it has promised. The order of Reserve calls stands for the order of arrival.
type Resource interface {
	// Reserve books the resource for the duration hold, at or after at, and
	// returns start: the request is done with the resource at start + hold.
	Reserve(at, hold Time) (start Time)

	// Busy returns the time booked so far.
	Busy() Time
}

// Server is a resource that serves in the order of the calls, for paths whose
// requests come nearly in the order of their times. Its zero value is free.
type Server struct {
	free Time
	busy Time
}

// Reserve books the server from at, or from the end of the last booking.
func (s *Server) Reserve(at, hold Time) (start Time) {
	start = max(at, s.free)
	s.free = start + hold
	s.busy += hold
	return start
}

// Free returns the end of the last booking.
func (s *Server) Free() Time { return s.free }

// Busy returns the time booked so far.
func (s *Server) Busy() Time { return s.busy }

// Banks are servers side by side, one of which a request picks by its address.
type Banks []Server

// Reserve books one bank.
func (b Banks) Reserve(bank int, at, hold Time) (start Time) {
	return b[bank].Reserve(at, hold)
}

// Busy returns the time booked so far, added up over the banks.
func (b Banks) Busy() Time {
	var busy Time
	for i := range b {
		busy += b[i].busy
	}
	return busy
}

// Link moves bytes at a bandwidth and delivers them after a latency.
type Link struct {
	latency   Time
	bandwidth Bandwidth
	over      Resource
	bytes     Bytes
}

// NewLink returns a link that serialises its transfers over a resource: a
// *Server where they are sent in the order of their times, a *Ledger where
// they are not.
func NewLink(latency Time, bandwidth Bandwidth, over Resource) Link {
	if !(bandwidth > 0) || latency < 0 {
		panic("sim: a link needs a positive bandwidth and a latency that is not negative")
	}
	return Link{latency: latency, bandwidth: bandwidth, over: over}
}

// Send puts n bytes on the link at or after at and returns when the last of
// them arrives: on an idle link, at + n/bandwidth + latency.
func (l *Link) Send(at Time, n Bytes) (arrive Time) {
	hold := l.bandwidth.TimeFor(n)
	l.bytes += n
	return l.over.Reserve(at, hold) + hold + l.latency
}

// Bytes returns the number of bytes sent so far.
func (l *Link) Bytes() Bytes { return l.bytes }

// Busy returns how long the link's resource has been booked so far.
func (l *Link) Busy() Time { return l.over.Busy() }
