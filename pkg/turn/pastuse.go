package turn

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// pastUse returns what the next ledger says of past use. Use is counted by what the last ledger grants, so it is written
// whenever somebody has something else from now on; such a pass saves anyway. Otherwise it is written some times in a
// half-life, if there is something new to say.
func pastUse(last, next *model.Ledger, counted *model.PastUse, now time.Time) *model.PastUse {
	was := last.PastUse
	switch {
	case counted == nil || was == nil || !sameTakes(last.Instances, next.Instances):
		return counted
	case was.Due(counted.HalfLife, now) && (now.Before(was.At) || !sameUse(was, counted)):
		return counted
	}
	return was
}

// sameUse reports whether two records say the same but for their times.
func sameUse(x, y *model.PastUse) bool {
	return x.HalfLife == y.HalfLife && x.Anew.Equal(y.Anew) && x.Intact() && slices.Equal(x.Nodes, y.Nodes)
}

// sameTakes reports whether applications hold the same in two ledgers.
func sameTakes(x, y []model.Instance) bool {
	takes := func(in *model.Instance) (all model.Resources) {
		if in.Phase.Active() {
			for i := range in.Components {
				all = all.Add(in.Components[i].Takes())
			}
		}
		return all
	}
	nothing := model.Instance{}
	for len(x) > 0 || len(y) > 0 {
		before, after := &nothing, &nothing
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].App.Compare(y[0].App) < 0:
			before, x = &x[0], x[1:]
		case len(x) == 0 || y[0].App.Compare(x[0].App) < 0:
			after, y = &y[0], y[1:]
		default:
			before, after, x, y = &x[0], &y[0], x[1:], y[1:]
		}
		if !before.Revision.Is(after.Revision) && !takes(before).Equal(takes(after)) {
			return false
		}
	}
	return true
}

// begunAnew says that past use is learned anew, and since when.
func begunAnew(ledger *model.Ledger, now time.Time) (problems []model.Problem) {
	past := ledger.PastUse
	if past == nil || ledger.Platform == nil || ledger.Platform.HalfLife == 0 {
		return nil
	}
	since := past.Anew
	if !past.Intact() {
		since = now.UTC().Truncate(time.Second)
	}
	if since.IsZero() {
		return nil
	}
	return []model.Problem{{Code: model.CodePastUseChanged, Path: "inputs/usage.json",
		Message: "somebody changed the record of past use by hand; it counts for nothing, and what tenants had is learned anew since " + since.Format("2006-01-02 15:04:05 UTC")}}
}
