package pool

import (
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate"
)

// Waits after an evaluation ended at a limit: it may have been the machine.
const (
	firstWait = time.Minute
	maxWait   = time.Hour
	maxFailed = 10_000
)

// failures are the requests that ended at a limit, by key.
type failures struct {
	mu    sync.Mutex
	byKey map[string]failure
}

type failure struct {
	err   *evaluate.Exhausted
	wait  time.Duration
	until time.Time
}

// recent returns the failure of a key while its wait lasts.
func (f *failures) recent(key string, now time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, ok := f.byKey[key]; ok && now.Before(known.until) {
		return known.err
	}
	return nil
}

func (f *failures) add(key string, err *evaluate.Exhausted, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byKey == nil || len(f.byKey) >= maxFailed {
		f.byKey = map[string]failure{}
	}
	wait := min(max(firstWait, 2*f.byKey[key].wait), maxWait)
	f.byKey[key] = failure{err, wait, now.Add(wait)}
}

func (f *failures) forget(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.byKey, key)
}
