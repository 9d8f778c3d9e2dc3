package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// usualMemory is what the Go runtime of this process keeps to while little is live: with the pages of the program, which
// others may share, less than 512 MB.
const usualMemory = 352 << 20

// follow has the Go runtime of this process give back the memory that it does not need, unless GOMEMLIMIT or GOGC say
// otherwise: its share is for the largest fleets. It returns how to end that.
func (s shares) follow() (end func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	return afterCollections(func(live int64) { debug.SetMemoryLimit(memoryFor(live, s.own)) })
}

// memoryFor returns how much memory the Go runtime keeps to while so much is live: with a fifth of that for garbage, so
// that it does not collect all the time, and no more than its own share, 0 for none. With two fifths, which is where it
// collects anyway, a fleet of 10,000 takes more than 512 MB while it starts.
func memoryFor(live, own int64) int64 {
	limit := max(usualMemory, live+live/5)
	if own > 0 {
		limit = min(limit, own)
	}
	return limit
}

// afterCollections calls a function with what is live after each collection of garbage, until the end. It needs no timer,
// so a process that is at rest stays so.
func afterCollections(call func(live int64)) (end func()) {
	var ended atomic.Bool
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var again func(struct{})
	again = func(struct{}) {
		if ended.Load() {
			return
		}
		metrics.Read(sample)
		call(int64(sample[0].Value.Uint64()))
		runtime.AddCleanup(new(collection), again, struct{}{})
	}
	runtime.AddCleanup(new(collection), again, struct{}{})
	return func() { ended.Store(true) }
}

// collection is garbage at once, so that the next collection finds it. It is large enough to share its memory with nothing.
type collection [32]byte
