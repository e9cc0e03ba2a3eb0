package models

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// YAML writes d with all parents merged and all overrides applied, every
// value with its source. Reading it gives the same values.
func (d *Description) YAML() string {
	var b strings.Builder
	writeEntries(&b, d.root, "")
	if b.Len() == 0 {
		return "{}\n"
	}
	return b.String()
}

// writeEntries writes the keys of section n, each line after indent.
func writeEntries(b *strings.Builder, n *node, indent string) {
	for i, key := range n.keys {
		kid := n.kids[i]
		b.WriteString(indent + plainOrQuoted(key, false) + ":")
		if text, comment, ok := oneLine(kid); ok {
			b.WriteString(" " + text + comment + "\n")
			continue
		}
		b.WriteString("\n")
		writeBlock(b, kid, indent+"  ")
	}
}

// writeBlock writes section or list n over several lines.
func writeBlock(b *strings.Builder, n *node, indent string) {
	if n.kind == section {
		writeEntries(b, n, indent)
		return
	}
	for _, item := range n.kids {
		if text, comment, ok := oneLine(item); ok {
			b.WriteString(indent + "- " + text + comment + "\n")
			continue
		}
		// The dash takes the place of the item's first indentation.
		var inner strings.Builder
		writeBlock(&inner, item, indent+"  ")
		b.WriteString(indent + "- " + inner.String()[len(indent)+2:])
	}
}

// oneLine returns n on one line with its comment: a leaf, an empty collection,
// or a list of leaves from one place.
func oneLine(n *node) (text, comment string, ok bool) {
	switch {
	case n.kind == leaf:
		return plainOrQuoted(n.text, n.quoted), lineComment(n), true
	case len(n.kids) == 0 && n.kind == section:
		return "{}", "", true
	case len(n.kids) == 0:
		return "[]", "", true
	case n.kind == section:
		return "", "", false
	}
	items := make([]string, len(n.kids))
	for i, item := range n.kids {
		if item.kind != leaf || lineComment(item) != lineComment(n.kids[0]) {
			return "", "", false
		}
		items[i] = plainOrQuoted(item.text, item.quoted)
	}
	return "[" + strings.Join(items, ", ") + "]", lineComment(n.kids[0]), true
}

// plainForm matches text that YAML reads as itself without quotes.
var plainForm = regexp.MustCompile(`^(-?[0-9]|[A-Za-z/_])([A-Za-z0-9_+/.() -]*[A-Za-z0-9_+/.()-])?$`)

func plainOrQuoted(text string, quoted bool) string {
	if !quoted && plainForm.MatchString(text) && !strings.EqualFold(text, "null") {
		return text
	}
	return strconv.Quote(text) // Go's escapes are a subset of YAML's
}

func lineComment(n *node) string {
	switch {
	case n.file == CommandLine && n.was != "":
		return " # " + CommandLine + ", was " + strings.Join(strings.Fields(n.was), " ")
	case n.file == CommandLine:
		return " # " + CommandLine
	case n.comment != "":
		return " # " + n.comment
	}
	return ""
}

// MarshalJSON writes the values of d as one object, keys in the order of
// YAML. Plain numbers, true and false are JSON's; quantities and all else are
// strings.
func (d *Description) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	writeJSON(&b, d.root)
	return b.Bytes(), nil
}

func writeJSON(b *bytes.Buffer, n *node) {
	opening, closing := byte('{'), byte('}')
	switch n.kind {
	case leaf:
		b.Write(jsonLeaf(n))
		return
	case list:
		opening, closing = '[', ']'
	}
	b.WriteByte(opening)
	for i, kid := range n.kids {
		if i > 0 {
			b.WriteByte(',')
		}
		if n.kind == section {
			b.WriteString(strconv.Quote(n.keys[i]) + ":") // keyForm needs no escapes
		}
		writeJSON(b, kid)
	}
	b.WriteByte(closing)
}

func jsonLeaf(n *node) []byte {
	if !n.quoted {
		if n.text == "true" || n.text == "false" {
			return []byte(n.text)
		}
		if _, rest, ok := scanNumber(n.text); ok && rest == "" {
			if _, err := strconv.ParseFloat(n.text, 64); err == nil {
				return []byte(n.text)
			}
		}
	}
	text, _ := json.Marshal(n.text) // a string always marshals
	return text
}
