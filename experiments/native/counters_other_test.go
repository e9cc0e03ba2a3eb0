//go:build !linux

package native

var always []event
