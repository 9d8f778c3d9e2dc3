package kubernetes

import (
	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// outcome says in the words of all runtimes what the set of an assignment came to. What was as
// wanted has no result.
func outcome(s *apply.SetReport) runtime.Outcome {
	o := runtime.Outcome{App: s.App, Notices: s.Notices, UnderWay: s.UnderWay}
	for i := range s.Results {
		r := &s.Results[i]
		if r.Action == apply.Unchanged {
			continue
		}
		result := runtime.Result{
			Object: r.Ref.String(), Component: r.Component, Action: runtime.Action(r.Action),
			Reason: r.Reason, Field: r.Field, Message: r.What(),
		}
		for _, d := range r.Drift {
			result.Drift = append(result.Drift, runtime.Difference(d))
		}
		o.Results = append(o.Results, result)
	}
	for _, none := range s.NotAdopted {
		o.NotAdopted = append(o.NotAdopted, runtime.NotAdopted(none))
	}
	return o
}
