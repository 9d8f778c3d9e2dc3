package runtime

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Report is what a call of Act came to.
type Report struct {
	Outcomes []Outcome // in the order of the assignments
	Requests Requests
	Err      error // the call ended early: it was cancelled, or no runtime answers
}

// NewReport returns a report of assignments with which nothing was done yet.
func NewReport(list []Assignment) (r Report) {
	r.Outcomes = make([]Outcome, len(list))
	for i := range list {
		r.Outcomes[i].App = list[i].App
	}
	return r
}

// Requests counts what was sent to runtimes, without what watches them.
type Requests struct {
	Apply, Get, Delete int
}

// Outcome is what one assignment came to.
type Outcome struct {
	App     model.AppID
	Results []Result // of the objects that were not as wanted
	Notices []string // sentences for people, besides the results
	Err     error    // it was not carried out, and all stays as it is

	// UnderWay is set if the runtime goes on carrying the assignment out. It tells of a change
	// when that has ended, and Act with the same revision then returns what it came to.
	UnderWay bool

	NotAdopted []NotAdopted // entries of application.adopt that take no object
}

// NotAdopted is an entry of application.adopt that takes no object.
type NotAdopted struct {
	Entry   int // its place in the list
	Message string
}

// Result is what was done to one object of a runtime.
type Result struct {
	Object    string // as people name it
	Component string
	Action    Action
	Reason    model.Reason // why it failed, see the Outcome constants of model; "" if the runtime said nothing about it
	Field     string       // that was refused, as the runtime names it
	Message   string       // why, or what was corrected, for people; never has values of the object
	Drift     []Difference // of a corrected object: the fields that others had changed
}

// Action is what was done to an object.
type Action string

// Actions.
const (
	Created    Action = "created"
	Configured Action = "configured" // changed, because the declaration changed
	Adopted    Action = "adopted"    // taken over from others, as application.adopt says
	Corrected  Action = "corrected"  // changed back, because others had changed the object
	Pruned     Action = "pruned"
	Kept       Action = "kept"    // left alone on purpose
	Failed     Action = "failed"  // the runtime refused it
	Skipped    Action = "skipped" // not tried, because of an earlier failure or a cancellation
)

// Difference is one field that somebody else had changed.
type Difference struct {
	Path    string // as the runtime names it; "" if the whole object was gone
	Manager string // who holds the field now, "" if nobody says
}

// OK reports whether everything is as the assignment says.
func (o *Outcome) OK() bool {
	return o.Err == nil && !o.UnderWay && !slices.ContainsFunc(o.Results, func(r Result) bool { return r.Action == Failed || r.Action == Skipped })
}

// join adds what another adapter did for the same assignment.
func (o *Outcome) join(by string, other *Outcome) {
	o.Results = append(o.Results, other.Results...)
	o.Notices = append(o.Notices, other.Notices...)
	o.NotAdopted = append(o.NotAdopted, other.NotAdopted...)
	o.UnderWay = o.UnderWay || other.UnderWay
	if other.Err != nil {
		o.Err = errors.Join(o.Err, fmt.Errorf("%s: %w", by, other.Err))
	}
}

// Add adds the report of a later call.
func (r *Report) Add(later Report) {
	r.Outcomes = append(r.Outcomes, later.Outcomes...)
	r.Requests.add(later.Requests)
	r.Err = cmp.Or(r.Err, later.Err)
}

func (r *Requests) add(more Requests) {
	r.Apply += more.Apply
	r.Get += more.Get
	r.Delete += more.Delete
}

// Count returns how many objects had the action.
func (r Report) Count(a Action) int {
	n := 0
	for i := range r.Outcomes {
		for j := range r.Outcomes[i].Results {
			if r.Outcomes[i].Results[j].Action == a {
				n++
			}
		}
	}
	return n
}

// Worse returns the more important of two failures, of which either may be nil: a final one,
// then one that its owner can mend.
func Worse(a, b *model.Failure) *model.Failure {
	rank := func(f *model.Failure) int {
		switch {
		case f == nil:
			return 0
		case f.Final:
			return 3
		case f.Blames():
			return 2
		}
		return 1
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}
