package stream

import (
	"cmp"
	"slices"
)

// hotWords finds the words that most atomic and synchronised operations go to.
// Each entry of a hashed table is a majority vote (Boyer and Moore, 1981): a
// word with more than half of an entry's operations keeps it, and its count is
// a lower bound.
type hotWords struct {
	addr  [4096]uint64
	count [4096]uint64
}

func (h *hotWords) add(addr uint64) {
	i := addr >> 3 * 0x9e3779b97f4a7c15 >> 52
	switch {
	case h.addr[i] == addr:
		h.count[i]++
	case h.count[i] == 0:
		h.addr[i], h.count[i] = addr, 1
	default:
		h.count[i]--
	}
}

// HotWord is a word that many atomic or synchronised operations went to, tries
// included.
type HotWord struct {
	Addr       uint64
	Operations uint64 // at least
}

func (h *hotWords) top(n int) []HotWord {
	var all []HotWord
	for i, c := range h.count {
		if c > 1 {
			all = append(all, HotWord{h.addr[i], c})
		}
	}
	slices.SortFunc(all, func(a, b HotWord) int {
		return cmp.Or(cmp.Compare(b.Operations, a.Operations), cmp.Compare(a.Addr, b.Addr))
	})
	return all[:min(n, len(all))]
}
