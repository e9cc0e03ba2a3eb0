package mem

import "heddle/sim"

// dramMap finds the place of an address.
type dramMap struct {
	channels    sim.Divisor
	interleave  sim.Divisor
	chunk       sim.Divisor // BankInterleave
	groups      sim.Divisor
	chunksInRow sim.Divisor
	bankSets    sim.Divisor // banks of a group
	ranks       sim.Divisor

	interleaveBytes  uint64
	ofGroups, ofBank uint64 // bank groups and banks of a rank
	channelHash      bool
	bankHash         bool
}

// dramPlace is the place of a burst: bank counts through the ranks of its
// channel, group through all bank groups of the channel.
type dramPlace struct {
	channel, rank, group, bank int
	row                        uint64
}

func newDRAMMap(c DRAMConfig) dramMap {
	by := func(n int) sim.Divisor { return sim.NewDivisor(uint64(n)) }
	return dramMap{
		channels:        by(c.Channels),
		interleave:      by(int(c.Interleave)),
		chunk:           by(int(c.BankInterleave)),
		groups:          by(c.Groups),
		chunksInRow:     by(int(c.RowBytes / c.BankInterleave)),
		bankSets:        by(c.Banks / c.Groups),
		ranks:           by(c.Ranks),
		interleaveBytes: uint64(c.Interleave),
		ofGroups:        uint64(c.Groups),
		ofBank:          uint64(c.Banks),
		channelHash:     c.ChannelHash,
		bankHash:        c.BankHash,
	}
}

// channel returns the channel of addr and the address within the channel. In
// one turn round the channels, hashed or not, each of them occurs once.
func (m *dramMap) channel(addr uint64) (channel int, local uint64) {
	unit, offset := m.interleave.Split(addr)
	turn, c := m.channels.Split(unit)
	if m.channelHash {
		// Bits from 4 and 9 places up, so that strides of any power of two
		// move from channel to channel.
		_, c = m.channels.Split(c + (turn ^ turn>>4 ^ turn>>9))
	}
	return int(c), turn*m.interleaveBytes + offset
}

func (m *dramMap) place(addr uint64) dramPlace {
	channel, local := m.channel(addr)
	x, _ := m.chunk.Split(local)
	x, group := m.groups.Split(x)
	x, _ = m.chunksInRow.Split(x) // the remainder is the column
	x, set := m.bankSets.Split(x)
	row, rank := m.ranks.Split(x)
	bank := group + m.ofGroups*set
	if m.bankHash { // Z. Zhang et al., "A permutation-based page interleaving scheme", MICRO 2000
		bank ^= row & (m.ofBank - 1)
		_, group = m.groups.Split(bank)
	}
	return dramPlace{
		channel: channel,
		rank:    int(rank),
		group:   int(rank*m.ofGroups + group),
		bank:    int(rank*m.ofBank + bank),
		row:     row,
	}
}

// dramTimings are the times of a DRAMConfig.
type dramTimings struct {
	rcd, rp, cl, cwl, ras, rc, ccdl, wr, wtr, rtp, rtrs, rfc, efi sim.Time

	burst     sim.Time // data, with check bits
	column    sim.Time // data bus time of a column command: burst or tCCD
	activate  sim.Time // between activates of a rank: tRRD or tFAW/4
	reorder   sim.Time
	idleClose sim.Time
}

func newDRAMTimings(c DRAMConfig) dramTimings {
	k := sim.NewClock(c.Clock)
	burst := k.Span(sim.Cycles(c.BurstLength / c.DataRate))
	if c.ECC.Enabled {
		burst += sim.Time(float64(burst)*c.ECC.Overhead + 0.5)
	}
	return dramTimings{
		rcd: k.Span(c.TRCD), rp: k.Span(c.TRP), cl: k.Span(c.TCL), cwl: k.Span(c.TCWL),
		ras: k.Span(c.TRAS), rc: k.Span(c.TRC), ccdl: k.Span(c.TCCDL), wr: k.Span(c.TWR),
		wtr: k.Span(c.TWTR), rtp: k.Span(c.TRTP), rtrs: k.Span(c.TRTRS), rfc: k.Span(c.TRFC), efi: k.Span(c.TREFI),
		burst:     burst,
		column:    max(burst, k.Span(c.TCCD)),
		activate:  max(k.Span(c.TRRD), k.Span(c.TFAW)/4),
		reorder:   k.Span(c.Reorder),
		idleClose: k.Span(c.IdleClose),
	}
}
