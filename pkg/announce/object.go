package announce

import (
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// outcomes returns which objects came to be refused, and what is not refused any more.
// Objects that are refused for one cause are one announcement, which names the first.
func outcomes(old, now *model.Instance) (list []Announcement) {
	add := func(to string, at func(*model.Outcome) time.Time, these, others []model.Outcome) {
		for i := range these {
			o := &these[i]
			if !slices.ContainsFunc(others, func(p model.Outcome) bool { return o.SameCause(&p) }) {
				list = append(list, Announcement{Kind: Outcome, Subject: Subject{Instance: now.Number, Object: o.Object}, Change: Change{
					At: at(o), To: to, Reason: o.Reason, Message: o.Message,
				}})
			}
		}
	}
	before := old.Outcomes
	if old.Number != now.Number {
		before = nil // they ended with their instance
	}
	add("refused", func(o *model.Outcome) time.Time { return o.Last }, now.Outcomes, before)
	add("settled", func(*model.Outcome) time.Time { return time.Time{} }, before, now.Outcomes)
	return list
}

// drift returns what others changed and was put back. What goes on is an announcement
// each time that its count is saved.
func drift(old, now *model.Instance) (list []Announcement) {
	for i := range now.Drift {
		d := &now.Drift[i]
		known := func(e model.Drift) bool { return e.SameCause(d) && !e.Time.Before(d.Time) }
		if slices.ContainsFunc(old.Drift, known) {
			continue
		}
		list = append(list, Announcement{Kind: Drift, Subject: Subject{Instance: now.Number, Object: d.Object}, Change: Change{
			At: d.Time, To: "corrected", Message: driftText(d),
		}})
	}
	return list
}

// driftText says what was put back, and who had changed it.
func driftText(d *model.Drift) string {
	what := "the whole object was gone"
	if len(d.Fields) > 0 {
		what = strings.Join(d.Fields, ", ")
	}
	if d.Manager != "" {
		what += " (changed by " + d.Manager + ")"
	}
	return what
}
