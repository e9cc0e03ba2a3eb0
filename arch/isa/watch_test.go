package isa

import (
	"errors"
	"testing"
)

// endless returns a launch whose threads never end.
func endless() *Launch {
	b := NewBuilder("endless")
	b.Loop(func() { b.BreakIf(b.Var(0)) })
	return NewLaunch(b.MustBuild(), nil, 4, 16, 8, nil)
}

func TestWatchEndsARun(t *testing.T) {
	stop := errors.New("enough")
	var seen []Work
	work, err := RunFunctionalUntil(endless(), 0, func(w Work) error {
		seen = append(seen, w)
		if len(seen) == 3 {
			return stop
		}
		return nil
	})
	if err != stop || len(seen) != 3 || work != seen[2] {
		t.Fatalf("%v after %v, then %v", err, seen, work)
	}
	var last uint64
	for _, w := range seen {
		// A turn may end this much after the watch was due.
		if d := w.Instructions - last; d < watchInterval || d >= watchInterval+turnLength {
			t.Errorf("%d instructions between two calls", d)
		}
		last = w.Instructions
	}
}

func TestWatchLeavesShortRunsAlone(t *testing.T) {
	b := NewBuilder("short")
	b.Var(0)
	l := NewLaunch(b.MustBuild(), nil, 4, 16, 8, nil)
	_, err := RunFunctionalUntil(l, 0, func(Work) error { return errors.New("called") })
	if err != nil {
		t.Error(err)
	}
}

func TestLimitComesBeforeTheWatch(t *testing.T) {
	work, err := RunFunctionalUntil(endless(), watchInterval/2, func(Work) error { t.Error("watched"); return nil })
	if err == nil || work.Instructions != watchInterval/2 {
		t.Errorf("%d instructions, %v", work.Instructions, err)
	}
}
