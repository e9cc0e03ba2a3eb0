package traces

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/klauspost/compress/zstd"

	"heddle/sim"
)

// Reader reads a memory trace, from its beginning to its end.
type Reader struct {
	Header Header
	Arrays []sim.MemoryArray // as far as read

	zstd    *zstd.Decoder
	in      *bufio.Reader
	coding  coding
	inside  bool // a launch
	threads int  // of the running launch
	records uint64
	counts  [2]uint64 // launches and accesses
	name    []byte
}

// Record is what a trace tells next. It is valid until the next is read.
type Record struct {
	Kind   RecordKind
	At     sim.Time // from the start of the timed part
	Thread int      // the first, of a start, a barrier or an access

	Launch  sim.Launched // without lines and regions
	Access  AccessRecord
	Skipped uint64 // at the end: accesses that were not recorded
}

// RecordKind is what a record tells.
type RecordKind uint8

// Kinds of record.
const (
	LaunchRecord  RecordKind = iota // a program begins
	ReturnRecord                    // it has ended
	StartRecord                     // a warp begins
	BarrierRecord                   // a warp is at the barrier
	MemoryRecord                    // an access
	EndRecord                       // the trace is whole
)

// AccessRecord is what a memory instruction did. Lane i of Lanes is thread
// Record.Thread+i; Offset has the lanes' offsets in the array, in bytes.
type AccessRecord struct {
	Kind   sim.AccessKind
	Size   int32
	Array  int
	Took   sim.Time
	Lanes  uint64
	Offset [maxLanes]uint64
}

// errNotTrace is the fault of a file that is something else.
var errNotTrace = errors.New("not a memory trace: its first line is another")

// NewReader returns a reader of a memory trace.
func NewReader(in io.Reader) (*Reader, error) {
	b := bufio.NewReader(in)
	first := make([]byte, len(magic))
	if _, err := io.ReadFull(b, first); err != nil || string(first) != magic {
		return nil, errNotTrace
	}
	line, err := b.ReadSlice('\n')
	if err != nil {
		return nil, errors.New("damaged: line 2, the header, does not end")
	}
	h, err := parseHeader(line)
	if err != nil {
		return nil, fmt.Errorf("damaged: line 2: %w", err)
	}
	z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	return newRecords(h, z, z), nil
}

// newRecords returns a reader of the records that in holds.
func newRecords(h Header, in io.Reader, z *zstd.Decoder) *Reader {
	return &Reader{Header: h, zstd: z, in: bufio.NewReaderSize(in, 1<<16), coding: coding{period: h.Period}}
}

// Close frees what the reader has taken.
func (r *Reader) Close() {
	if r.zstd != nil {
		r.zstd.Close()
	}
}

// damage is what reading panics with, within the package, when a record is
// none.
type damage struct{ error }

func fail(format string, args ...any) { panic(damage{fmt.Errorf(format, args...)}) }

// Next reads the next record. Behind the one that ends the trace there is
// nothing.
func (r *Reader) Next(x *Record) (err error) {
	defer func() {
		switch fault := recover().(type) {
		case nil:
			r.records++
		case damage:
			err = fmt.Errorf("damaged: record %d: %w", r.records+1, fault.error)
		default:
			panic(fault)
		}
	}()
	r.next(x)
	return nil
}

func (r *Reader) next(x *Record) {
	for {
		switch code := r.byte(); {
		case code == codeArray:
			r.array()
			r.records++
			continue
		case code == codeLaunch:
			r.launch(x)
		case code == codeReturn && r.inside:
			x.Kind, x.At = ReturnRecord, r.moment()
			r.inside = false
		case code == codeStart && r.inside:
			x.Kind, x.Thread, x.At = StartRecord, r.thread(), r.moment()
		case code == codeBarrier && r.inside:
			x.Kind, x.Thread, x.At = BarrierRecord, r.thread(), r.moment()
		case code&codeAccess != 0 && r.inside:
			r.access(code, x)
		case code == codeEnd:
			r.end(x)
		default:
			fail("%#x is no record here", code)
		}
		return
	}
}

func (r *Reader) byte() byte {
	b, err := r.in.ReadByte()
	if err != nil {
		fail("%w", whole(err))
	}
	return b
}

// whole says of a file that ends too early that it does.
func whole(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("the file ends in the middle")
	}
	return err
}

func (r *Reader) number(what string, most uint64) uint64 {
	v, err := binary.ReadUvarint(r.in)
	if err != nil {
		fail("%w", whole(err))
	}
	if v > most {
		fail("%s %d: at most %d", what, v, most)
	}
	return v
}

func (r *Reader) signed() int64 {
	v, err := binary.ReadVarint(r.in)
	if err != nil {
		fail("%w", whole(err))
	}
	return v
}

func (r *Reader) text() string {
	n := int(r.number("length of a name", maxName))
	if cap(r.name) < n {
		r.name = make([]byte, n)
	}
	if _, err := io.ReadFull(r.in, r.name[:n]); err != nil {
		fail("%w", whole(err))
	}
	return string(r.name[:n])
}

// span reads a time that is not absolute.
func (r *Reader) span() int64 {
	v := r.signed()
	if v&1 != 0 {
		v >>= 1
	} else if v /= 2; v > maxTime/r.coding.period || v < -maxTime/r.coding.period {
		fail("time of %d cycles", v)
	} else {
		v *= r.coding.period
	}
	return v
}

func (r *Reader) moment() sim.Time {
	d := r.span()
	at := r.coding.at + d
	if d > maxTime || d < -maxTime || at < 0 || at > maxTime {
		fail("time out of range")
	}
	r.coding.at = at
	return sim.Time(at)
}

func (r *Reader) thread() int {
	t := r.coding.thread + r.signed()
	if t < 0 || t >= int64(r.threads) {
		fail("thread %d of %d", t, r.threads)
	}
	r.coding.thread = t
	return int(t)
}

func (r *Reader) array() {
	if len(r.Arrays) == maxArrays {
		fail("more than %d arrays", maxArrays)
	}
	a := sim.MemoryArray{Name: r.text(), Type: r.text()}
	a.Element = int(r.number("size of an element", 8))
	a.Base = r.number("address", maxBytes)
	a.Length = int(r.number("length of an array", maxBytes))
	switch a.Element {
	case 1, 4, 8:
	default:
		fail("elements of %d bytes", a.Element)
	}
	if a.Base%8 != 0 || uint64(a.Length) > maxBytes/uint64(a.Element) {
		fail("array %q of %d elements at %#x", a.Name, a.Length, a.Base)
	}
	r.Arrays = append(r.Arrays, a)
	r.coding.last = append(r.coding.last, 0)
}

func (r *Reader) launch(x *Record) {
	if r.inside {
		fail("a launch within another")
	}
	l := sim.Launched{Program: r.text()}
	l.Threads = int(r.number("threads", maxThreads))
	l.Block = int(r.number("threads of a block", maxThreads))
	l.At = r.moment()
	if l.Block < 1 {
		fail("blocks of no thread")
	}
	l.Arrays = r.Arrays
	r.inside, r.threads, r.coding.thread = true, l.Threads, 0
	r.counts[0]++
	x.Kind, x.At, x.Launch = LaunchRecord, l.At, l
}

func (r *Reader) access(code byte, x *Record) {
	a := &x.Access
	a.Kind, a.Size = sim.AccessKind(code&3), 1<<(code>>2&7)
	if a.Kind >= sim.AccessKinds || a.Size > 8 {
		fail("%#x is no access", code)
	}
	x.Kind, x.Thread, x.At = MemoryRecord, r.thread(), r.moment()
	took := r.span()
	if took < 0 || took > maxTime {
		fail("an access of %d fs", took)
	}
	a.Took = sim.Time(took)
	a.Array = int(r.number("array", maxArrays))
	if a.Array >= len(r.Arrays) {
		fail("array %d of %d", a.Array, len(r.Arrays))
	}
	a.Lanes = 1
	if code&codeLanes != 0 {
		a.Lanes = r.number("lanes", ^uint64(0))
	}
	if width := bits.Len64(a.Lanes); a.Lanes == 0 || width > r.Header.Width || x.Thread+width > r.threads {
		fail("lanes %#x of thread %d of %d, %d a warp", a.Lanes, x.Thread, r.threads, r.Header.Width)
	}
	array := &r.Arrays[a.Array]
	places := int64(uint64(array.Length) * uint64(array.Element) / uint64(a.Size))
	last := &r.coding.last[a.Array]
	// The last place in another access's units may be larger by eight times.
	for m := a.Lanes; m != 0; m &= m - 1 {
		place := *last + r.signed()
		if place < 0 || place >= places {
			fail("%s of %d bytes at place %d of %s, which has %d", a.Kind, a.Size, place, array.Name, places)
		}
		*last = place
		a.Offset[bits.TrailingZeros64(m)] = uint64(place) * uint64(a.Size)
	}
	r.counts[1] += uint64(bits.OnesCount64(a.Lanes))
}

func (r *Reader) end(x *Record) {
	if r.inside {
		fail("the trace ends within a launch")
	}
	launches, accesses := r.number("launches", ^uint64(0)), r.number("accesses", ^uint64(0))
	if launches != r.counts[0] || accesses != r.counts[1] {
		fail("%d launches and %d accesses were written, and %d and %d read", launches, accesses, r.counts[0], r.counts[1])
	}
	x.Kind, x.Skipped = EndRecord, r.number("accesses that were not recorded", ^uint64(0))
	switch _, err := r.in.ReadByte(); err {
	case io.EOF:
	case nil:
		fail("something follows the end")
	default:
		fail("%w", err)
	}
}
