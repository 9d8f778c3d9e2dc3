package explain

import (
	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// effort bounds how many claims one ruling weighs again to verify what would
// admit those that are left out. What an application would be admitted by is
// computed when it begins to wait or is rejected, in the order of names, as long
// as the effort lasts; Counterfactuals computes it for any one at any time.
const effort = 20_000

// all writes all decisions, in the order of applications.
func (w *Writer) All(decisions []model.Decision) {
	for i, c := range w.Apps {
		decisions[i] = w.Decision(c)
	}
	left := effort
	for i, c := range w.Apps {
		w.adviseOn(&decisions[i], c, &left)
	}
}

// advise finds out what would admit those of the applications that are left out.
// They are all among those that the decisions are about.
func (w *Writer) Advise(decisions []model.Decision, apps []model.AppID) {
	left := effort
	for _, id := range apps {
		at, c := w.Find(id)
		w.adviseOn(&decisions[at], c, &left)
	}
}

// adviseOn finds out what would admit an application, unless the ledger says it
// already.
func (w *Writer) adviseOn(d *model.Decision, c *solve.App, left *int) {
	if c.Wanted == nil || c.Granted() || c.Incumbent() {
		return
	}
	if old := solve.Recorded(&w.Ledger, c.ID); old != nil && old.Verdict == d.Verdict && old.Reason == d.Reason && old.Spec == d.Spec {
		d.WouldAdmit = old.WouldAdmit
	} else if *left > 0 {
		d.WouldAdmit = w.wouldAdmit(c, left)
	}
}

// counterfactuals are the changes that would admit one application, whatever the
// effort.
func (w *Writer) Counterfactuals(c *solve.App) []string {
	left := 1 << 30
	return w.wouldAdmit(c, &left)
}

// change is a kind of change with an amount, in units of step.
type change struct {
	make func(in *solve.Inputs, n int64) // n units more, or less
	tell func(n int64) string
	try  int64 // the amount to begin with
	most int64 // beyond which it makes no sense

	without *change // the same without the first of several things, nil: it is one
}

func (w *Writer) wouldAdmit(c *solve.App, left *int) []string {
	if c.Granted() || c.Wanted == nil {
		return nil
	}
	var out []string
	for _, ch := range w.changes(c) {
		n, ok := w.least(c, ch, left)
		for ok && n == 1 && ch.without != nil && w.admits(c, ch, 0, left) {
			ch = *ch.without
			n, ok = w.least(c, ch, left)
		}
		if ok {
			out = append(out, ch.tell(n))
		}
	}
	return out
}

// admits arbitrates changed inputs and says whether the application gets a place.
func (w *Writer) admits(c *solve.App, ch change, n int64, left *int) bool {
	*left -= len(w.Apps)
	if *left < 0 {
		return false
	}
	in := w.Inputs
	ch.make(&in, n)
	_, again := w.again(in).Find(c.ID)
	return again.Granted()
}

// least finds the smallest amount of a change that admits the application.
func (w *Writer) least(c *solve.App, ch change, left *int) (int64, bool) {
	hi := max(ch.try, 1)
	for !w.admits(c, ch, min(hi, ch.most), left) {
		if hi >= ch.most || *left < 0 {
			return 0, false
		}
		hi *= 2
	}
	hi = min(hi, ch.most)
	lo := int64(0) // does not admit
	if hi > 1 && !w.admits(c, ch, hi-1, left) {
		lo = hi - 1
	}
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; w.admits(c, ch, mid, left) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi, *left >= 0
}
