//go:build !linux

package team

import (
	"errors"
	"runtime"
)

var errPinning = errors.New("threads cannot be pinned to processors on " + runtime.GOOS)

func pin(int) (release func(), err error) { return nil, errPinning }

func processors() ([]int, error) { return nil, errPinning }
