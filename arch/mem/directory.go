package mem

import "heddle/sim"

// lineState is what the directory of a machine knows of a line: exactly which
// caches hold it. Whether the owner's copy is modified is kept with the copy,
// as an exclusive line is modified without a word to anybody.
type lineState struct {
	sharers uint64   // cores with a copy in L1 or L2
	ready   sim.Time // when the owner has its data
	busy    sim.Time // when all transactions so far are over
	l3      uint16   // dies with a copy in L3
	array   int16    // that was accessed last
	owner   holder
	state   globalState
}

// globalState says what holds a line, in all.
type globalState uint8

const (
	// shared: memory is up to date, and nobody answers for the line; copies
	// may exist.
	shared globalState = iota
	// exclusive: only the owner has the line, and memory may not be up to
	// date. If the owner is an inclusive L3, the cores of its die may share it.
	exclusive
	// owned: the owner's copy is modified, and others may have copies of it.
	owned
	// forwarded: memory is up to date, and the owner answers for the line.
	forwarded
)

// holder is a core, the L3 of a die, or nobody.
type holder uint8

const (
	maxCores = 64
	maxDies  = 16
	maxWays  = 64

	l3Holder holder = maxCores           // of die 0
	nobody   holder = maxCores + maxDies // no holder
)

func holderL3(die int) holder { return l3Holder + holder(die) }

func (h holder) isCore() bool { return h < l3Holder }
func (h holder) isL3() bool   { return h >= l3Holder && h < nobody }
func (h holder) die() int     { return int(h - l3Holder) } // of an L3

// directory finds the state of a line by its number. Arrays lie side by side
// from low addresses on, so that a table of chunks, made when first touched,
// is all it takes; lines so high that the table would be large are in a map.
type directory struct {
	chunks []*lineChunk
	far    map[uint64]*lineChunk
}

const (
	chunkBits = 10
	chunkMask = 1<<chunkBits - 1
	farChunk  = 1 << 22 // 256 GiB of lines of 64 bytes
)

type lineChunk [1 << chunkBits]lineState

// at returns the state of a line.
func (d *directory) at(line uint64) *lineState {
	if k := line >> chunkBits; k < uint64(len(d.chunks)) {
		if c := d.chunks[k]; c != nil {
			return &c[line&chunkMask]
		}
	}
	return d.first(line)
}

// first returns the state of a line of which the chunk may not exist.
func (d *directory) first(line uint64) *lineState {
	k := line >> chunkBits
	if k >= farChunk {
		if d.far == nil {
			d.far = map[uint64]*lineChunk{}
		}
		if d.far[k] == nil {
			d.far[k] = newLineChunk()
		}
		return &d.far[k][line&chunkMask]
	}
	if k >= uint64(len(d.chunks)) {
		d.chunks = append(d.chunks, make([]*lineChunk, k+1-uint64(len(d.chunks)))...)
	}
	if d.chunks[k] == nil {
		d.chunks[k] = newLineChunk()
	}
	return &d.chunks[k][line&chunkMask]
}

func newLineChunk() *lineChunk {
	c := new(lineChunk)
	for i := range c {
		c[i].owner, c[i].array = nobody, -1
	}
	return c
}

// settle is called when a copy is gone: without any left, or without an owner
// to answer for it, the line is shared.
func (e *lineState) settle() {
	if e.owner == nobody || e.sharers == 0 && e.l3 == 0 {
		e.owner, e.state = nobody, shared
	}
}
