// Package leashed has child processes of this program that answer requests: at most for some CPU time each, and in at most so much
// memory, which the kernel bounds. What they are asked is not its business. A child that goes beyond a limit, or is killed, ends
// alone.
package leashed

import (
	"fmt"
	"runtime/debug"
)

// Limit bounds the memory of this process, a child, to that which its parent gave it, and to at most so many bytes.
func Limit(most int64) error {
	memory := min(debug.SetMemoryLimit(-1), most)
	debug.SetMemoryLimit(memory / 10 * 8)
	if err := limitData(uint64(memory)); err != nil {
		return fmt.Errorf("limit the memory of a child: %w", err)
	}
	return nil
}
