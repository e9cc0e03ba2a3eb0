package mem

import "heddle/sim"

// dramMap finds the place of an address.
type dramMap struct {
	channels    uint64
	interleave  uint64
	chunk       uint64 // BankInterleave
	groups      uint64
	chunksInRow uint64
	bankSets    uint64 // banks of a group
	ranks       uint64
	banks       uint64
	channelHash bool
	bankHash    bool
}

// dramPlace is the place of a burst: bank counts through the ranks of its
// channel, group through all bank groups of the channel.
type dramPlace struct {
	channel, rank, group, bank int
	row                        uint64
}

func newDRAMMap(c DRAMConfig) dramMap {
	return dramMap{
		channels:    uint64(c.Channels),
		interleave:  uint64(c.Interleave),
		chunk:       uint64(c.BankInterleave),
		groups:      uint64(c.Groups),
		chunksInRow: uint64(c.RowBytes / c.BankInterleave),
		bankSets:    uint64(c.Banks / c.Groups),
		ranks:       uint64(c.Ranks),
		banks:       uint64(c.Banks),
		channelHash: c.ChannelHash,
		bankHash:    c.BankHash,
	}
}

// channel returns the channel of addr and the address within the channel. For
// one turn round the channels, hashed or not, each of them occurs once.
func (m *dramMap) channel(addr uint64) (channel int, local uint64) {
	unit := addr / m.interleave
	turn := unit / m.channels
	c := unit - turn*m.channels
	if m.channelHash {
		// Bits from 4 and 9 places up, so that strides of any power of two
		// move from channel to channel.
		c = (c + (turn ^ turn>>4 ^ turn>>9)) % m.channels
	}
	return int(c), turn*m.interleave + addr - unit*m.interleave
}

func (m *dramMap) place(addr uint64) dramPlace {
	channel, local := m.channel(addr)
	x := local / m.chunk
	group := x % m.groups
	x /= m.groups * m.chunksInRow // what is left out is the column
	set := x % m.bankSets
	x /= m.bankSets
	rank := x % m.ranks
	row := x / m.ranks
	bank := group + m.groups*set
	if m.bankHash { // Z. Zhang et al., "A permutation-based page interleaving scheme", MICRO 2000
		bank ^= row & (m.banks - 1)
		group = bank % m.groups
	}
	return dramPlace{
		channel: channel,
		rank:    int(rank),
		group:   int(rank*m.groups + group),
		bank:    int(rank*m.banks + bank),
		row:     row,
	}
}

// dramTimings are the times of a DRAMConfig.
type dramTimings struct {
	clock                                                         sim.Clock
	rcd, rp, cl, cwl, ras, rc, ccdl, wr, wtr, rtp, rtrs, rfc, efi sim.Time

	burst    sim.Time // data, with check bits
	column   sim.Time // data bus time of a column command: burst or tCCD
	activate sim.Time // between activates of a rank: tRRD or tFAW/4
	reorder  sim.Time
}

func newDRAMTimings(c DRAMConfig) dramTimings {
	k := sim.NewClock(c.Clock)
	burst := k.Span(sim.Cycles(c.BurstLength / c.DataRate))
	if c.ECC.Enabled {
		burst += sim.Time(float64(burst)*c.ECC.Overhead + 0.5)
	}
	return dramTimings{
		clock: k,
		rcd:   k.Span(c.TRCD), rp: k.Span(c.TRP), cl: k.Span(c.TCL), cwl: k.Span(c.TCWL),
		ras: k.Span(c.TRAS), rc: k.Span(c.TRC), ccdl: k.Span(c.TCCDL), wr: k.Span(c.TWR),
		wtr: k.Span(c.TWTR), rtp: k.Span(c.TRTP), rtrs: k.Span(c.TRTRS), rfc: k.Span(c.TRFC), efi: k.Span(c.TREFI),
		burst:    burst,
		column:   max(burst, k.Span(c.TCCD)),
		activate: max(k.Span(c.TRRD), k.Span(c.TFAW)/4),
		reorder:  k.Span(c.Reorder),
	}
}
