package htmlreport

import (
	"cmp"
	"maps"
	"slices"

	"heddle/experiments/study"
)

// mostLaunches is how many launches a page has in its table: the longest.
const mostLaunches = 400

// launches is a table of launches.
type launches struct {
	Rows  []launchRow
	Of    int // in all
	Notes []string
	Hits  []string // levels of cache
}

type launchRow struct {
	Number int
	*study.Launch
}

func launchesOf(all []study.Launch) launches {
	t := launches{Of: len(all)}
	notes := map[string]bool{}
	for i := range all {
		t.Rows = append(t.Rows, launchRow{i + 1, &all[i]})
		for n := range all[i].Notes {
			notes[n] = true
		}
		if len(t.Hits) == 0 {
			for _, h := range all[i].HitRates {
				t.Hits = append(t.Hits, h.Name)
			}
		}
	}
	t.Notes = slices.Sorted(maps.Keys(notes))
	if len(t.Rows) > mostLaunches {
		slices.SortStableFunc(t.Rows, func(a, b launchRow) int {
			return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(b.Instructions, a.Instructions))
		})
		t.Rows = t.Rows[:mostLaunches]
		slices.SortFunc(t.Rows, func(a, b launchRow) int { return cmp.Compare(a.Number, b.Number) })
	}
	return t
}
