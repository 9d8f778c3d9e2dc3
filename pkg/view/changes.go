package view

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
)

// maxDiffer bounds the lists of what differs between two moments.
const maxDiffer = 500

// Changes is what differs between two commits of the status branch.
type Changes struct {
	From string `json:"from"`
	To   string `json:"to"`

	Events      []announce.Announcement `json:"events"` // the latest ones, at most 500
	EventsTotal int                     `json:"eventsTotal"`

	Applications      []Difference `json:"applications"` // at most 500
	ApplicationsTotal int          `json:"applicationsTotal"`
}

// Difference is an application whose phase or grant differs. A side without the application is null.
type Difference struct {
	App    model.AppID  `json:"application"`
	Before *Application `json:"before"`
	After  *Application `json:"after"`
}

// ChangesOf returns what differs between two ledgers, of which the later one was saved at a time.
func ChangesOf(from, to *model.Ledger, saved time.Time) Changes {
	v := Changes{Events: announce.Between(from, to, saved), Applications: []Difference{}}
	v.EventsTotal = len(v.Events)
	slices.SortStableFunc(v.Events, func(a, b announce.Announcement) int { return a.At.Compare(b.At) })
	v.Events = append([]announce.Announcement{}, v.Events[max(0, len(v.Events)-maxDiffer):]...)
	differ := func(before, after *model.Instance) {
		if v.ApplicationsTotal++; v.ApplicationsTotal > maxDiffer {
			return
		}
		d := Difference{}
		if before != nil {
			was := applicationOf(from, before)
			d.App, d.Before = before.App, &was
		}
		if after != nil {
			is := applicationOf(to, after)
			d.App, d.After = after.App, &is
		}
		v.Applications = append(v.Applications, d)
	}
	for i, j := 0, 0; i < len(from.Instances) || j < len(to.Instances); {
		switch {
		case j == len(to.Instances) || i < len(from.Instances) && from.Instances[i].App.Compare(to.Instances[j].App) < 0:
			differ(&from.Instances[i], nil)
			i++
		case i == len(from.Instances) || from.Instances[i].App.Compare(to.Instances[j].App) > 0:
			differ(nil, &to.Instances[j])
			j++
		default:
			if !alike(&from.Instances[i], &to.Instances[j]) {
				differ(&from.Instances[i], &to.Instances[j])
			}
			i, j = i+1, j+1
		}
	}
	return v
}

// alike reports whether an application has the same phase and grants in two records.
func alike(a, b *model.Instance) bool {
	return a.Number == b.Number && a.Phase == b.Phase &&
		slices.EqualFunc(a.Components, b.Components, func(x, y model.ComponentState) bool { return x.Grant.SameCapacity(y.Grant) })
}
