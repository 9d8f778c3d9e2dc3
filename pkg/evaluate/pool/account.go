package pool

import (
	"cmp"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// The CPU time that the evaluations of a tenant may take. docs/evaluation.md states it.
const (
	foreground = time.Second // of its budget, while a pass waits
	wholly     = 100         // seconds, in which the whole budget comes back: of 10 s it is 6 s a minute
	maxCharge  = 4           // times its work costs an evaluation that ends at a limit, after others that did
)

// An account has the CPU time that is left to a tenant. The zero value is that of a tenant
// which was never seen: filled, it has everything.
type account struct {
	Left   time.Duration `json:"left"`   // of the budget; below zero it is a debt
	Failed int           `json:"failed"` // evaluations that ended at a limit since the budget was full
	At     time.Time     `json:"at"`     // of these values

	budget time.Duration // that it is allotted, 0: model.Work

	front time.Duration // left of the time in the foreground
	jobs  int           // evaluations in the background, under way and waiting
}

// most is the whole budget.
func (a *account) most() time.Duration { return cmp.Or(a.budget, model.Work) }

// back is what comes back of the budget in a time.
func (a *account) back(passed time.Duration) time.Duration {
	return time.Duration(passed.Seconds() * float64(a.most()/wholly))
}

// part is what is left of the budget, 1 for all of it; below zero it is a debt.
func (a *account) part() float64 { return float64(a.Left) / float64(a.most()) }

// fill adds what came back until now.
func (a *account) fill(now time.Time) {
	if a.At.IsZero() {
		a.Left, a.front = a.most(), foreground
	}
	passed := min(max(0, now.Sub(a.At)), maxWait)
	a.Left = min(max(a.Left, -a.back(maxWait))+a.back(passed), a.most())
	a.front, a.At = min(a.front+passed/10, foreground), now
	if a.Left == a.most() {
		a.Failed = 0
	}
}

// charge takes the work of an evaluation off, and the part of it that a pass waited for.
func (a *account) charge(work, waited time.Duration) {
	a.Left = max(a.Left-work, -a.back(maxWait))
	a.front -= waited
}

// fail charges an evaluation that ended at a limit. Each one costs more than the one before,
// whatever was evaluated, until the budget is full again.
func (a *account) fail(work, waited time.Duration) {
	a.charge(work*time.Duration(min(1<<min(a.Failed, maxCharge), maxCharge)), waited)
	a.Failed++
}

// rests reports whether nothing of the tenant is evaluated now: after an evaluation ended
// at a limit its evaluations come one at a time, and none while it has a debt.
func (a *account) rests() bool { return a.Failed > 0 && (a.Left < 0 || a.jobs > 0) }

// waitedFor reports whether a pass waits for the evaluations of the tenant.
func (a *account) waitedFor() bool {
	return a.Failed == 0 && a.jobs == 0 && a.Left > 0 && a.front > 0
}
