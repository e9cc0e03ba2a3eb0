package mem

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	akitadram "github.com/sarchlab/akita/v3/mem/dram"
	akitamem "github.com/sarchlab/akita/v3/mem/mem"
	akita "github.com/sarchlab/akita/v3/sim"

	"heddle/sim"
)

// traffic is a stream of bursts, with a bound on how many are outstanding.
type traffic struct {
	requests    []Access
	outstanding int
}

// outcome is how a memory took a load.
type outcome struct {
	latency float64 // mean, in cycles
	total   float64 // from the first request to the last answer, in cycles
}

// akitaAgent sends a load to akita's controller, one request a cycle at most.
type akitaAgent struct {
	*akita.TickingComponent
	port    akita.Port
	memory  akita.Port
	load    traffic
	next    int
	sent    map[string]akita.VTimeInSec
	latency akita.VTimeInSec
	end     akita.VTimeInSec
}

func (a *akitaAgent) Tick(now akita.VTimeInSec) bool {
	progress := false
	for msg := a.port.Retrieve(now); msg != nil; msg = a.port.Retrieve(now) {
		id := msg.(akitamem.AccessRsp).GetRspTo()
		a.latency += now - a.sent[id]
		a.end = now
		delete(a.sent, id)
		progress = true
	}
	if a.next == len(a.load.requests) || len(a.sent) >= a.load.outstanding {
		return progress
	}
	r := a.load.requests[a.next]
	var msg akita.Msg
	if r.Kind == Write {
		msg = akitamem.WriteReqBuilder{}.WithSrc(a.port).WithDst(a.memory).WithSendTime(now).
			WithAddress(r.Addr).WithData(make([]byte, r.Size)).Build()
	} else {
		msg = akitamem.ReadReqBuilder{}.WithSrc(a.port).WithDst(a.memory).WithSendTime(now).
			WithAddress(r.Addr).WithByteSize(uint64(r.Size)).Build()
	}
	if a.port.Send(msg) == nil {
		a.sent[msg.Meta().ID] = now
		a.next++
		progress = true
	}
	return progress
}

// onAkita runs a load on akita's DRAM controller (closed page, first ready) with
// the timings of c and a command queue of the given length a rank.
func onAkita(t testing.TB, c DRAMConfig, queue int, l traffic) outcome {
	t.Helper()
	engine := akita.NewSerialEngine()
	freq := akita.Freq(c.Clock)
	memory := akitadram.MakeBuilder().WithEngine(engine).WithFreq(freq).WithProtocol(akitadram.DDR3).
		WithBusWidth(int(8 * c.BusBytes)).WithBurstLength(c.BurstLength).WithDeviceWidth(8).
		WithNumChannel(1).WithNumRank(c.Ranks).WithNumBankGroup(c.Groups).WithNumBank(c.Banks / c.Groups).
		WithNumRow(1 << 15).WithNumCol(int(c.RowBytes / c.BusBytes)).
		WithTransactionQueueSize(64).WithCommandQueueSize(queue).
		WithTCL(int(c.TCL)).WithTCWL(int(c.TCWL)).WithTRCD(int(c.TRCD)).WithTRP(int(c.TRP)).
		WithTRAS(int(c.TRAS)).WithTCCDS(int(c.TCCD)).WithTCCDL(int(c.TCCDL)).WithTRTRS(int(c.TRTRS)).
		WithTRTP(int(c.TRTP)).WithTWTRS(int(c.TWTR)).WithTWTRL(int(c.TWTR)).WithTWR(int(c.TWR)).
		WithTRRDS(int(c.TRRD)).WithTRRDL(int(c.TRRD)).
		Build("Mem")
	agent := &akitaAgent{load: l, sent: map[string]akita.VTimeInSec{}, memory: memory.GetPortByName("Top")}
	agent.TickingComponent = akita.NewTickingComponent("Agent", engine, freq, agent)
	agent.port = akita.NewLimitNumMsgPort(agent, 64, "Agent.Mem")
	agent.AddPort("Mem", agent.port)
	conn := akita.NewDirectConnection("Conn", engine, freq)
	conn.PlugIn(agent.port, 64)
	conn.PlugIn(agent.memory, 64)
	agent.TickLater(0)
	if err := engine.Run(); err != nil {
		t.Fatal(err)
	}
	if agent.next != len(l.requests) || len(agent.sent) != 0 {
		t.Fatalf("akita answered %d of %d requests", agent.next-len(agent.sent), len(l.requests))
	}
	clock := float64(c.Clock)
	return outcome{
		latency: float64(agent.latency) * clock / float64(len(l.requests)),
		total:   float64(agent.end)*clock - 1, // the first request leaves in cycle 1
	}
}

// onOurs runs a load on DRAM as akitaAgent does.
func onOurs(t testing.TB, c DRAMConfig, l traffic) outcome {
	t.Helper()
	d := mustDRAM(t, c)
	k := sim.NewClock(c.Clock).Period
	var at, latency, end sim.Time
	var outstanding []sim.Time
	for _, r := range l.requests {
		if len(outstanding) == l.outstanding {
			i := slices.Index(outstanding, slices.Min(outstanding))
			at = max(at, outstanding[i])
			outstanding = slices.Delete(outstanding, i, i+1)
		}
		done := d.Access(at, r)
		outstanding = append(outstanding, done)
		latency += done - at
		end = max(end, done)
		at += k
	}
	return outcome{
		latency: float64(latency) / float64(k) / float64(len(l.requests)),
		total:   float64(end) / float64(k),
	}
}

// akitaCase is one microbenchmark of both.
type akitaCase struct {
	pattern     string
	ranks       int
	outstanding int
	queue       int
	set         func(*DRAMConfig)
}

func (c akitaCase) String() string {
	return fmt.Sprintf("%s, %d ranks, %d outstanding", c.pattern, c.ranks, c.outstanding)
}

// patterns are the addresses and kinds of the i-th request; x is random.
var patterns = map[string]func(i, x uint64) Access{
	"one row":         func(i, x uint64) Access { return Access{Addr: i % 128 * 64} },
	"stream":          func(i, x uint64) Access { return Access{Addr: i * 64} },
	"conflicts":       func(i, x uint64) Access { return Access{Addr: inBank(0, i)} },
	"banks in turn":   func(i, x uint64) Access { return Access{Addr: i * 8192} },
	"random":          func(i, x uint64) Access { return Access{Addr: x >> 34 &^ 63} },
	"writes to a row": func(i, x uint64) Access { return Access{Addr: i % 128 * 64, Kind: Write} },
	"writes in turn":  func(i, x uint64) Access { return Access{Addr: i * 8192, Kind: Write} },
	"random writes":   func(i, x uint64) Access { return Access{Addr: x >> 34 &^ 63, Kind: Write} },
	"random mixed":    func(i, x uint64) Access { return Access{Addr: x >> 34 &^ 63, Kind: Kind(x >> 33 & 1)} },
}

func akitaCases() []akitaCase {
	var list []akitaCase
	for _, p := range slices.Sorted(maps.Keys(patterns)) {
		for _, n := range []int{1, 8, 32} {
			list = append(list, akitaCase{p, 1, n, 64, nil})
		}
		list = append(list, akitaCase{p, 2, 32, 64, nil})
	}
	return append(list,
		akitaCase{"random", 1, 32, 8, nil},
		akitaCase{"banks in turn", 1, 1, 64, func(c *DRAMConfig) { c.TRP = 10 }},
	)
}

// Bounds on how far ours may be from akita's.
const (
	latencyBound   = 0.10 // of one request at a time
	bandwidthBound = 0.10
)

// TestDRAMAgainstAkita holds our computed DRAM against akita's, which moves
// commands cycle by cycle. Where they differ by more than the bounds, the case
// is registered in deviations, with how far; a registered case that no longer
// differs so far fails too.
func TestDRAMAgainstAkita(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates every cycle")
	}
	seen := map[string]bool{}
	for _, c := range akitaCases() {
		cfg := ddr3()
		cfg.Ranks, cfg.PagePolicy, cfg.TFAW = c.ranks, "closed", 0
		// akita completes a read tRP after its command, so tRP = tCL + burst.
		cfg.TRP = cfg.TCL + 4
		cfg.ControllerLatency = 5 * cycle // akita's queues, ports and connection
		cfg.Reorder = 16
		name := c.String()
		if c.queue < 64 {
			name += ", queue of 8"
		}
		if c.set != nil {
			c.set(&cfg)
			name += ", tRP 10"
		}
		cfg.TRC = cfg.TRAS + cfg.TRP
		l := traffic{outstanding: c.outstanding}
		x := uint64(1)
		for i := range uint64(200) {
			x = x*6364136223846793005 + 1442695040888963407
			a := patterns[c.pattern](i, x)
			a.Size = 64
			l.requests = append(l.requests, a)
		}
		ref, ours := onAkita(t, cfg, c.queue, l), onOurs(t, cfg, l)
		gap, bound, what := ref.total/ours.total-1, bandwidthBound, "bandwidth"
		if c.outstanding == 1 {
			gap, bound, what = ours.latency/ref.latency-1, latencyBound, "latency"
		}
		t.Logf("%-50s latency %7.1f, akita %7.1f; cycles a burst %6.2f, akita %6.2f; %s %+.1f%%", name,
			ours.latency, ref.latency, ours.total/200, ref.total/200, what, 100*gap)
		known, registered := deviations[name]
		seen[name] = true
		switch {
		case !registered && math.Abs(gap) > bound:
			t.Errorf("%s: %s is %+.1f%% off akita's, over %.0f%%", name, what, 100*gap, 100*bound)
		case registered && math.Abs(gap) <= bound:
			t.Errorf("%s: %s is within %.0f%% of akita's now: strike it from the deviations", name, what, 100*bound)
		case registered && math.Abs(gap-known.gap) > 0.01:
			t.Errorf("%s: %s is %+.1f%% off akita's, registered as %+.1f%%", name, what, 100*gap, 100*known.gap)
		}
	}
	for name := range deviations {
		if !seen[name] {
			t.Errorf("deviation %q names no case", name)
		}
	}
}
