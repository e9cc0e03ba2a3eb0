package mem

import "heddle/sim"

// DRAMStats counts what a channel, or all of them, did. Always RowHits +
// RowMisses + RowConflicts = Reads + Writes, each of which is one burst.
type DRAMStats struct {
	Reads  int64
	Writes int64

	RowHits      int64 // the row was open, or had been within the reorder window
	RowMisses    int64 // the bank was closed
	RowConflicts int64 // another row was open

	ReadTime sim.Time  // sum over read bursts, from leaving the controller to the end of data
	Turning  sim.Time  // data bus idle between reads and writes or between ranks
	Busy     sim.Time  // data bus moving data and check bits; added up over channels
	Bytes    sim.Bytes // moved, in whole bursts, without check bits
}

// Bandwidth returns the bytes moved over elapsed, 0 if that is 0.
func (s DRAMStats) Bandwidth(elapsed sim.Time) sim.Bandwidth {
	if elapsed <= 0 {
		return 0
	}
	return sim.Bandwidth(float64(s.Bytes) / elapsed.Seconds())
}

// arrayTraffic is what the accesses to one array asked for.
type arrayTraffic struct{ read, written sim.Bytes }

// Channels returns the number of channels.
func (d *DRAM) Channels() int { return len(d.channels) }

// Channel returns the counts of one channel.
func (d *DRAM) Channel(i int) DRAMStats {
	s := d.channels[i].stats
	s.Busy = sim.Time(s.Reads+s.Writes) * d.burst
	s.Bytes = sim.Bytes(uint64(s.Reads+s.Writes) * d.burstBytes)
	return s
}

// Stats returns the sum over channels.
func (d *DRAM) Stats() DRAMStats {
	var sum DRAMStats
	for i := range d.channels {
		sum.Add(d.Channel(i))
	}
	return sum
}

// Add adds the counts of another channel.
func (s *DRAMStats) Add(o DRAMStats) {
	s.Reads += o.Reads
	s.Writes += o.Writes
	s.RowHits += o.RowHits
	s.RowMisses += o.RowMisses
	s.RowConflicts += o.RowConflicts
	s.ReadTime += o.ReadTime
	s.Turning += o.Turning
	s.Busy += o.Busy
	s.Bytes += o.Bytes
}

// ArrayBytes returns the bytes that accesses to the array of the given ID, -1
// for those outside all arrays, asked to read and to write. An atomic does
// both. Bursts move whole, so the sum over arrays is at most Stats().Bytes.
func (d *DRAM) ArrayBytes(id int) (read, written sim.Bytes) {
	if id < -1 || id+1 >= len(d.arrays) {
		return 0, 0
	}
	return d.arrays[id+1].read, d.arrays[id+1].written
}

func (d *DRAM) count(a Access) {
	for int(a.Array)+1 >= len(d.arrays) {
		d.arrays = append(d.arrays, arrayTraffic{})
	}
	t := &d.arrays[a.Array+1]
	if a.Kind != Write {
		t.read += sim.Bytes(a.Size)
	}
	if a.Kind != Read {
		t.written += sim.Bytes(a.Size)
	}
}
