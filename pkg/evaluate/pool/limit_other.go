//go:build !linux

package pool

import (
	"errors"
	"syscall"
	"time"
)

// limitMemory leaves it at the limit that the Go runtime heeds.
func limitMemory(uint64) error { return nil }

// dieWithParent leaves it at the end of the input.
func dieWithParent() *syscall.SysProcAttr { return nil }

// cpuTime is not known here.
func cpuTime(int) (time.Duration, error) { return 0, errors.ErrUnsupported }
