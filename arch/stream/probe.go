package stream

import (
	"heddle/arch/mem"
	"heddle/sim"
)

// Watch gives the machine a probe, before it runs.
func (sys *System) Watch(p sim.Probe) { sys.probe = p }

// States names what a probe is told that streams do.
func States() []string { return append([]string{"issued"}, stallNames[:]...) }

// context returns the place of a stream.
func (sys *System) context(s *stream) sim.Context {
	n := int32(sys.config.Launch.Streams)
	return sim.Context{Core: s.number / n, Slot: s.number % n}
}

// showIssue tells the probe that a stream issues at a cycle, and is in the
// pipeline then.
func (sys *System) showIssue(s *stream, cycle int64) {
	c, pc := sys.context(s), int32(s.pc)
	then := sys.timeOf(cycle + 1)
	sys.probe.Spent(c, 0, pc, sys.timeOf(cycle), then, 1)
	sys.probe.Spent(c, 1+int(Pipeline), pc, then, sys.timeOf(s.since), 0)
}

// showStall tells the probe what a stream did since its time was last
// accounted for.
func (sys *System) showStall(s *stream, cycle int64, why Stall, blame uint16) {
	sys.probe.Spent(sys.context(s), 1+int(why), int32(blame), sys.timeOf(s.since), sys.timeOf(cycle), 0)
}

// showMemory tells the probe of a memory operation.
func (sys *System) showMemory(s *stream, w *word, a mem.Access, from, to sim.Time, level string) {
	c, kind := sys.context(s), sim.AccessKind(a.Kind)
	sys.probe.Request(&sim.Request{
		Context: c, PC: int32(w.pc), Kind: kind, Array: a.Array, Size: a.Size, Addr: a.Addr, From: from, To: to, Level: level,
	})
	sys.probe.Access(&sim.Access{
		Context: c, Kind: kind, Array: a.Array, Size: a.Size, Thread: s.thread.Number(), Lanes: 1, Addr: []uint64{a.Addr}, From: from, To: to,
	})
}

// holder names the level of memory that has the data of an operation.
func (p *processor) holder(w *word, a mem.Access) string {
	if p.cache != nil && w.class == reads {
		if held, _ := p.cache.Holds(a.Addr); held {
			return "cache"
		}
	}
	m := p.system.memory
	node, local := m.locate(a.Addr)
	if held, _ := m.modules[node].buffer.Holds(local); held {
		return "buffer"
	}
	return "DRAM"
}

// DRAMBytes returns the bytes that DRAM has read and written.
func (sys *System) DRAMBytes() sim.Bytes {
	var s mem.DRAMStats
	for i := range sys.memory.modules {
		s.Add(sys.memory.modules[i].dram.Stats())
	}
	return s.Bytes
}
