package traces

import (
	"strconv"

	"heddle/sim"
)

// chrome writes the JSON of Chrome's trace viewer, which Perfetto reads too
// (Duca and Sinclair, "Trace Event Format", 2016), an object an event. As in
// the other form, a nanosecond stands for a picosecond.
type chrome struct {
	out    *output
	line   []byte
	some   bool
	groups map[int]int    // of tracks
	names  map[int]string // of counters
}

func newChrome(out *output) *chrome {
	c := &chrome{out: out, groups: map[int]int{}, names: map[int]string{}}
	c.out.write([]byte(`{"displayTimeUnit":"ns","otherData":{"time":"1 ns shown is 1 ps simulated"},"traceEvents":[`))
	return c
}

// open begins an event of a track.
func (c *chrome) open(phase string, group, track int) {
	b := append(c.line[:0], ",\n"...)
	if !c.some {
		b, c.some = b[1:], true
	}
	b = append(b, `{"ph":"`...)
	b = append(b, phase...)
	b = append(b, `","pid":`...)
	b = strconv.AppendInt(b, int64(group), 10)
	b = append(b, `,"tid":`...)
	c.line = strconv.AppendInt(b, int64(track), 10)
}

func (c *chrome) text(key, value string) {
	c.line = append(c.line, `,"`...)
	c.line = append(c.line, key...)
	c.line = append(c.line, `":`...)
	c.line = appendQuoted(c.line, value)
}

// appendQuoted appends text as a JSON string. Names in programs and graphs are
// printable; what is not is escaped as JSON has it.
func appendQuoted(b []byte, text string) []byte {
	b = append(b, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < 0x20:
			b = append(b, `\u00`...)
			b = append(b, "0123456789abcdef"[r>>4], "0123456789abcdef"[r&15])
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '"')
}

// time appends a time in microseconds that stand for nanoseconds.
func (c *chrome) time(key string, t sim.Time) {
	ps := int64(t / sim.Picosecond)
	c.line = append(c.line, `,"`...)
	c.line = append(c.line, key...)
	c.line = append(c.line, `":`...)
	c.line = strconv.AppendInt(c.line, ps/1000, 10)
	if ps %= 1000; ps != 0 {
		c.line = append(c.line, '.', byte('0'+ps/100), byte('0'+ps/10%10), byte('0'+ps%10))
	}
}

func (c *chrome) done() {
	c.line = append(c.line, '}')
	c.out.write(c.line)
}

// named writes an event that names a group or a track.
func (c *chrome) named(what string, group, track int, name string) {
	c.open("M", group, track)
	c.text("name", what)
	c.line = append(c.line, `,"args":{"name":`...)
	c.line = append(appendQuoted(c.line, name), '}')
	c.done()
}

// placed writes an event that gives a group or a track its place.
func (c *chrome) placed(what string, group, track, rank int) {
	c.open("M", group, track)
	c.text("name", what)
	c.line = append(c.line, `,"args":{"sort_index":`...)
	c.line = strconv.AppendInt(c.line, int64(rank), 10)
	c.line = append(c.line, '}')
	c.done()
}

func (c *chrome) group(id int, name string, rank int) {
	c.named("process_name", id, 0, name)
	c.placed("process_sort_index", id, 0, rank)
}

func (c *chrome) track(id, group int, name string, rank int) {
	c.groups[id] = group
	c.named("thread_name", group, id, name)
	c.placed("thread_sort_index", group, id, rank)
}

func (c *chrome) counter(id, group int, name, unit string) {
	c.groups[id] = group
	c.names[id] = name + ", " + unit
}

func (c *chrome) start(phase string, track int, s *slice) {
	c.open(phase, c.groups[track], track)
	c.text("name", s.name)
	c.text("cat", s.kind)
	c.time("ts", s.from)
	if len(s.args) == 0 {
		return
	}
	c.line = append(c.line, `,"args":`...)
	for i := range s.args {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		c.line = append(c.line, separator)
		c.line = appendQuoted(c.line, s.args[i].name)
		c.line = append(c.line, ':')
		if a := &s.args[i]; a.text == "" && !a.hex {
			c.line = strconv.AppendUint(c.line, a.number, 10)
		} else {
			c.line = appendQuoted(c.line, a.String())
		}
	}
	c.line = append(c.line, '}')
}

func (c *chrome) begin(track int, s *slice) {
	c.start("B", track, s)
	c.done()
}

func (c *chrome) end(track int, at sim.Time) {
	c.open("E", c.groups[track], track)
	c.time("ts", at)
	c.done()
}

// slice writes a pair of events, for the length of one would be rounded apart
// from its beginning.
func (c *chrome) slice(track int, s *slice) {
	c.begin(track, s)
	c.end(track, s.to)
}

func (c *chrome) value(counter int, at sim.Time, v float64) {
	c.open("C", c.groups[counter], 0)
	c.text("name", c.names[counter])
	c.time("ts", at)
	c.line = append(c.line, `,"args":{"value":`...)
	c.line = strconv.AppendFloat(c.line, v, 'g', -1, 64)
	c.line = append(c.line, '}')
	c.done()
}

func (c *chrome) close() error {
	c.out.write([]byte("]}\n"))
	return c.out.close()
}
