package advice

import (
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// times are what a job may be said to take at the most, the longest first.
var times = []time.Duration{
	24 * time.Hour, 16 * time.Hour, 12 * time.Hour, 8 * time.Hour, 6 * time.Hour, 4 * time.Hour, 3 * time.Hour, 2 * time.Hour, 90 * time.Minute,
	time.Hour, 50 * time.Minute, 40 * time.Minute, 30 * time.Minute, 20 * time.Minute, 15 * time.Minute, 10 * time.Minute, 5 * time.Minute, time.Minute,
}

// shorterTime says how long a job of which that is not known may take at the most, so that it passes those that are promised a
// start. What is learned of earlier runs is known.
func (s *search) shorterTime(*points) []change {
	i := onlyJob(s.app.Wanted)
	if i < 0 || s.aim != aPlace || s.app.Levels == nil {
		return nil
	}
	comp := &s.app.Wanted.Components[i]
	if s.app.Ending.Lasts > 0 && comp.Expect == 0 {
		return nil
	}
	var list []int64 // by place, from 1
	for n, d := range times {
		if (comp.Expect == 0 || d < comp.Expect) && s.basis.next(s.app, d) != nil {
			list = append(list, int64(n)+1)
		}
	}
	if list == nil {
		return nil
	}
	return []change{{
		kind: "time", by: model.ByOwner, list: list,
		edit: func(spec *model.Application, n int64) { spec.Components[i].Expect = times[n-1] },
		tell: func(n int64) model.Advice {
			told := model.Advice{Amount: model.FormatDuration(times[n-1]), Was: model.FormatDuration(comp.Expect)}
			told.Settings = s.set("components."+comp.Name+".expect", told.Amount)
			told.Text = fmt.Sprintf("declare expect: %q of %s, if it takes no longer: it then ends before %s starts, which room is kept for", told.Amount, comp.Name, s.basis.next(s.app, times[n-1]).ID)
			return told
		},
		until: func(n int64) time.Time { return s.basis.next(s.app, times[n-1]).Starts.At.Add(-times[n-1]) },
	}}
}

// onlyJob is the component of a spec that runs, if it is one and a job; -1: it is not.
func onlyJob(spec *model.Application) (only int) {
	only = -1
	for i := range spec.Components {
		comp := &spec.Components[i]
		switch {
		case !comp.Runs():
		case only >= 0 || !comp.Finite():
			return -1
		default:
			only = i
		}
	}
	return only
}

// wait says when the application starts by itself, if it does once those have ended that have to.
func (s *search) wait(*points) []change {
	f := s.app.Starts
	if f == nil {
		return nil
	}
	at := f.At.UTC().Add(time.Minute - time.Nanosecond).Truncate(time.Minute)
	return []change{{
		kind: "time", by: model.ByOwner, list: []int64{1}, own: true,
		beyond: beyond{inputs: func(in *solve.Inputs, _ int64) {
			in.Now = f.At
			ended := func(id model.AppID) bool {
				return slices.ContainsFunc(f.If, func(v *solve.App) bool { return v.ID == id })
			}
			in.Fleet.Applications = slices.DeleteFunc(slices.Clone(in.Fleet.Applications), func(a *model.Application) bool { return ended(a.ID) })
			in.Ledger.Instances = slices.DeleteFunc(slices.Clone(in.Ledger.Instances), func(i model.Instance) bool { return ended(i.App) })
		}},
		tell: func(int64) model.Advice {
			var names []model.AppID
			for _, v := range f.If {
				names = append(names, v.ID)
			}
			end := " end"
			if len(names) < 2 {
				end = " ends"
			}
			return model.Advice{Amount: at.Format(time.RFC3339), Text: "wait: it starts by itself at about " + at.Format("2006-01-02 15:04") + " UTC if " + text.Enumerate(names, 3) + end + " by then"}
		},
	}}
}
