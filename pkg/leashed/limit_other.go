//go:build !linux

package leashed

import (
	"errors"
	"syscall"
	"time"
)

// limitData leaves it at the limit that the Go runtime heeds.
func limitData(uint64) error { return nil }

// dieWithParent leaves it at the end of the input.
func dieWithParent() *syscall.SysProcAttr { return nil }

// cpuTime is not known here.
func cpuTime(int) (time.Duration, error) { return 0, errors.ErrUnsupported }
