package experiments

import "strings"

// splitOutside splits text at each separator that is not within brackets,
// braces or quotes, and trims the parts.
func splitOutside(text string, separator byte) []string {
	var parts []string
	depth, from := 0, 0
	var quote byte
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == separator && depth <= 0:
			parts = append(parts, strings.TrimSpace(text[from:i]))
			from = i + 1
		}
	}
	return append(parts, strings.TrimSpace(text[from:]))
}
