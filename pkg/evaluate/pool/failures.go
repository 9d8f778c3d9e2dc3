package pool

import (
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
type failures map[string]failure

type failure struct {
	Limit evaluate.Limit `json:"limit"`
	Wait  time.Duration  `json:"wait"`
	Until time.Time      `json:"until"`
}

// recent returns the failure of a key while its wait lasts.
func (f failures) recent(key string, now time.Time) error {
	if known, ok := f[key]; ok && now.Before(known.Until) {
		return &evaluate.Exhausted{Limit: known.Limit}
	}
	return nil
}

// add begins a wait that is longer than the one before. The failures are bounded: the one whose
// wait ends first makes room.
func (f failures) add(key string, limit evaluate.Limit, now time.Time) {
	wait := min(max(firstWait, 2*f[key].Wait), maxWait)
	delete(f, key)
	if len(f) >= maxFailed {
		first := ""
		for k, known := range f {
			if first == "" || known.Until.Before(f[first].Until) {
				first = k
			}
		}
		delete(f, first)
	}
	f[key] = failure{limit, wait, now.Add(wait)}
}
