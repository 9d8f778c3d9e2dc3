package pool

import "time"

// The CPU time that the evaluations of a tenant may take. docs/evaluation.md states it.
const (
	budget     = 10 * time.Second // at most
	foreground = time.Second      // of it, while a pass waits
	refill     = 10               // one part in so many of the time that passes comes back: 6 s a minute
	maxCharge  = 4                // times its work costs an evaluation that ends at a limit, after others that did
)

// An account has the CPU time that is left to a tenant. The zero value is that of a tenant
// which was never seen: filled, it has everything.
type account struct {
	Left   time.Duration `json:"left"`   // of the budget; below zero it is a debt
	Failed int           `json:"failed"` // evaluations that ended at a limit since the budget was full
	At     time.Time     `json:"at"`     // of these values

	front time.Duration // left of the time in the foreground
	jobs  int           // evaluations in the background, under way and waiting
}

// fill adds what came back until now.
func (a *account) fill(now time.Time) {
	if a.At.IsZero() {
		a.Left, a.front = budget, foreground
	}
	back := max(0, now.Sub(a.At)) / refill
	a.Left, a.front, a.At = min(a.Left+back, budget), min(a.front+back, foreground), now
	if a.Left == budget {
		a.Failed = 0
	}
}

// charge takes the work of an evaluation off, and the part of it that a pass waited for.
func (a *account) charge(work, waited time.Duration) {
	a.Left = max(a.Left-work, -maxWait/refill)
	a.front -= waited
}

// fail charges an evaluation that ended at a limit. Each one costs more than the one before,
// whatever was evaluated, until the budget is full again.
func (a *account) fail(work, waited time.Duration) {
	times := 1
	for i := 0; i < a.Failed && times < maxCharge; i++ {
		times *= 2
	}
	a.charge(work*time.Duration(times), waited)
	a.Failed++
}

// rests reports whether nothing of the tenant is evaluated now: after an evaluation ended
// at a limit its evaluations come one at a time, and none while it has a debt.
func (a *account) rests() bool { return a.Failed > 0 && (a.Left < 0 || a.jobs > 0) }

// waitedFor reports whether a pass waits for the evaluations of the tenant.
func (a *account) waitedFor() bool {
	return a.Failed == 0 && a.jobs == 0 && a.Left > 0 && a.front > 0
}
