package batch

import (
	"bytes"
	"encoding/json"
	"errors"
)

// checksumMember begins the last member of a kept result.
const checksumMember = `"checksum":"`

var errNoObject = errors.New("not a JSON object")

// isObject says whether text is one JSON object and nothing else.
func isObject(text []byte) bool {
	return len(text) >= 2 && text[0] == '{' && text[len(text)-1] == '}' && json.Valid(text)
}

// sealed returns an object with the checksum of its text as one more member.
func sealed(object []byte) []byte {
	text := bytes.Clone(object[:len(object)-1])
	if len(text) > 1 {
		text = append(text, ',')
	}
	return append(text, checksumMember+ID(object)+`"}`...)
}

// unsealed returns the object that was sealed, or ErrDamaged.
func unsealed(text []byte) (json.RawMessage, error) {
	at := bytes.LastIndex(text, []byte(checksumMember))
	if at < 0 {
		return nil, ErrDamaged
	}
	object := append(bytes.TrimSuffix(bytes.Clone(text[:at]), []byte(",")), '}')
	if !bytes.Equal(sealed(object), text) {
		return nil, ErrDamaged
	}
	return object, nil
}
