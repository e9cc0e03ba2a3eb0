// Package traces writes down what machines do: timelines for viewers, and the
// memory accesses of a run, to be replayed on another machine.
package traces
