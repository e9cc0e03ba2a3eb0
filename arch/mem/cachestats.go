package mem

import "heddle/sim"

// CacheStats counts what a cache did. An access that spans several lines
// counts once a line. Always Hits + Misses = Reads + Writes + Atomics, Merges
// <= Misses, and Fetched = sectors fetched x sector size.
type CacheStats struct {
	// What reads count comes first, in one line of the host's cache.
	Reads     int64
	Hits      int64     // every sector asked for was there
	Misses    int64     // some sector was absent or still in flight
	Merges    int64     // of the misses: those that fetched nothing, as all absent sectors were in flight
	Evictions int64     // lines replaced by others
	Fetched   sim.Bytes // read from below
	BankWait  sim.Time  // sum over accesses of the time for which the bank was busy
	MSHRWait  sim.Time  // sum over misses of the time for which no MSHR or no way of the set was free

	Writes     int64
	Atomics    int64
	PassedHits int64     // of the hits: writes and atomics that a write-through cache passed on
	Writebacks int64     // dirty lines sent below, when replaced or flushed
	Sent       sim.Bytes // written below: write-backs, writes and atomics passed through
}

// arrayStats is the CacheStats of an array, two lines of the host's cache.
type arrayStats struct {
	CacheStats
	_ [3]int64
}

// Accesses returns the lines looked up.
func (s CacheStats) Accesses() int64 { return s.Reads + s.Writes + s.Atomics }

// Add adds the counts of another cache, or of another array.
func (s *CacheStats) Add(o CacheStats) {
	s.Reads += o.Reads
	s.Writes += o.Writes
	s.Atomics += o.Atomics
	s.Hits += o.Hits
	s.PassedHits += o.PassedHits
	s.Misses += o.Misses
	s.Merges += o.Merges
	s.Evictions += o.Evictions
	s.Writebacks += o.Writebacks
	s.Fetched += o.Fetched
	s.Sent += o.Sent
	s.BankWait += o.BankWait
	s.MSHRWait += o.MSHRWait
}

// Stats returns the counts over all arrays.
func (c *Cache) Stats() CacheStats {
	var sum CacheStats
	for i := range c.stats {
		sum.Add(c.stats[i].CacheStats)
	}
	return sum
}

// ArrayStats returns the counts of the accesses to the array of the given ID,
// -1 for those outside all arrays. An eviction is the replaced line's.
func (c *Cache) ArrayStats(id int) CacheStats {
	if id < -1 || id+1 >= len(c.stats) {
		return CacheStats{}
	}
	return c.stats[id+1].CacheStats
}

// of returns the counts of array id.
func (c *Cache) of(id int16) *CacheStats {
	if int(id)+1 >= len(c.stats) {
		c.grow(int(id) + 2)
	}
	return &c.stats[id+1].CacheStats
}

// grow makes room for n arrays. It moves the counts: a pointer to those of an
// array that is new here must not be held across it.
//
//go:noinline
func (c *Cache) grow(n int) {
	c.stats = append(c.stats, make([]arrayStats, n-len(c.stats))...)
}

// Misses returns the misses of the accesses to the array of the given ID, -1
// for those outside all arrays.
func (c *Cache) Misses(id int16) int64 {
	if int(id)+1 >= len(c.stats) {
		return 0
	}
	return c.stats[id+1].Misses
}

// CountMisses makes the cache add the misses of all arrays to n as well, which
// other caches may share, for whoever asks what an access missed.
func (c *Cache) CountMisses(n *int64) { c.missed = n }

// countMiss counts a miss.
func (c *Cache) countMiss(s *CacheStats) {
	s.Misses++
	*c.missed++
}
