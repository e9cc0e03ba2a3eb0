package mem

import (
	"errors"
	"fmt"

	"heddle/sim"
)

// DRAMConfig describes the DRAM of a device: channels of equal shape, each
// with its controller. Timings have the names of the JEDEC standards and are
// in cycles of the command clock.
//
// Addresses go round the channels, Interleave bytes to each; within a channel
// BankInterleave bytes lie in one bank, the next ones in the next bank group,
// and so on through the row, then the banks of a group, the ranks and the rows.
// With BankInterleave = RowBytes a row is contiguous within its channel.
type DRAMConfig struct {
	Clock    sim.Frequency `yaml:"clock" doc:"command clock"`
	Channels int           `yaml:"channels" range:"1..1024" doc:"independent data buses"`
	Ranks    int           `yaml:"ranks" range:"1..16" doc:"ranks of a channel"`
	Banks    int           `yaml:"banks" range:"1..256" doc:"banks of a rank; a power of two"`
	Groups   int           `yaml:"bank_groups" range:"1..64" doc:"bank groups of a rank; divides banks"`
	RowBytes sim.Bytes     `yaml:"row" range:"64 B..65536 B" doc:"open row of a bank, over the chips of a channel"`

	Interleave     sim.Bytes `yaml:"interleave" range:"8 B..1073741824 B" doc:"adjacent bytes on one channel; a multiple of a burst"`
	BankInterleave sim.Bytes `yaml:"bank_interleave" range:"8 B..65536 B" doc:"adjacent bytes of a channel in one bank; divides row, a multiple of a burst"`
	ChannelHash    bool      `yaml:"channel_hash" doc:"the channel depends on all address bits above it, against strided access"`
	BankHash       bool      `yaml:"bank_hash" doc:"the bank's number is xored with low bits of the row's, against row conflicts"`

	BusBytes    sim.Bytes `yaml:"bus" range:"1 B..256 B" doc:"width of a channel's data bus"`
	BurstLength int       `yaml:"burst_length" range:"1..64" doc:"transfers of a column command"`
	DataRate    int       `yaml:"data_rate" range:"1..16" doc:"transfers a command clock: 2 for DDR, 4 for GDDR5; divides burst_length"`

	TRCD  sim.Cycles `yaml:"tRCD" range:"0 cycles..1000 cycles" doc:"activate to column command"`
	TRP   sim.Cycles `yaml:"tRP" range:"0 cycles..1000 cycles" doc:"precharge to activate"`
	TCL   sim.Cycles `yaml:"tCL" range:"0 cycles..1000 cycles" doc:"read command to data"`
	TCWL  sim.Cycles `yaml:"tCWL" range:"0 cycles..1000 cycles" doc:"write command to data"`
	TRAS  sim.Cycles `yaml:"tRAS" range:"0 cycles..1000 cycles" doc:"activate to precharge"`
	TRC   sim.Cycles `yaml:"tRC" range:"0 cycles..1000 cycles" doc:"activate to activate of one bank"`
	TCCD  sim.Cycles `yaml:"tCCD" range:"0 cycles..1000 cycles" doc:"between column commands of a channel"`
	TCCDL sim.Cycles `yaml:"tCCDL" range:"0 cycles..1000 cycles" doc:"between column commands to one bank group"`
	TRRD  sim.Cycles `yaml:"tRRD" range:"0 cycles..1000 cycles" doc:"between activates of a rank"`
	TFAW  sim.Cycles `yaml:"tFAW" range:"0 cycles..1000 cycles" doc:"a rank activates at most four rows in this time; 0: no limit"`
	TWR   sim.Cycles `yaml:"tWR" range:"0 cycles..1000 cycles" doc:"end of write data to precharge"`
	TWTR  sim.Cycles `yaml:"tWTR" range:"0 cycles..1000 cycles" doc:"end of write data to read command of a rank"`
	TRTP  sim.Cycles `yaml:"tRTP" range:"0 cycles..1000 cycles" doc:"read command to precharge"`
	TRTRS sim.Cycles `yaml:"tRTRS" range:"0 cycles..1000 cycles" doc:"idle data bus between ranks, and from read to write"`
	TRFC  sim.Cycles `yaml:"tRFC" range:"0 cycles..100000 cycles" doc:"a refresh keeps its rank busy"`
	TREFI sim.Cycles `yaml:"tREFI" range:"0 cycles..1000000 cycles" doc:"between refreshes of a rank; 0: never refreshed"`

	PagePolicy        string     `yaml:"page_policy" oneof:"open closed" doc:"a row stays open after an access, or is precharged at once"`
	IdleClose         sim.Cycles `yaml:"idle_close" range:"0 cycles..100000 cycles" optional:"true" doc:"with page_policy open, a row that has not been used for so long is precharged; at least reorder; 0 or absent: never"`
	Reorder           sim.Cycles `yaml:"reorder" range:"0 cycles..100000 cycles" doc:"how far the controller looks for requests to serve together; 0: first come, first served"`
	ControllerLatency sim.Time   `yaml:"controller_latency" doc:"of a request through the controller and back, without DRAM"`
	ECC               ECCConfig  `yaml:"ecc"`
}

// ECCConfig describes check bits that are kept in the DRAM itself, as on GDDR5
// boards, and so take its bandwidth.
type ECCConfig struct {
	Enabled  bool    `yaml:"enabled" doc:"check bits are read and written with the data"`
	Overhead float64 `yaml:"overhead" range:"0..1" doc:"bus time of the check bits over that of the data"`
}

// Burst returns the bytes that one column command moves.
func (c DRAMConfig) Burst() sim.Bytes { return c.BusBytes * sim.Bytes(c.BurstLength) }

// Peak returns the bandwidth of all data buses: channels x bus x data rate x
// clock.
func (c DRAMConfig) Peak() sim.Bandwidth {
	return sim.Bandwidth(float64(c.Channels) * float64(c.BusBytes) * float64(c.DataRate) * float64(c.Clock))
}

// Unloaded returns the time of a read of one burst from an idle channel whose
// bank is closed.
func (c DRAMConfig) Unloaded() sim.Time {
	t := newDRAMTimings(c)
	return c.ControllerLatency + t.rcd + t.cl + t.burst
}

// Validate returns what relates wrongly in c, one error a fault, each of which
// begins with the key at fault.
func (c DRAMConfig) Validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	positive := true
	for _, f := range []struct {
		key   string
		value int64
	}{{"channels", int64(c.Channels)}, {"ranks", int64(c.Ranks)}, {"banks", int64(c.Banks)},
		{"bank_groups", int64(c.Groups)}, {"row", int64(c.RowBytes)}, {"interleave", int64(c.Interleave)},
		{"bank_interleave", int64(c.BankInterleave)}, {"bus", int64(c.BusBytes)},
		{"burst_length", int64(c.BurstLength)}, {"data_rate", int64(c.DataRate)}} {
		if f.value < 1 {
			fault("%s: %d is less than 1", f.key, f.value)
			positive = false
		}
	}
	if !(c.Clock > 0) {
		fault("clock: %g Hz is not positive", float64(c.Clock))
	}
	for _, f := range []struct {
		key   string
		value sim.Cycles
	}{{"tRCD", c.TRCD}, {"tRP", c.TRP}, {"tCL", c.TCL}, {"tCWL", c.TCWL}, {"tRAS", c.TRAS}, {"tRC", c.TRC},
		{"tCCD", c.TCCD}, {"tCCDL", c.TCCDL}, {"tRRD", c.TRRD}, {"tFAW", c.TFAW}, {"tWR", c.TWR},
		{"tWTR", c.TWTR}, {"tRTP", c.TRTP}, {"tRTRS", c.TRTRS}, {"tRFC", c.TRFC}, {"tREFI", c.TREFI},
		{"reorder", c.Reorder}, {"idle_close", c.IdleClose}} {
		if f.value < 0 {
			fault("%s: %d is negative", f.key, f.value)
		}
	}
	if c.ControllerLatency < 0 {
		fault("controller_latency: %d fs is negative", c.ControllerLatency)
	}
	if c.IdleClose > 0 && c.IdleClose < c.Reorder {
		fault("idle_close: %d cycles are fewer than reorder (%d)", c.IdleClose, c.Reorder)
	}
	if c.TREFI > 0 && c.TRFC >= c.TREFI {
		fault("tRFC: %d cycles is not less than tREFI (%d)", c.TRFC, c.TREFI)
	}
	if !(c.ECC.Overhead >= 0 && c.ECC.Overhead <= 1) {
		fault("ecc.overhead: %g is not in 0..1", c.ECC.Overhead)
	}
	if err := oneOf("page_policy", c.PagePolicy, "open", "closed"); err != nil {
		errs = append(errs, err)
	}
	if positive {
		burst := c.Burst()
		if !powerOfTwo(int64(burst)) {
			fault("burst_length: a burst of %d bytes is not a power of two", burst)
		}
		if c.BurstLength%c.DataRate != 0 {
			fault("burst_length: %d is not a multiple of data_rate (%d)", c.BurstLength, c.DataRate)
		}
		if !powerOfTwo(int64(c.Banks)) {
			fault("banks: %d is not a power of two", c.Banks)
		}
		if c.Banks%c.Groups != 0 {
			fault("bank_groups: %d does not divide banks (%d)", c.Groups, c.Banks)
		}
		if c.Interleave%burst != 0 {
			fault("interleave: %d bytes is not a multiple of a burst (%d bytes)", c.Interleave, burst)
		}
		if c.BankInterleave%burst != 0 || c.RowBytes%c.BankInterleave != 0 {
			fault("bank_interleave: %d bytes is not a multiple of a burst (%d bytes) that divides row (%d bytes)",
				c.BankInterleave, burst, c.RowBytes)
		}
	}
	return errors.Join(errs...)
}
