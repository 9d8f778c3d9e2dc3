package explain

import (
	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// effort bounds how many applications one ruling arbitrates again to verify what
// would admit pending and rejected applications. That is computed when an application
// becomes pending or is rejected, in the order of names, as long as the effort lasts;
// Counterfactuals computes it for any one at any time.
const effort = 20_000

// advisor finds out what would admit applications of a case.
type advisor struct {
	*solve.Case
	again func(solve.Inputs) *solve.Case // the whole arbitration
	left  int                            // of the effort
}

// advise finds out what would admit a pending or rejected application, unless the
// ledger has that already.
func (a *advisor) advise(d *model.Decision, app *solve.App) {
	if app.Wanted == nil || app.Granted() || app.Incumbent() {
		return
	}
	if old, ok := a.Ledger.Decision(app.ID); ok && old.Verdict == d.Verdict && old.Reason == d.Reason && old.Spec == d.Spec {
		d.WouldAdmit = old.WouldAdmit
	} else if a.left > 0 {
		d.WouldAdmit = a.wouldAdmit(app)
	}
}

// change is a kind of change with an amount, in units of step.
type change struct {
	make func(in *solve.Inputs, n int64) // n units more, or less
	tell func(n int64) string
	try  int64 // the amount to begin with
	most int64 // beyond which it makes no sense

	without *change // the same without the first of several things, nil: it is one
}

// wouldAdmit describes every change that alone admits the application, with the
// smallest amount.
func (a *advisor) wouldAdmit(app *solve.App) (out []string) {
	if app.Granted() || app.Wanted == nil {
		return nil
	}
	for _, ch := range a.changes(app) {
		n, ok := a.least(app, ch)
		for ok && n == 1 && ch.without != nil && a.admits(app, ch, 0) {
			ch = *ch.without
			n, ok = a.least(app, ch)
		}
		if ok {
			out = append(out, ch.tell(n))
		}
	}
	return out
}

// admits arbitrates changed inputs and reports whether the application gets a place.
func (a *advisor) admits(app *solve.App, ch change, n int64) bool {
	if a.left -= len(a.Apps); a.left < 0 {
		return false
	}
	in := a.Inputs
	ch.make(&in, n)
	_, again := a.again(in).Find(app.ID)
	return again.Granted()
}

// least finds the smallest amount of a change that admits the application, and
// reports whether there is one.
func (a *advisor) least(app *solve.App, ch change) (int64, bool) {
	hi := max(ch.try, 1)
	for !a.admits(app, ch, min(hi, ch.most)) {
		if hi >= ch.most || a.left < 0 {
			return 0, false
		}
		hi *= 2
	}
	hi = min(hi, ch.most)
	lo := int64(0) // does not admit
	if hi > 1 && !a.admits(app, ch, hi-1) {
		lo = hi - 1
	}
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; a.admits(app, ch, mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi, a.left >= 0
}
