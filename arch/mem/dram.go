package mem

import (
	"fmt"

	"heddle/sim"
)

// DRAM is the DRAM of a device with its controllers.
//
// A request is computed burst by burst when it is made: from the state of its
// bank follow the commands it needs, from the timings the earliest times of
// these, and from the rank's activates, the bank group and the data bus, which
// are ledgers, when they are free. What a computed model cannot do is reorder
// requests that are made later; three rules stand for it:
//
//   - Under the open-page policy, a request to a row that its bank had open
//     within the reorder window counts as a row hit: a first-ready scheduler
//     would have served it before closing the row.
//   - The data bus loses time for turning between reads and writes, or between
//     ranks, once in a reorder window: a first-ready scheduler groups them.
//   - Activates of a rank are spaced evenly, by the larger of tRRD and tFAW/4,
//     rather than four in a row and a pause.
//
// A bank serves in the order of the calls. A refresh delays commands to its
// rank and closes the rank's rows; it does not wait for them.
type DRAM struct {
	name   string
	config DRAMConfig
	dramTimings
	where      dramMap
	controller sim.Time
	burstBytes uint64
	contiguous uint64 // low address bits that lie in one row
	closedPage bool
	rewrite    bool // a partial write reads the burst first
	channels   []dramChannel
	arrays     []arrayTraffic // by array ID + 1
}

type dramChannel struct {
	bus    *sim.Ledger
	ranks  []dramRank
	group  []*sim.Ledger // by bank group; nil if tCCDL adds nothing
	banks  []dramBank
	last   dramUse               // of the data bus
	end    sim.Time              // of the data bus's latest data
	turned [turnWindows]sim.Time // 1 + the latest reorder window with a turn, by its number modulo
	stats  DRAMStats
}

// turnWindows bounds how many reorder windows are in use at once.
const turnWindows = 64

// dramUse is what the data bus was last used for.
type dramUse struct {
	used  bool
	write bool
	rank  int
}

// dramBank is the state of a bank. Its first row is open or was last.
type dramBank struct {
	open      bool
	rows      [recentRows]dramRow
	refresh   int64    // refreshes of the rank before the latest activate
	activate  sim.Time // the next may not be earlier
	precharge sim.Time // the next may not be earlier
}

// recentRows bounds how many rows of a bank a reordering controller is taken
// to have requests for at once.
const recentRows = 4

type dramRow struct {
	used   bool
	row    uint64
	column sim.Time // no column command earlier
	last   sim.Time // latest column command
}

// NewDRAM returns idle DRAM with all rows closed. Errors name the key of c at
// fault.
func NewDRAM(name string, c DRAMConfig) (*DRAM, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("DRAM %s: %w", name, err)
	}
	d := &DRAM{
		name:        name,
		config:      c,
		dramTimings: newDRAMTimings(c),
		where:       newDRAMMap(c),
		controller:  c.ControllerLatency,
		burstBytes:  uint64(c.Burst()),
		contiguous:  contiguous(c),
		closedPage:  c.PagePolicy == "closed",
		rewrite:     c.ECC.Enabled,
		channels:    make([]dramChannel, c.Channels),
	}
	// An epoch of about two commands keeps requests apart that are. The ring is
	// longer than a bank is ever behind.
	ledger := func() *sim.Ledger { return sim.NewLedger(2*d.column, 1024) }
	for i := range d.channels {
		ch := &d.channels[i]
		ch.bus = ledger()
		ch.banks = make([]dramBank, c.Ranks*c.Banks)
		for r := range c.Ranks {
			// Refreshes are spread over the ranks of the device.
			n := sim.Time(c.Channels * c.Ranks)
			rank := dramRank{act: ledger(), phase: d.efi / n * sim.Time(i*c.Ranks+r), from: sim.Never}
			if d.efi == 0 {
				rank.from, rank.to = 0, sim.Never
			}
			ch.ranks = append(ch.ranks, rank)
		}
		if d.ccdl > d.column {
			for range c.Ranks * c.Groups {
				ch.group = append(ch.group, ledger())
			}
		}
	}
	return d, nil
}

// contiguous returns a mask of the low address bits that do not matter for the
// row: bytes of one chunk of a bank, within what is on one channel.
func contiguous(c DRAMConfig) uint64 {
	n := uint64(c.BankInterleave)
	if c.Channels > 1 {
		n |= uint64(c.Interleave)
	}
	return n&-n - 1
}

// Name returns the name given to NewDRAM.
func (d *DRAM) Name() string { return d.name }

// Config returns the description given to NewDRAM.
func (d *DRAM) Config() DRAMConfig { return d.config }

// Advance tells that no access will be made for a time before now, so that
// what lies before can be forgotten. Calling it is optional.
func (d *DRAM) Advance(now sim.Time) {
	for i := range d.channels {
		ch := &d.channels[i]
		ch.bus.Advance(now)
		for r := range ch.ranks {
			ch.ranks[r].act.Advance(now)
		}
		for _, l := range ch.group {
			l.Advance(now)
		}
	}
}

// Access performs a at time at, as whole bursts. A read or an atomic is done
// when its last data are back, a write when its last data are in. An atomic is
// a read and, when its data are there, a write.
func (d *DRAM) Access(at sim.Time, a Access) sim.Time {
	d.count(a)
	at += d.controller
	done := at
	end := a.Addr + uint64(a.Size)
	for addr := a.Addr &^ (d.burstBytes - 1); addr < end; {
		p := d.where.place(addr)
		n := d.run(addr, end)
		whole := addr >= a.Addr && addr+uint64(n)*d.burstBytes <= end
		ch := &d.channels[p.channel]
		var finish sim.Time
		switch {
		case a.Kind == Read:
			finish, _ = d.burstsAt(ch, at, &p, false, n)
		case a.Kind == Write && (whole || !d.rewrite):
			finish, _ = d.burstsAt(ch, at, &p, true, n)
		case a.Kind == Write:
			n = 1 // each burst is rewritten by itself, or is whole
			if whole := addr >= a.Addr && addr+d.burstBytes <= end; whole {
				finish, _ = d.burstsAt(ch, at, &p, true, 1)
				break
			}
			read, _ := d.burstsAt(ch, at, &p, false, 1)
			finish, _ = d.burstsAt(ch, read, &p, true, 1)
		default:
			n = 1
			finish, _ = d.burstsAt(ch, at, &p, false, 1)
			written, row := d.burstsAt(ch, finish, &p, true, 1)
			row.column = max(row.column, written+d.wtr) // the next atomic reads what this one wrote
		}
		done = max(done, finish)
		addr += uint64(n) * d.burstBytes
	}
	return done
}

// run returns how many bursts from addr on, below end, lie in the same row.
func (d *DRAM) run(addr, end uint64) int64 {
	until := min(end, addr|d.contiguous+1)
	return int64((until - addr + d.burstBytes - 1) / d.burstBytes)
}

// burstsAt performs n column commands to one row, with what they need before,
// from at on. It returns the end of their data, and the row.
func (d *DRAM) burstsAt(ch *dramChannel, at sim.Time, p *dramPlace, write bool, n int64) (sim.Time, *dramRow) {
	b := &ch.banks[p.bank]
	t, refresh := d.refreshed(at, &ch.ranks[p.rank])
	if refresh > b.refresh {
		b.open = false
		b.rows = [recentRows]dramRow{}
	}
	row := d.openRow(ch, b, p, t)
	ch.stats.RowHits += n - 1
	column := max(t, row.column)
	further := sim.Time(n - 1)
	step := d.column // between the commands
	if ch.group != nil {
		step = d.ccdl
		column = ch.group[p.group].Reserve(column, step+further*step)
	}
	latency := d.cl
	if write {
		latency = d.cwl
	}
	idle := d.turn(ch, column+latency, dramUse{true, write, p.rank})
	data := column + latency
	from := data - idle
	if idle > 0 && (d.reorder == 0 || ch.end < data+idle) {
		from = max(from, ch.end) // the last use is the neighbour in time too
	}
	earliest := data + further*step
	data = ch.bus.Reserve(from, idle+d.column+further*d.column) + idle + further*d.column
	data = max(data, earliest) // of the last command
	column, end := data-latency, data+d.burst
	ch.end = end
	row.last = max(row.last, column)
	precharge := column + d.rtp
	if write {
		precharge = end + d.wr
		ch.stats.Writes += n
	} else {
		ch.stats.Reads += n
		ch.stats.ReadTime += sim.Time(n)*(end-at) - further*(further+1)/2*step
	}
	if row == &b.rows[0] { // the others were served while they were open
		b.precharge = max(b.precharge, precharge)
	}
	if d.closedPage {
		b.open = false
		b.activate = max(b.activate, b.precharge+d.rp)
	}
	return end, row
}

// openRow returns the row of p, opened if need be.
func (d *DRAM) openRow(ch *dramChannel, b *dramBank, p *dramPlace, t sim.Time) *dramRow {
	if closed := b.rows[0].last + d.idleClose; b.open && d.idleClose > 0 && t > closed {
		b.open = false
		b.activate = max(b.activate, max(b.precharge, closed)+d.rp)
	}
	if r := &b.rows[0]; b.open && r.row == p.row {
		ch.stats.RowHits++
		return r
	}
	if d.reorder > 0 && !d.closedPage {
		for i := range b.rows {
			if r := &b.rows[i]; r.used && r.row == p.row && t <= r.last+d.reorder {
				ch.stats.RowHits++
				return r
			}
		}
	}
	act := max(t, b.activate)
	if b.open {
		ch.stats.RowConflicts++
		act = max(act, max(t, b.precharge)+d.rp)
	} else {
		ch.stats.RowMisses++
	}
	act, b.refresh = d.refreshed(act, &ch.ranks[p.rank])
	act = ch.ranks[p.rank].act.Reserve(act, d.activate)
	copy(b.rows[1:], b.rows[:recentRows-1])
	b.rows[0] = dramRow{used: true, row: p.row, column: act + d.rcd}
	b.open = true
	b.activate = act + d.rc
	b.precharge = act + d.ras
	return &b.rows[0]
}

// turn returns the time for which the data bus must idle before data, because
// of what it did last.
func (d *DRAM) turn(ch *dramChannel, data sim.Time, use dramUse) sim.Time {
	last := ch.last
	if last == use {
		return 0
	}
	ch.last = use
	if !last.used {
		return 0
	}
	if d.reorder > 0 {
		window := data/d.reorder + 1
		turned := &ch.turned[window%turnWindows]
		if *turned == window {
			return 0
		}
		*turned = window
	}
	idle := d.rtrs
	switch {
	case last.write && use.write: // of other ranks
		idle = 0
	case last.write && last.rank == use.rank:
		idle = d.wtr + d.cl
	}
	idle = min(idle, data)
	ch.stats.Turning += idle
	return idle
}

// dramRank is the state of a rank's refreshes.
type dramRank struct {
	act   *sim.Ledger
	phase sim.Time // its refresh number n begins at phase + n tREFI, from 1 on

	// The interval looked up last: refreshes is 0 before the first one.
	from, to  sim.Time
	refreshes int64
}

// refreshed returns the first time from t on at which rank r is not being
// refreshed, and how many of its refreshes began before.
func (d *DRAM) refreshed(t sim.Time, r *dramRank) (free sim.Time, refreshes int64) {
	if t < r.from || t >= r.to {
		r.refreshes = int64(max(0, t-r.phase) / d.efi)
		r.from = r.phase + sim.Time(r.refreshes)*d.efi
		r.to = r.from + d.efi
	}
	if r.refreshes > 0 && t-r.from < d.rfc {
		t = r.from + d.rfc
	}
	return t, r.refreshes
}
