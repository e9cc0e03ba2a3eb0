package models

import (
	"encoding"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
)

// restrict adds what the tags of a field say to the rule of its type.
func (r *leafRule) restrict(t reflect.Type, tag tags) error {
	var err error
	r.unit = tag.unit
	if r.parse == nil {
		r.parse = r.parsePlain
	} else if r.unit != "" {
		return fmt.Errorf("a unit tag on %s", r.noun)
	}
	if tag.bounds != "" {
		if r.bounds, err = parseInterval(tag.bounds, *r, t); err != nil {
			return err
		}
	}
	r.oneOf = strings.Fields(tag.oneOf)
	for _, text := range r.oneOf {
		if _, err := r.parse(text, reflect.New(t).Elem()); err != nil {
			return fmt.Errorf("oneof: %w", err)
		}
	}
	return nil
}

// set sets v to the value that text writes, if the rule has it.
func (r *leafRule) set(text string, v reflect.Value) error {
	x, err := r.parse(text, v)
	if err != nil {
		return err
	}
	if len(r.oneOf) > 0 {
		for _, one := range r.oneOf {
			allowed := reflect.New(v.Type()).Elem()
			if _, err := r.parse(one, allowed); err == nil && reflect.DeepEqual(allowed.Interface(), v.Interface()) {
				return nil
			}
		}
		message := fmt.Sprintf("%q is not %s", text, orList(r.oneOf))
		if near := Nearest(text, r.oneOf); near != "" && x == nil { // one number is not meant for another
			message += ": nearest is " + near
		}
		return errors.New(message)
	}
	switch {
	case x == nil:
		return nil
	case r.bounds == nil && x.Sign() < 0:
		return fmt.Errorf("%q is negative", text)
	case r.bounds != nil && !r.bounds.holds(x):
		return fmt.Errorf("%s is out of range %s", text, r.bounds)
	}
	return nil
}

// want says what a leaf should be.
func (r *leafRule) want() string {
	switch {
	case len(r.oneOf) > 0:
		return orList(r.oneOf)
	case r.bounds != nil:
		return r.noun + " in " + r.bounds.String()
	case r.unit != "":
		return r.noun + " of " + r.unit
	}
	return r.noun
}

// parsePlain reads an integer or a float, with the rule's unit or without.
func (r *leafRule) parsePlain(text string, v reflect.Value) (*big.Rat, error) {
	x, rest, ok := scanNumber(text)
	rest = strings.TrimSpace(rest)
	if ok && rest != "" && (r.unit == "" || rest != r.unit && rest != strings.TrimSuffix(r.unit, "s")) {
		ok = false
	}
	switch {
	case !ok || !v.CanFloat() && !x.IsInt():
		if r.unit != "" {
			return nil, fmt.Errorf("%q is not %s of %s", text, r.noun, r.unit)
		}
		return nil, fmt.Errorf("%q is not %s", text, r.noun)
	case v.CanUint() && x.Sign() < 0:
		return nil, fmt.Errorf("%q is negative", text)
	case !setNumber(v, x):
		return nil, fmt.Errorf("%q is too large", text)
	}
	return x, nil
}

func parseSwitch(text string, v reflect.Value) (*big.Rat, error) {
	switch text {
	case "true", "on":
		v.SetBool(true)
	case "false", "off":
		v.SetBool(false)
	default:
		return nil, fmt.Errorf("%q is not true, false, on or off", text)
	}
	return nil, nil
}

func parseString(text string, v reflect.Value) (*big.Rat, error) {
	v.SetString(text)
	return nil, nil
}

func parseText(text string, v reflect.Value) (*big.Rat, error) {
	return nil, v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
}

// interval is a range of numbers in base units; an open end is nil.
type interval struct {
	text        string
	least, most *big.Rat
}

func (i *interval) String() string {
	if i == nil {
		return ""
	}
	return i.text
}

func (i *interval) holds(x *big.Rat) bool {
	return (i.least == nil || i.least.Cmp(x) <= 0) && (i.most == nil || x.Cmp(i.most) <= 0)
}

// parseInterval reads "1..64", "1 KiB..", "..8" or "3", the ends in the form
// that rule reads for type t.
func parseInterval(text string, rule leafRule, t reflect.Type) (*interval, error) {
	if rule.parse == nil {
		rule.parse = rule.parsePlain
	}
	low, high, two := strings.Cut(text, "..")
	if !two {
		high = low
	}
	i := &interval{text: text}
	for _, end := range []struct {
		text string
		at   **big.Rat
	}{{low, &i.least}, {high, &i.most}} {
		if end.text == "" {
			continue
		}
		x, err := rule.parse(strings.TrimSpace(end.text), reflect.New(t).Elem())
		if err != nil {
			return nil, fmt.Errorf("range %s: %w", text, err)
		}
		if x == nil {
			return nil, fmt.Errorf("range %s: %s has no order", text, rule.noun)
		}
		*end.at = x
	}
	if i.least == nil && i.most == nil || i.least != nil && i.most != nil && i.least.Cmp(i.most) > 0 {
		return nil, fmt.Errorf("range %q is empty or has no end", text)
	}
	return i, nil
}
