package experiments

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// timeline is a Perfetto file read back: what this test knows of the format
// comes from its definition, not from what writes it.
type timeline struct {
	tracks   map[uint64]*timelineTrack
	slices   []*timelineSlice
	counters map[string][]timelineValue // by name
}

type timelineTrack struct {
	name   string
	parent *timelineTrack
}

type timelineSlice struct {
	track      *timelineTrack
	name, kind string
	from, to   uint64 // ps
	args       map[string]string
	depth      int
}

type timelineValue struct {
	at    uint64
	value float64
}

// fields calls f for each field of a message.
func fields(t *testing.T, message []byte, f func(number protowire.Number, v uint64, b []byte)) {
	t.Helper()
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		message = message[n:]
		var v uint64
		var b []byte
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(message)
		case protowire.Fixed64Type:
			v, n = protowire.ConsumeFixed64(message)
		case protowire.BytesType:
			b, n = protowire.ConsumeBytes(message)
		default:
			t.Fatalf("field %d of wire type %d", number, kind)
		}
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		message = message[n:]
		f(number, v, b)
	}
}

// readTimeline reads a Perfetto file as its trace processor does: packets in
// the order of their times, those of one time in the file's.
func readTimeline(t *testing.T, path string) *timeline {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	x := &timeline{tracks: map[uint64]*timelineTrack{}, counters: map[string][]timelineValue{}}
	interned := map[string]string{} // "field/number"
	type event struct {
		at                uint64
		kind, track, name uint64
		category          uint64
		args              map[string]string
		value             float64
	}
	var events []event
	fields(t, file, func(number protowire.Number, _ uint64, packet []byte) {
		if number != 1 {
			t.Fatalf("field %d of a trace", number)
		}
		var at, sequence uint64
		var body []byte
		fields(t, packet, func(number protowire.Number, v uint64, b []byte) {
			switch number {
			case 8:
				at = v
			case 10:
				sequence = v
			case 11:
				body = b
			case 12: // strings, for this packet and later ones
				fields(t, b, func(table protowire.Number, _ uint64, entry []byte) {
					var id uint64
					var text string
					fields(t, entry, func(number protowire.Number, v uint64, b []byte) {
						if number == 1 {
							id = v
						} else {
							text = string(b)
						}
					})
					interned[fmt.Sprint(table, "/", id)] = text
				})
			case 60:
				var id, parent uint64
				track := &timelineTrack{}
				fields(t, b, func(number protowire.Number, v uint64, b []byte) {
					switch number {
					case 1:
						id = v
					case 2:
						track.name = string(b)
					case 3:
						fields(t, b, func(number protowire.Number, _ uint64, b []byte) {
							if number == 6 {
								track.name = string(b)
							}
						})
					case 5:
						parent = v
					}
				})
				if parent != 0 {
					if track.parent = x.tracks[parent]; track.parent == nil {
						t.Fatalf("track %s comes before its group", track.name)
					}
				}
				x.tracks[id] = track
			}
		})
		if sequence == 0 {
			t.Fatal("a packet of no sequence")
		}
		if body == nil {
			return
		}
		e := event{at: at, args: map[string]string{}}
		fields(t, body, func(number protowire.Number, v uint64, b []byte) {
			switch number {
			case 3:
				e.category = v
			case 4:
				var key, text string
				fields(t, b, func(number protowire.Number, v uint64, _ []byte) {
					switch number {
					case 1:
						key = interned[fmt.Sprint("3/", v)]
					case 17:
						text = interned[fmt.Sprint("29/", v)]
					default:
						text = fmt.Sprint(v)
					}
				})
				e.args[key] = text
			case 9:
				e.kind = v
			case 10:
				e.name = v
			case 11:
				e.track = v
			case 44:
				e.value = math.Float64frombits(v)
			}
		})
		events = append(events, e)
	})
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	open := map[uint64][]*timelineSlice{}
	for _, e := range events {
		track := x.tracks[e.track]
		if track == nil {
			t.Fatalf("an event of track %d, which there is not", e.track)
		}
		switch stack := open[e.track]; e.kind {
		case 1:
			s := &timelineSlice{track: track, name: interned[fmt.Sprint("2/", e.name)], kind: interned[fmt.Sprint("1/", e.category)],
				from: e.at, args: e.args, depth: len(stack)}
			open[e.track] = append(stack, s)
			x.slices = append(x.slices, s)
		case 2:
			if len(stack) == 0 {
				t.Fatalf("%s: a slice ends at %d ps that has not begun", track.name, e.at)
			}
			stack[len(stack)-1].to = e.at
			open[e.track] = stack[:len(stack)-1]
		case 4:
			x.counters[track.name] = append(x.counters[track.name], timelineValue{e.at, e.value})
		default:
			t.Fatalf("an event of type %d", e.kind)
		}
	}
	for id, stack := range open {
		for _, s := range stack {
			t.Fatalf("%s: %s begins at %d ps and never ends", x.tracks[id].name, s.name, s.from)
		}
	}
	return x
}
