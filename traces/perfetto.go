package traces

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"heddle/sim"
)

// perfetto writes Perfetto's protocol buffers (github.com/google/perfetto,
// protos/perfetto/trace), a packet an event. Strings are sent once, and
// numbers stand for them. Perfetto counts nanoseconds, in which cycles would
// blur; here each stands for a picosecond.
type perfetto struct {
	out     *output
	packet  []byte
	event   []byte
	message []byte
	interns []byte // what the packet needs interned
	names   map[string]uint64
	kinds   map[string]uint64
	keys    map[string]uint64
	texts   map[string]uint64
}

// Numbers of fields in Perfetto's messages.
const (
	tracePacket = 1 // Trace

	packetTimestamp  = 8 // TracePacket
	packetSequence   = 10
	packetInterned   = 12
	packetFlags      = 13
	packetEvent      = 11
	packetDescriptor = 60

	internedKinds = 1 // InternedData
	internedNames = 2
	internedKeys  = 3
	internedTexts = 29

	eventKind   = 3 // TrackEvent
	eventArg    = 4
	eventType   = 9
	eventName   = 10
	eventTrack  = 11
	eventDouble = 44

	argKey     = 1 // DebugAnnotation
	argNumber  = 3
	argPointer = 7
	argText    = 17

	trackUUID    = 1 // TrackDescriptor
	trackName    = 2
	trackProcess = 3
	trackParent  = 5
	trackCounter = 8
	trackOrder   = 11
	trackRank    = 12

	processPID  = 1 // ProcessDescriptor
	processName = 6

	counterUnit = 6 // CounterDescriptor

	explicitOrder = 3 // value of trackOrder: by ranks

	sliceBegin   = 1 // values of eventType
	sliceEnd     = 2
	counterEvent = 4

	cleared = 1 // flags: this packet begins a sequence's interned strings
	needed  = 2 // this packet uses them
)

func newPerfetto(out *output) *perfetto {
	p := &perfetto{
		out: out, names: map[string]uint64{}, kinds: map[string]uint64{}, keys: map[string]uint64{}, texts: map[string]uint64{},
	}
	p.send(cleared)
	return p
}

func appendVarint(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func appendBytes(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func appendString(b []byte, field protowire.Number, v string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), v)
}

// send ends the packet.
func (p *perfetto) send(flags uint64) {
	p.packet = appendVarint(p.packet, packetSequence, 1)
	p.packet = appendVarint(p.packet, packetFlags, flags)
	if len(p.interns) > 0 {
		p.packet = appendBytes(p.packet, packetInterned, p.interns)
		p.interns = p.interns[:0]
	}
	head := protowire.AppendTag(p.message[:0], tracePacket, protowire.BytesType)
	head = protowire.AppendVarint(head, uint64(len(p.packet)))
	p.out.write(head)
	p.out.write(p.packet)
	p.message, p.packet = head, p.packet[:0]
}

// intern returns the number that stands for text.
func (p *perfetto) intern(table map[string]uint64, field protowire.Number, text string) uint64 {
	if id, ok := table[text]; ok {
		return id
	}
	id := uint64(len(table) + 1)
	table[text] = id
	p.message = appendVarint(p.message[:0], 1, id)
	p.message = appendString(p.message, 2, text)
	p.interns = appendBytes(p.interns, field, p.message)
	return id
}

func (p *perfetto) group(id int, name string, rank int) {
	process := appendVarint(nil, processPID, uint64(id))
	process = appendString(process, processName, name)
	b := appendBytes(nil, trackProcess, process)
	b = appendVarint(b, trackOrder, explicitOrder)
	p.describe(id, appendVarint(b, trackRank, uint64(rank)))
}

func (p *perfetto) track(id, group int, name string, rank int) {
	b := appendVarint(nil, trackParent, uint64(group))
	b = appendVarint(b, trackRank, uint64(rank))
	p.describe(id, appendString(b, trackName, name))
}

func (p *perfetto) counter(id, group int, name, unit string) {
	b := appendVarint(nil, trackParent, uint64(group))
	b = appendString(b, trackName, name)
	p.describe(id, appendBytes(b, trackCounter, appendString(nil, counterUnit, unit)))
}

func (p *perfetto) describe(id int, more []byte) {
	d := append(appendVarint(nil, trackUUID, uint64(id)), more...)
	p.packet = appendBytes(p.packet, packetDescriptor, d)
	p.send(needed)
}

// emit sends p.event as of a time.
func (p *perfetto) emit(at sim.Time) {
	p.packet = appendVarint(p.packet, packetTimestamp, uint64(at/sim.Picosecond))
	p.packet = appendBytes(p.packet, packetEvent, p.event)
	p.send(needed)
}

func (p *perfetto) begin(track int, s *slice) {
	e := appendVarint(p.event[:0], eventType, sliceBegin)
	e = appendVarint(e, eventTrack, uint64(track))
	e = appendVarint(e, eventKind, p.intern(p.kinds, internedKinds, s.kind))
	e = appendVarint(e, eventName, p.intern(p.names, internedNames, s.name))
	for i := range s.args {
		a := &s.args[i]
		key := p.intern(p.keys, internedKeys, a.name)
		var text uint64
		if a.text != "" {
			text = p.intern(p.texts, internedTexts, a.text)
		}
		m := appendVarint(p.message[:0], argKey, key)
		switch {
		case a.text != "":
			m = appendVarint(m, argText, text)
		case a.hex:
			m = appendVarint(m, argPointer, a.number)
		default:
			m = appendVarint(m, argNumber, a.number)
		}
		e, p.message = appendBytes(e, eventArg, m), m
	}
	p.event = e
	p.emit(s.from)
}

func (p *perfetto) end(track int, at sim.Time) {
	p.event = appendVarint(p.event[:0], eventType, sliceEnd)
	p.event = appendVarint(p.event, eventTrack, uint64(track))
	p.emit(at)
}

func (p *perfetto) slice(track int, s *slice) {
	p.begin(track, s)
	p.end(track, s.to)
}

func (p *perfetto) value(counter int, at sim.Time, v float64) {
	p.event = appendVarint(p.event[:0], eventType, counterEvent)
	p.event = appendVarint(p.event, eventTrack, uint64(counter))
	p.event = protowire.AppendTag(p.event, eventDouble, protowire.Fixed64Type)
	p.event = protowire.AppendFixed64(p.event, math.Float64bits(v))
	p.emit(at)
}

func (p *perfetto) close() error { return p.out.close() }
