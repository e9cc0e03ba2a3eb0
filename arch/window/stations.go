package window

// stations are reservation stations: each is held by an instruction from its
// dispatch until its issue. They are a min-heap of the latest issues.
type stations []departure

// departure is the issue of an instruction, and what it waited for.
type departure struct {
	at  int64
	why blame
}

func newStations(n int) stations {
	s := make(stations, n)
	for i := range s {
		s[i].at = -1 // free from the first cycle on
	}
	return s
}

// take occupies the station that is free first until at.
func (s stations) take(at int64, why blame) {
	if at <= s[0].at {
		return // leaves before all that are held
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(s) {
			break
		}
		if r := child + 1; r < len(s) && s[r].at < s[child].at {
			child = r
		}
		if s[child].at >= at {
			break
		}
		s[i] = s[child]
		i = child
	}
	s[i] = departure{at, why}
}
