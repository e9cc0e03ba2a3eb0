package mem

import (
	"cmp"
	"math/bits"
	"slices"
)

// HotWords finds the addresses that most atomics go to, and who contends for
// them. Each entry of a hashed table is a majority vote (Boyer and Moore,
// 1981): an address with more than half of an entry's atomics keeps it, and its
// count is a lower bound.
type HotWords struct{ entries [4096]hotEntry }

type hotEntry struct {
	addr, count uint64
	cores       [4]uint64 // a bit for each, modulo 256
	sites       [4]SiteCount
}

// Site is an instruction: a program, by the order in which a machine first
// launched it, and a pc.
type Site struct{ Program, PC int32 }

// SiteCount is how many of the atomics on a word came from a site.
type SiteCount struct {
	Site
	Count uint64
}

// Add counts an atomic that an instruction of a core performs on addr.
func (h *HotWords) Add(addr uint64, core int, site Site) {
	e := &h.entries[addr>>2*0x9e3779b97f4a7c15>>52]
	if e.addr != addr {
		if e.count > 0 {
			e.count--
			return
		}
		*e = hotEntry{addr: addr}
	}
	e.count++
	e.cores[core>>6&3] |= 1 << (core & 63)
	for i := range e.sites {
		s := &e.sites[i]
		if s.Count == 0 {
			s.Site = site
		}
		if s.Site == site {
			s.Count++
			return
		}
	}
}

// HotWord is an address that many atomics went to.
type HotWord struct {
	Addr    uint64
	Atomics uint64 // at least
	Cores   int    // that they came from, at least
	// Sites are the first instructions seen to contend for the word, up to
	// four, those with most atomics first.
	Sites []SiteCount
}

// Top returns the n hottest words, those with most atomics first.
func (h *HotWords) Top(n int) []HotWord {
	var all []HotWord
	for i := range h.entries {
		if e := &h.entries[i]; e.count > 1 {
			w := HotWord{Addr: e.addr, Atomics: e.count}
			for _, mask := range e.cores {
				w.Cores += bits.OnesCount64(mask)
			}
			all = append(all, w)
		}
	}
	slices.SortFunc(all, func(a, b HotWord) int {
		return cmp.Or(cmp.Compare(b.Atomics, a.Atomics), cmp.Compare(a.Addr, b.Addr))
	})
	all = all[:min(n, len(all))]
	for i := range all {
		all[i].Sites = h.sites(all[i].Addr)
	}
	return all
}

func (h *HotWords) sites(addr uint64) (sites []SiteCount) {
	for _, s := range h.entries[addr>>2*0x9e3779b97f4a7c15>>52].sites {
		if s.Count > 0 {
			sites = append(sites, s)
		}
	}
	slices.SortStableFunc(sites, func(a, b SiteCount) int { return cmp.Compare(b.Count, a.Count) })
	return sites
}
