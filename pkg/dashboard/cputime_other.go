//go:build !linux

package dashboard

import "time"

var loaded = time.Now()

// threadTime is the time that has passed, where the clock of a thread is not known.
func threadTime() time.Duration { return time.Since(loaded) }
