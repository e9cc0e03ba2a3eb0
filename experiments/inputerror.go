package experiments

import "fmt"

// InputError is a fault of what the user gave: a name, a value, a file, or
// things that do not go together. Nothing has been run.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns the fault itself.
func (e *InputError) Unwrap() error { return e.Err }

func badInput(format string, args ...any) error {
	return &InputError{fmt.Errorf(format, args...)}
}
