package models

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heddle/arch/isa"
	"heddle/sim"
)

// weigh returns a program whose threads walk lists of different lengths: for
// each list i it stores the sum of weight[link[j]] over the list's entries j in
// total[i], adds up all sums in all[0], and keeps the largest in all[1]. What
// it computes does not depend on the order of the threads.
func weigh() *isa.Program {
	b := isa.NewBuilder("weigh")
	row, link, weight := b.Array("row", isa.I32), b.Array("link", isa.I32), b.Array("weight", isa.F64)
	total, all := b.Array("total", isa.F64), b.Array("all", isa.I64)
	n := b.Int("n")
	b.ParallelFor(n, func(i isa.Reg) {
		sum := b.Var(0.0)
		b.For(b.Load(row, i), b.Load(row, b.Add(i, 1)), 1, func(j isa.Reg) {
			w := b.Load(weight, b.Load(link, j))
			b.If(b.Lt(1.0, w), func() { b.SetAdd(sum, sum, w) })
		})
		b.Store(total, i, sum)
		whole := b.F64ToI64(sum)
		b.FetchAdd(all, 0, whole)
		b.FetchMax(all, 1, whole)
	})
	return b.MustBuild()
}

// lists are the input of weigh, and what comes out.
type lists struct {
	row, link []int32
	weight    []float64
	total     []float64
	all       [2]int64
}

func newLists(r *rand.Rand, n, longest int) lists {
	l := lists{row: []int32{0}, weight: make([]float64, n)}
	for i := range l.weight {
		l.weight[i] = float64(r.IntN(16)) / 4 // sums are exact
	}
	for range n {
		sum := 0.0
		for range r.IntN(longest + 1) {
			k := int32(r.IntN(n))
			l.link = append(l.link, k)
			if l.weight[k] > 1 {
				sum += l.weight[k]
			}
		}
		l.row = append(l.row, int32(len(l.link)))
		l.total = append(l.total, sum)
		l.all[0] += int64(sum)
		l.all[1] = max(l.all[1], int64(sum))
	}
	return l
}

// weighed runs weigh on the machine, launches times.
func weighed(t interface{ Fatal(...any) }, m *Machine, l lists, launches int) (total []float64, all []int64) {
	try := func(a isa.Array, err error) isa.Array {
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	n := len(l.weight)
	row, link, weight := try(m.Adopt("row", l.row)), try(m.Adopt("link", l.link)), try(m.Adopt("weight", l.weight))
	sums, both := try(m.Alloc("total", isa.F64, n)), try(m.Alloc("all", isa.I64, 2))
	p := weigh()
	m.Start()
	for i := range launches {
		if i > 0 {
			if err := m.Write(both, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
		err := m.Launch(p, n, isa.Args(row, link, weight, sums, both, n)...)
		if err != nil {
			t.Fatal(err)
		}
	}
	m.Finish()
	return m.View(sums).([]float64), m.View(both).([]int64)
}

// TestMachinesAgree runs the same program on machines with and without time,
// of different warps.
func TestMachinesAgree(t *testing.T) {
	machines := [][]string{
		{"functional"}, {"functional", "warp_width=1", "block_size=1"}, {"functional", "warp_width=64", "block_size=100"},
	}
	for _, name := range gpus(t) {
		machines = append(machines, []string{name})
	}
	machines = append(machines, []string{"tesla-c2050", "warp_width=16", "sms=3", "launch.block_size=40", "scheduler.policy=gto"})
	r := rand.New(rand.NewPCG(3, 4))
	l := newLists(r, 700, 40)
	for _, set := range machines {
		m := build(t, set[0], set[1:]...)
		total, all := weighed(t, m, l, 1)
		if !slices.Equal(total, l.total) || !slices.Equal(all, l.all[:]) {
			t.Errorf("%v: a wrong answer: %v, want %v", set, all, l.all)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// TestReportAddsUp draws inputs and holds what a report says of wholes against
// what it says of their parts.
func TestReportAddsUp(t *testing.T) {
	names := gpus(t)
	for i := range 12 {
		random := rand.New(rand.NewPCG(uint64(i), 5))
		m := build(t, names[i%len(names)], "sms="+[]string{"1", "2", "14"}[i%3])
		l := newLists(random, 1+random.IntN(900), random.IntN(60))
		weighed(t, m, l, 1+i%3)
		checkReport(t, m)
	}
}

func checkReport(t *testing.T, m *Machine) {
	t.Helper()
	r := m.Report()
	metric := func(name string) float64 {
		v, ok := r.Metrics.Get(name)
		if !ok {
			t.Fatalf("no metric %s", name)
		}
		return v
	}
	equal := func(what string, got, want float64) {
		t.Helper()
		if !near(got, want) {
			t.Errorf("%s: %s: %v, want %v", m.Description.Name(), what, got, want)
		}
	}

	// Time: the stack and the lines are both all of it.
	stack, lines := 0.0, 0.0
	byReason := map[string]float64{}
	for _, s := range r.Stack {
		stack += s.Share
		if s.Share < 0 {
			t.Errorf("a share of %v of %s", s.Share, s.Name)
		}
	}
	equal("the stack", stack, 1)
	var issues, transactions, lanes uint64
	var requested, moved sim.Bytes
	for i := range r.Lines {
		line := &r.Lines[i]
		lines += line.Time()
		issues += line.Issues
		lanes += line.Lanes
		transactions += line.Transactions
		requested += line.Requested
		moved += line.Moved
		byReason["issued"] += line.Issued
		for _, s := range line.Stalls {
			byReason[s.Name] += s.Share
		}
		if i > 0 && line.Time() > r.Lines[i-1].Time() {
			t.Error("lines out of order")
		}
		if line.Source == (isa.Line{}) || len(line.Text) == 0 {
			t.Errorf("a line without source: %+v", line)
		}
	}
	equal("the lines", lines, 1)
	for _, s := range r.Stack {
		equal("the lines' "+s.Name, byReason[s.Name], s.Share)
	}
	equal("instructions of the lines", float64(issues), metric("inst_executed"))
	equal("thread instructions of the lines", float64(lanes), metric("thread_inst_executed"))
	if r.Counts != (Counts{issues, lanes}) {
		t.Errorf("counts %+v", r.Counts)
	}
	var launched Counts
	for _, l := range m.Launches {
		launched.Instructions += l.Instructions
		launched.ThreadInstructions += l.ThreadInstructions
	}
	if launched != r.Counts {
		t.Errorf("launches ran %+v of %+v", launched, r.Counts)
	}

	// Traffic: arrays and lines are both all of it.
	var a Array
	var bytes sim.Bytes
	for _, x := range r.Arrays {
		a.Requests += x.Requests
		a.Transactions += x.Transactions
		a.Requested += x.Requested
		a.Moved += x.Moved
		a.DRAMRead += x.DRAMRead
		a.DRAMWritten += x.DRAMWritten
		bytes += sim.Bytes(x.Len * x.Elem.Size())
		a.Levels = append(a.Levels, x.Levels...)
	}
	equal("transactions of the arrays", float64(a.Transactions), float64(transactions))
	equal("requested by the arrays", float64(a.Requested), float64(requested))
	equal("moved by the arrays", float64(a.Moved), float64(moved))
	equal("requests of the arrays", float64(a.Requests), metric("gld_request")+metric("gst_request")+metric("atomic_request"))
	equal("transactions by class", float64(a.Transactions),
		metric("gld_transactions")+metric("gst_transactions")+metric("atomic_transactions"))
	if r.Memory != bytes {
		t.Errorf("memory of %d, arrays of %d bytes", r.Memory, bytes)
	}
	accesses := map[string]int64{}
	for _, l := range a.Levels {
		accesses[l.Name] += l.Accesses
		if l.Hits > l.Accesses {
			t.Errorf("%d hits among %d", l.Hits, l.Accesses)
		}
	}
	equal("L2 accesses of the arrays", float64(accesses["l2"]), metric("l2_reads")+metric("l2_writes")+metric("l2_atomics"))
	// DRAM moves whole bursts, so at least what the arrays asked for.
	if float64(a.DRAMRead) > metric("dram_read_bytes") || float64(a.DRAMWritten) > metric("dram_write_bytes") {
		t.Errorf("arrays have %d and %d bytes of DRAM traffic of %v and %v", a.DRAMRead, a.DRAMWritten,
			metric("dram_read_bytes"), metric("dram_write_bytes"))
	}
	if err := r.Metrics.Err(); err != nil {
		t.Error(err)
	}
	if missing := r.Metrics.Missing(); len(missing) > 0 {
		t.Errorf("not set: %v", missing)
	}
}

// TestHotWords: every thread adds to all[0] and raises all[1].
func TestHotWords(t *testing.T) {
	m := build(t, "tesla-c2050")
	weighed(t, m, newLists(rand.New(rand.NewPCG(6, 7)), 500, 10), 1)
	hot := m.Report().HotWords
	if len(hot) != 2 || hot[0].Atomics != 500 || hot[1].Atomics != 500 {
		t.Fatalf("%+v", hot)
	}
	if places := []string{hot[0].Place, hot[1].Place}; !slices.Contains(places, "all[0]") || !slices.Contains(places, "all[1]") {
		t.Errorf("%v", places)
	}
}

// TestReportOfNothing: a machine that has run nothing reports no shares.
func TestReportOfNothing(t *testing.T) {
	for _, name := range Names(Library) {
		m := build(t, name)
		take[isa.Array](t)(m.Alloc("unused", isa.I8, 10))
		m.Start()
		m.Finish()
		r := m.Report()
		if len(r.Stack) != 0 || len(r.Lines) != 0 || r.Elapsed != 0 || r.Memory != 10 || r.Metrics.Err() != nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestSameRunSameReport runs one program twice on machines of their own.
func TestSameRunSameReport(t *testing.T) {
	text := func() string {
		m := build(t, "tesla-c2050")
		weighed(t, m, newLists(rand.New(rand.NewPCG(8, 9)), 800, 30), 2)
		r := m.Report()
		metrics, err := r.Metrics.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		return string(metrics) + describe(r.Stack, r.Lines, r.Arrays, r.HotWords, r.Elapsed)
	}
	first := text()
	if text() != first {
		t.Error("two runs differ")
	}
}
