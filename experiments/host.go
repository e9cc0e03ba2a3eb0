package experiments

import (
	"bufio"
	"bytes"
	"fmt"
	"os"

	"heddle/models"
)

// Host is what a run cost the computer that simulated it. These figures alone
// differ between two runs of one Run.
type Host struct {
	WallSeconds           float64 `json:"wall_seconds"`      // simulating
	ProcessorSeconds      float64 `json:"processor_seconds"` // of the thread that simulated, 0 where the system does not tell
	Instructions          uint64  `json:"instructions"`      // of warps, on a SIMT machine
	InstructionsPerSecond Float   `json:"instructions_per_second"`
	EventsPerSecond       Float   `json:"events_per_second"`
	PeakRSS               int64   `json:"peak_rss_bytes"` // of the process, 0 where the system does not tell
	SetupSeconds          float64 `json:"setup_seconds"`  // building the machine, opening the graph
	CheckSeconds          float64 `json:"check_seconds"`  // checking the answer
}

// speed sets the speed of a simulation that took the given seconds.
func (h *Host) speed(seconds float64, m *models.Machine) {
	h.WallSeconds = seconds
	h.InstructionsPerSecond = Float(float64(h.Instructions) / seconds)
	h.EventsPerSecond = Float(float64(m.Engine.Events()) / seconds)
}

// peakRSS returns the most bytes of memory that the process has occupied so
// far, as Linux tells, or 0.
func peakRSS() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(status)); lines.Scan(); {
		var kibibytes int64
		if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &kibibytes); n == 1 {
			return kibibytes << 10
		}
	}
	return 0
}
