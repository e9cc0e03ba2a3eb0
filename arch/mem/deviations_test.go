package mem

// deviation is a case in which ours differs from the reference by more than
// the bounds allow.
type deviation struct {
	gap    float64 // ours over the reference, less 1
	reason string
}

// deviations registers them for TestDRAMAgainstAkita.
var deviations = map[string]deviation{
	"writes in turn, 1 ranks, 1 outstanding": {-0.10, "akita takes a write for done when its bank is precharged (tRP), as a read; " +
		"ours when its data are in (tCWL + burst)"},
	"banks in turn, 1 ranks, 1 outstanding, tRP 10": {0.16, "akita takes a read for done when its bank is precharged (tRP); " +
		"ours when its data are out (tCL + burst)"},
	"random, 1 ranks, 32 outstanding, queue of 8": {0.117, "akita's command queue is set to 8 commands a rank, which keeps those " +
		"for idle banks waiting; ours has no end"},
}
