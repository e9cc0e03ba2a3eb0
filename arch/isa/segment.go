package isa

// Segment is a stretch of memory that is the bytes of one array.
type Segment struct {
	Base  uint64
	Data  []byte
	Array int
}

// Segmented is a Memory some of which can be reached without it.
type Segmented interface {
	Memory
	// Segment returns the stretch that addr lies in, if plain loads, or plain
	// loads and stores, of aligned elements do nothing but read and write its
	// bytes. That it does so holds until the launch ends.
	Segment(addr uint64, writes bool) (s Segment, ok bool)
}

// reach is the segment that an instruction's latest access went to, and of which
// offsets in it an access begins at: those below limit that have no bit of mask.
type reach struct {
	base, limit, mask uint64
	data              []byte
	array             int
}

// find makes r the segment of an access of size bytes at addr. It reports false,
// and leaves r, if the access has to go by the memory m, which may be nil.
func (r *reach) find(m Segmented, addr, size uint64, writes bool) bool {
	if m == nil {
		return false
	}
	g, ok := m.Segment(addr, writes)
	mask := size - 1
	if !ok || addr-g.Base+mask >= uint64(len(g.Data)) || addr&mask != 0 || g.Base&mask != 0 {
		return false
	}
	*r = reach{base: g.Base, limit: uint64(len(g.Data)) - mask, mask: mask, data: g.Data, array: g.Array}
	return true
}
