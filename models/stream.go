package models

import (
	"fmt"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/arch/stream"
	"heddle/sim"
)

// StreamDescription is a machine of kind stream: multithreaded processors that
// are their own host.
type StreamDescription struct {
	Kind  string `yaml:"kind" oneof:"stream" doc:"the kind of core"`
	Title string `yaml:"title" doc:"one line for people"`
	stream.Config
	Schedule string              `yaml:"schedule" doc:"schedule of parallel loops where a run asks for none: cyclic, static, dynamic, guided or block-dynamic, with ,CHUNK after all but the first"`
	Memory   StreamMemoryConfig  `yaml:"memory" doc:"memory of the whole machine"`
	Theory   *StreamTheoryConfig `yaml:"theory" doc:"published figures of the whole machine, which the rest must imply"`
}

// StreamMemoryConfig describes the size of the memory.
type StreamMemoryConfig struct {
	PerProcessor sim.Bytes `yaml:"per_processor" range:"1 MiB..1 TiB" doc:"bytes of memory of each processor's module"`
}

// Check wants the sections to fit together.
func (s *StreamDescription) Check(fault func(key, format string, args ...any)) {
	relate(fault, "", s.Config.Validate())
	checkSchedule(fault, s.Schedule)
	relate(fault, "cache", s.Cache.Validate())
	relate(fault, "module.buffer", s.Module.Buffer.Validate())
	relate(fault, "module.dram", s.Module.DRAM.Validate())
	d := &s.Module.DRAM
	if d.Clock != 0 && !(slowest <= d.Clock && d.Clock <= fastest) {
		fault("module.dram.clock", "%s is out of range %s..%s", Format(d.Clock), Format(slowest), Format(fastest))
	}
	if d.ControllerLatency > sim.Millisecond {
		fault("module.dram.controller_latency", "%s is more than 1 ms", Format(d.ControllerLatency))
	}
	most := func(key string, n, limit int64, what string) {
		if n > limit {
			fault(key, "%d %s in all: at most %d can be simulated", n, what, limit)
		}
	}
	n := int64(s.Processors)
	most("module.buffer.size", int64(s.Module.Buffer.Size/max(s.Module.Buffer.Line, 1))*n, mostLines, "lines of buffers")
	if s.Cache.Enabled {
		most("cache.size", int64(s.Cache.Size/max(s.Cache.Line, 1))*n, mostLines, "lines of caches")
	}
	most("module.dram.bank_groups", n*int64(d.Ranks)*int64(d.Groups), 16*mostGroups, "bank groups")
	most("module.dram.banks", n*int64(d.Ranks)*int64(d.Banks), mostBanks, "banks")
}

// streamDevice runs programs on a stream machine.
type streamDevice struct {
	*stream.System
	space *mem.Space
}

func buildStream(m *Machine, d *Description, o Options) error {
	var desc StreamDescription
	if err := d.Decode(&desc); err != nil {
		return err
	}
	m.Space = mem.NewSpace(desc.Memory.PerProcessor * sim.Bytes(desc.Processors))
	s, err := stream.New(desc.Config, m.Engine, m.Space)
	if err != nil {
		return fmt.Errorf("machine %s: %w", d.Name(), err)
	}
	if o.MaxCycles > 0 {
		s.LimitCycles(o.MaxCycles)
	}
	m.device = &streamDevice{s, m.Space}
	m.schedule = desc.Schedule
	m.clock = s.Clock()
	// A serial instruction: the host's program is a stream of its own.
	m.launch = m.clock.Span(desc.Pipeline)
	return nil
}

func (d *streamDevice) check(p *isa.Program) error { return d.Check(p) }

func (d *streamDevice) run(p *isa.Program, items int, at sim.Time, args []isa.Value) (sim.Time, error) {
	return d.Run(p, items, at, args)
}

func (d *streamDevice) counts() Counts {
	n := d.Stats().Operations
	return Counts{n, n}
}

func (d *streamDevice) stop(err error) { d.Stop(err) }

func (d *streamDevice) progress() Progress {
	p := &d.Progress
	return Progress{p.Operations.Load(), sim.Time(p.Now.Load()), p.Launches.Load(), p.ThreadsDone.Load(), p.Threads.Load()}
}

func (d *streamDevice) parts() []Part {
	var parts []Part
	for name, state := range d.Parts() {
		parts = append(parts, Part{name, state})
	}
	return parts
}

func (d *streamDevice) report(r *Report, elapsed sim.Time) {
	r.Metrics = sim.NewValues(stream.Metrics)
	d.Report(r.Metrics)
	s := d.Stats()
	whole := float64(s.Resident)
	r.Threads = whole
	r.Stack = append(r.Stack, Share{"issued", float64(s.Words) / whole})
	for stall := range stream.NumStalls {
		r.Stack = append(r.Stack, Share{stall.String(), float64(s.Stalls[stall]) / whole})
	}
	kernels := d.Kernels()
	for _, k := range kernels {
		r.Lines = append(r.Lines, d.lines(k, whole)...)
	}
	for id, info := range d.space.Arrays() {
		t := d.Array(id)
		a := Array{
			Name: info.Name, Elem: info.Elem, Len: info.Len,
			Loads: t.Loads, Stores: t.Stores, Atomics: t.Atomics,
			Requests: t.Sent, Transactions: t.Sent, Requested: t.Requested, Moved: sim.Bytes(t.Sent) * 8,
			DRAMRead: t.DRAMRead, DRAMWritten: t.DRAMWritten,
		}
		if d.Config().Cache.Enabled {
			a.Levels = append(a.Levels, level("cache", t.Cache))
		}
		a.Levels = append(a.Levels, level("buffer", t.Buffer))
		r.Arrays = append(r.Arrays, a)
	}
	r.hotWords(d.space, d.HotWords(hottest), func(i int32) *isa.Program { return kernels[i].Program })
	d.units(r)
}

// lines adds up the instructions of each source line of a kernel; whole is the
// time of all streams, in cycles.
func (d *streamDevice) lines(k stream.Kernel, whole float64) []Line {
	names := d.legend()
	issues := func(pc int) uint64 { return k.Lines[pc].Issues }
	return sourceLines(k.Program, issues, names.levels, names.stack[1:], func(l *Line, pc int) {
		s := &k.Lines[pc]
		l.Lanes += s.Issues
		l.Transactions += s.Memory
		l.Requested += sim.Bytes(s.Memory) * sim.Bytes(max(k.Program.Code[pc].Type.Size(), 1))
		l.Moved += sim.Bytes(s.Memory) * 8
		l.Misses[0].N += s.Missed
		l.Issued += float64(s.Words) / whole
		for stall, t := range s.Stalls {
			l.Stalls[stall].Share += float64(t) / whole
		}
	})
}
