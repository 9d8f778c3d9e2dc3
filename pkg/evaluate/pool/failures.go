package pool

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate"
)

// Waits after an evaluation ended at a limit: it may have been the machine. Where it was for sure,
// they are shorter.
const (
	firstWait      = time.Minute
	maxWait        = time.Hour
	firstOfMachine = 5 * time.Second
	maxOfMachine   = 5 * time.Minute
	maxFailed      = 10_000
)

// failures are the requests that were not answered, by key.
type failures map[string]failure

type failure struct {
	Limit evaluate.Limit `json:"limit"` // "": the machine was to blame
	Wait  time.Duration  `json:"wait"`
	Until time.Time      `json:"until"`
	err   error          // of the machine, which a restart forgives
}

// recent returns the failure of a key while its wait lasts.
func (f failures) recent(key string, now time.Time) error {
	known, ok := f[key]
	switch {
	case !ok || !now.Before(known.Until):
		return nil
	case known.err != nil:
		return known.err
	}
	return &evaluate.Exhausted{Limit: known.Limit}
}

// add begins a wait that is longer than the one before. The failures are bounded: the one whose
// wait ends first makes room.
func (f failures) add(key string, err error, now time.Time) {
	failed, first, most := failure{err: err}, firstOfMachine, maxOfMachine
	if exhausted := (*evaluate.Exhausted)(nil); errors.As(err, &exhausted) {
		failed, first, most = failure{Limit: exhausted.Limit}, firstWait, maxWait
	}
	failed.Wait = min(max(first, 2*f[key].Wait), most)
	failed.Until = now.Add(failed.Wait)
	delete(f, key)
	if len(f) >= maxFailed {
		delete(f, slices.MinFunc(slices.Collect(maps.Keys(f)), func(a, b string) int { return f[a].Until.Compare(f[b].Until) }))
	}
	f[key] = failed
}
