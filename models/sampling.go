package models

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"

	"heddle/arch/simt"
	"heddle/sim"
)

// Sampling tells how the time of a sampled run was estimated.
type Sampling struct {
	Windows   int      // simulated in detail
	Detailed  float64  // share of the instructions that were
	Low, High sim.Time // bounds of the run's time at a confidence of 95 %
}

// sample makes the machine sample its launches.
func (m *Machine) sample() error {
	g, ok := m.device.(*gpuDevice)
	if !ok {
		return fmt.Errorf("machine %s cannot be sampled: only GPUs can", m.Description.Name())
	}
	g.SampleLaunches(simt.DefaultSampling)
	return nil
}

// sampling returns how the elapsed time was estimated, nil if the GPU did not
// sample. The interval is Student's: the windows are few.
func (d *gpuDevice) sampling(elapsed sim.Time) *Sampling {
	s := d.Sampled()
	if s == nil {
		return nil
	}
	detailed := float64(d.Stats().Instructions)
	deviation, freedom := s.Deviation()
	t := distuv.StudentsT{Sigma: 1, Nu: freedom}
	half := sim.Time(t.Quantile(0.975) * float64(deviation))
	return &Sampling{
		Windows: s.Windows, Detailed: detailed / (detailed + float64(s.Executed.Instructions)),
		Low: max(0, elapsed-half), High: elapsed + half,
	}
}
