package runtime

import (
	"cmp"
	"encoding/json"
	"slices"
	"sort"

	"github.com/d-aros/d-aros/pkg/model"
)

// of returns the workloads of a component that the adapter showed last, also those of jobs.
func (l *lane) of(app model.AppID, component string) []model.Workload {
	seen, _ := l.last()
	before := func(w *model.Workload) int { return cmp.Or(w.App.Compare(app), cmp.Compare(w.Component, component)) }
	first := sort.Search(len(seen.Workloads), func(i int) bool { return before(&seen.Workloads[i]) >= 0 })
	end := first
	for end < len(seen.Workloads) && before(&seen.Workloads[end]) == 0 {
		end++
	}
	return seen.Workloads[first:end]
}

// has reports whether the adapter showed something of a component last.
func (l *lane) has(app model.AppID, component string) bool { return len(l.of(app, component)) > 0 }

// hasJob reports whether the adapter showed the job of a step last.
func (l *lane) hasJob(app model.AppID, j Job) bool {
	return slices.ContainsFunc(l.of(app, j.Component), func(w model.Workload) bool { return w.Intent == j.Key })
}

// runs reports whether the adapter showed last that it runs what is wanted of a component. What
// is not to run does.
func (l *lane) runs(app model.AppID, c *Component) bool {
	if c.Want == Stopped || c.State.Run == 0 {
		return true
	}
	return slices.ContainsFunc(l.of(app, c.Name), func(w model.Workload) bool {
		return isOf(&w, c) && w.Current && (w.Done || w.Replicas > 0 && w.Ready >= w.Replicas)
	})
}

// stays reports whether the adapter has something of a component that no other one is to begin:
// its data, or a job that is or was under way.
func (l *lane) stays(app model.AppID, c *Component) bool {
	if !c.Finite() {
		return c.keepsData()
	}
	return slices.ContainsFunc(l.of(app, c.Name), func(w model.Workload) bool { return isOf(&w, c) })
}

// isOf reports whether a workload is what is wanted of a component.
func isOf(w *model.Workload, c *Component) bool {
	return !w.Beside && w.Intent == "" && w.Digest == cmp.Or(c.State.Workload, model.WorkloadDigest(c.Component, c.State.Grant, c.State.Run))
}

// keepsData reports whether a component declares volumes that outlive its replicas.
func (c *Component) keepsData() bool {
	var traits struct {
		Storage []struct{ Type string }
	}
	return json.Unmarshal(c.Traits, &traits) == nil && slices.ContainsFunc(traits.Storage, func(v struct{ Type string }) bool { return v.Type == "persistent" })
}
