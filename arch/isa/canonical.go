package isa

import "slices"

// canonical numbers constants, operand lists, source lines and regions of a
// verified program in the order in which its text first uses them, and drops
// those that it does not use, so that a program and its text say the same.
func canonical(p *Program) {
	c := collector{p: p, consts: map[Const]int{}, lines: map[Line]int32{}, regions: map[string]int64{}}
	for pc := range p.Code {
		in := &p.Code[pc]
		c.line(in)
		switch in.Op {
		case OpCall, OpRet:
			l := p.Calls[in.Off]
			l.Args, l.Results = slices.Clone(l.Args), slices.Clone(l.Results)
			for i := range l.Args {
				c.reg(&l.Args[i])
			}
			in.Off = int64(len(c.calls))
			c.calls = append(c.calls, l)
		case OpRegionBegin, OpRegionEnd:
			c.region(in)
		}
		for _, r := range []*Reg{&in.A, &in.B, &in.C, &in.E} {
			c.reg(r)
		}
	}
	p.Consts, p.Calls, p.Lines, p.Regions = c.newConsts, c.calls, c.newLines, c.newRegions
}

// collector gathers what the text uses, in its order.
type collector struct {
	p          *Program
	consts     map[Const]int
	newConsts  []Const
	lines      map[Line]int32
	newLines   []Line
	regions    map[string]int64
	newRegions []string
	calls      []Call
}

// reg renumbers *r if it is a constant.
func (c *collector) reg(r *Reg) {
	first := c.p.ConstReg(0)
	if *r>>bankShift != sharedBank>>bankShift || *r < first {
		return
	}
	k := c.p.Consts[*r-first]
	i, ok := c.consts[k]
	if !ok {
		i = len(c.newConsts)
		c.consts[k] = i
		c.newConsts = append(c.newConsts, k)
	}
	*r = c.p.ConstReg(i)
}

func (c *collector) line(in *Inst) {
	l := c.p.Lines[in.Line]
	i, ok := c.lines[l]
	if !ok {
		i = int32(len(c.newLines))
		c.lines[l] = i
		c.newLines = append(c.newLines, l)
	}
	in.Line = i
}

func (c *collector) region(in *Inst) {
	name := c.p.Regions[in.Off]
	i, ok := c.regions[name]
	if !ok {
		i = int64(len(c.newRegions))
		c.regions[name] = i
		c.newRegions = append(c.newRegions, name)
	}
	in.Off = i
}
