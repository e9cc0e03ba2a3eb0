package models

import (
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the one of known that a person who wrote name most likely
// meant, or "" when none is near: the least edit distance, letter case apart,
// of at most a third of the length, rounded up; failing that, the shortest
// that contains name or is contained in it. Ties go to the alphabetically
// first.
func Nearest(name string, known []string) string {
	const shortestPart = 2 // a single letter is contained in nearly everything
	lower := strings.ToLower(name)
	best, least := "", -1
	part := ""
	for _, k := range known {
		candidate := strings.ToLower(k)
		limit := (max(utf8.RuneCountInString(lower), utf8.RuneCountInString(candidate)) + 2) / 3
		distance := levenshtein.ComputeDistance(lower, candidate)
		if distance <= limit && distance < utf8.RuneCountInString(candidate) &&
			(least < 0 || distance < least || distance == least && k < best) {
			best, least = k, distance
		}
		if min(len(lower), len(candidate)) >= shortestPart &&
			(strings.Contains(candidate, lower) || strings.Contains(lower, candidate)) &&
			(part == "" || len(k) < len(part) || len(k) == len(part) && k < part) {
			part = k
		}
	}
	if best == "" {
		return part
	}
	return best
}
