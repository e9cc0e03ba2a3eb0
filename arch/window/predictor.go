package window

import "math/bits"

// PredictorConfig describes a branch predictor for conditional branches: what
// is configured of bimodal counters, a global table and a loop predictor, a hit
// in a later one overriding the earlier, and a stack for returns.
// Unconditional branches are always predicted.
type PredictorConfig struct {
	Bimodal     int `yaml:"bimodal" range:"0..1048576" doc:"two-bit counters chosen by the branch's address; a power of two, or 0"`
	Global      int `yaml:"global" range:"0..1048576" doc:"entries chosen by address and history; a power of two, or 0"`
	GlobalWays  int `yaml:"global_ways" range:"1..16" doc:"associativity of the global table; a power of two, 1 without tags"`
	GlobalTag   int `yaml:"global_tag" range:"0..16" doc:"bits of a global entry's tag; 0: none, and the table always decides"`
	History     int `yaml:"history" range:"0..32" doc:"outcomes that the global table is chosen by"`
	Loops       int `yaml:"loops" range:"0..4096" doc:"branches whose trip count is remembered; a power of two, or 0"`
	LoopCount   int `yaml:"loop_count" range:"1..65535" doc:"most iterations that a trip count holds"`
	ReturnStack int `yaml:"return_stack" range:"0..1024" doc:"return addresses"`
}

func (c *PredictorConfig) validate(fault func(format string, args ...any)) {
	power := func(key string, n int) {
		if n&(n-1) != 0 {
			fault("core.branch.predictor.%s: %d is not a power of two", key, n)
		}
	}
	power("bimodal", c.Bimodal)
	power("global", c.Global)
	power("global_ways", c.GlobalWays)
	power("loops", c.Loops)
	if c.Global > 0 && c.GlobalWays > c.Global {
		fault("core.branch.predictor.global_ways: %d are more than global, %d", c.GlobalWays, c.Global)
	}
	if c.GlobalTag == 0 && c.GlobalWays > 1 {
		fault("core.branch.predictor.global_ways: %d ways need global_tag", c.GlobalWays)
	}
}

// predictor holds the tables of one core; its hardware threads share them, each
// with a history of its own.
type predictor struct {
	bimodal  []uint8 // two-bit counters, taken from 2 on
	counters []uint8 // the global table, if it has no tags: many cores have one
	global   []globalEntry
	ways     int
	sets     uint64
	tagMask  uint32
	history  uint64 // mask
	shift    uint   // aligns the history with the upper bits of the set's number
	fold     uint   // bits of a set's number
	loops    []loopEntry
	loopMax  uint16
	stackMax int
}

// globalEntry has a tag, 1 more than that of a branch and 0 when empty, above a
// two-bit counter.
type globalEntry uint32

func (e globalEntry) tag() uint32    { return uint32(e >> 2) }
func (e globalEntry) counter() uint8 { return uint8(e & 3) }

func newEntry(tag uint32, counter uint8) globalEntry { return globalEntry(tag<<2 | uint32(counter)) }

// loopEntry follows a branch that goes one way count times and then once the
// other.
type loopEntry struct {
	tag       uint32 // 1 + address
	count     uint16
	trip      uint16
	usual     bool // the direction of most outcomes
	confident uint8
}

// confidence is how often a loop's trip count must have repeated before it is
// trusted.
const confidence = 2

func newPredictor(c *PredictorConfig) predictor {
	p := predictor{
		bimodal: make([]uint8, c.Bimodal), ways: c.GlobalWays,
		tagMask: 1<<c.GlobalTag - 1, history: 1<<c.History - 1, loops: make([]loopEntry, c.Loops),
		loopMax: uint16(c.LoopCount), stackMax: c.ReturnStack,
	}
	if c.Global > 0 {
		p.sets = uint64(c.Global / c.GlobalWays)
		p.fold = uint(bits.Len64(p.sets) - 1)
		p.shift = uint(max(0, int(p.fold)-c.History))
	}
	if c.GlobalTag == 0 {
		p.counters = make([]uint8, c.Global)
	} else {
		p.global = make([]globalEntry, c.Global)
	}
	for i := range p.bimodal {
		p.bimodal[i] = 1
	}
	for i := range p.counters {
		p.counters[i] = 1
	}
	for i := range p.global {
		p.global[i] = newEntry(0, 1)
	}
	return p
}

// conditional predicts the branch at address ip and learns its outcome. It
// returns whether the prediction was right, and moves history on.
func (p *predictor) conditional(ip uint32, history *uint64, taken bool) (right bool) {
	guess := false
	var two *uint8
	if len(p.bimodal) > 0 {
		two = &p.bimodal[ip&uint32(len(p.bimodal)-1)]
		guess = *two >= 2
	}
	var untagged *uint8
	if len(p.counters) > 0 {
		untagged = &p.counters[p.set(ip, *history)]
		guess = *untagged >= 2
	}
	var g *globalEntry
	var set []globalEntry
	var tag uint32
	if len(p.global) > 0 {
		set, tag = p.lookup(ip, *history)
		if g = find(set, tag); g != nil {
			guess = g.counter() >= 2
		}
	}
	var l *loopEntry
	if len(p.loops) > 0 {
		l = &p.loops[ip&uint32(len(p.loops)-1)]
		if l.tag == ip+1 && l.confident >= confidence {
			guess = l.usual != (l.count == l.trip)
		}
	}
	right = guess == taken

	if l != nil {
		l.learn(ip, taken, right, p.loopMax)
	}
	switch {
	case g != nil:
		*g = newEntry(tag, train(g.counter(), taken))
	case len(p.global) > 0 && !right: // the oldest of the set makes room
		copy(set[1:], set)
		set[0] = newEntry(tag, 1+uint8(b2u(taken)))
	}
	if untagged != nil {
		*untagged = train(*untagged, taken)
	}
	if two != nil {
		*two = train(*two, taken)
	}
	*history = (*history<<1 | b2u(taken)) & p.history
	return right
}

// set returns the number of the global table's set for a branch and a history.
func (p *predictor) set(ip uint32, history uint64) uint64 {
	i := uint64(ip) ^ history<<(p.shift&63)
	return (i ^ i>>(p.fold&63)) & (p.sets - 1)
}

// lookup returns the set of the global table for a branch and a history, and
// the tag to look for.
func (p *predictor) lookup(ip uint32, history uint64) (set []globalEntry, tag uint32) {
	at := p.set(ip, history) * uint64(p.ways)
	set = p.global[at : at+uint64(p.ways)]
	return set, 1 + uint32((uint64(ip)*0x9e3779b97f4a7c15^history*0xc2b2ae3d27d4eb4f)>>40)&p.tagMask
}

// find returns the entry of a tag and makes it the youngest of its set, or
// returns nil.
func find(set []globalEntry, tag uint32) *globalEntry {
	if set[0].tag() == tag {
		return &set[0]
	}
	for i := 1; i < len(set); i++ {
		if e := set[i]; e.tag() == tag {
			copy(set[1:i+1], set)
			set[0] = e
			return &set[0]
		}
	}
	return nil
}

// learn notes an outcome. A branch that another entry has is taken over only
// when it was mispredicted.
func (l *loopEntry) learn(ip uint32, taken, right bool, most uint16) {
	if l.tag != ip+1 {
		if !right {
			*l = loopEntry{tag: ip + 1, usual: !taken}
		}
		return
	}
	if taken == l.usual {
		if l.count == most {
			*l = loopEntry{} // too long
			return
		}
		l.count++
		return
	}
	switch {
	case l.count == 0: // twice in a row: the usual direction is the other
		*l = loopEntry{tag: ip + 1, usual: taken, count: 1}
		return
	case l.count == l.trip:
		l.confident = min(l.confident+1, confidence)
	default:
		l.trip, l.confident = l.count, 0
	}
	l.count = 0
}

// train moves a two-bit counter.
func train(counter uint8, taken bool) uint8 {
	if taken {
		return min(counter+1, 3)
	}
	return counter - min(counter, 1)
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
