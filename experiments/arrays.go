package experiments

import (
	"cmp"
	"slices"

	"heddle/experiments/study"
	"heddle/models"
)

// Arrays is the traffic of each array. Arrays of one name count as one.
type Arrays []study.Array

// MarshalJSON writes {"<name>": {...}, ...}.
func (a Arrays) MarshalJSON() ([]byte, error) {
	var members []member
	for _, x := range a {
		members = append(members, member{x.Name, x})
	}
	return object(members)
}

// arraysOf returns the traffic that a machine tells of.
func arraysOf(arrays []models.Array) Arrays {
	var all Arrays
	at := map[string]int{} // index in all
	for _, a := range arrays {
		next := study.Array{
			Name: a.Name, Type: a.Elem.String(), Elements: int64(a.Len),
			Loads: int64(a.Loads), Stores: int64(a.Stores), Atomics: int64(a.Atomics),
			Requests: int64(a.Requests), Transactions: int64(a.Transactions), Requested: int64(a.Requested), Moved: int64(a.Moved),
			Levels: make([]study.Level, len(a.Levels)), DRAMRead: int64(a.DRAMRead), DRAMWritten: int64(a.DRAMWritten),
		}
		for i, l := range a.Levels {
			next.Levels[i] = study.Level{Name: l.Name, Accesses: l.Accesses, Hits: l.Hits, Fetched: int64(l.Fetched), Written: int64(l.Written)}
		}
		if i, ok := at[a.Name]; ok {
			all[i].Merge(&next)
			continue
		}
		at[a.Name] = len(all)
		all = append(all, next)
	}
	return all
}

// lines are the arrays as a table, those with most traffic first. A machine
// without timing has no caches, and moves what is asked for.
func (a Arrays) lines(timed bool) []string {
	t := table{right: "lrrrrr"}
	head := []string{"array", "elements", "loads", "stores", "atomics", "asked"}
	if timed {
		head = append(head, "moved")
		for _, l := range a[0].Levels {
			head = append(head, l.Name+" hit")
			t.right += "r"
		}
		head = append(head, "DRAM read", "written")
		t.right += "rrr"
	}
	t.add(head...)
	order := slices.Clone(a)
	slices.SortStableFunc(order, func(a, b study.Array) int { return cmp.Compare(b.Moved+b.Requested, a.Moved+a.Requested) })
	for _, a := range order {
		row := []string{a.Name, count(a.Elements), rough(float64(a.Loads)), rough(float64(a.Stores)), rough(float64(a.Atomics)), size(float64(a.Requested))}
		if timed {
			row = append(row, size(float64(a.Moved)))
			for _, l := range a.Levels {
				row = append(row, percent(float64(l.Hits)/float64(l.Accesses)))
			}
			row = append(row, size(float64(a.DRAMRead)), size(float64(a.DRAMWritten)))
		}
		t.add(row...)
	}
	return t.lines("  ")
}

// arraysHead says what the table of arrays shows.
const arraysHead = " by traffic: accesses of threads, bytes asked for, bytes that transactions moved"
