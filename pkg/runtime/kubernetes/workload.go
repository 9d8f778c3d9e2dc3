package kubernetes

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
)

// workloads judges the components of one application by their objects and pods.
func workloads(app model.AppID, objects []*apply.Object) []model.Workload {
	type parts struct{ objects, made []*apply.Object }
	components := map[string]*parts{}
	owners := map[apply.Ref]*apply.Object{}
	for _, o := range objects {
		owners[o.Ref] = o
		p := components[o.Component]
		if p == nil {
			p = &parts{}
			components[o.Component] = p
		}
		switch {
		case o.Owner != apply.Ref{}:
			p.made = append(p.made, o)
		case o.Workload != "":
			p.objects = append(p.objects, o)
		}
	}
	var all []model.Workload
	for _, name := range slices.Sorted(maps.Keys(components)) {
		if p := components[name]; len(p.objects) > 0 {
			w := workload(p.objects)
			w.App, w.Component = app, name
			if f := worst(p.objects, p.made, owners); f != nil && (f.Final || !w.Current || w.Ready < w.Replicas) {
				w.Failure = f // else it was overcome, though its traces are still there
			}
			all = append(all, w)
		}
	}
	return all
}

// workload judges one component: it is carried out only if all of its objects
// are there, are about the same spec, and are in the state they ask for.
func workload(objects []*apply.Object) model.Workload {
	var w model.Workload
	main := objects[0]
	for _, o := range objects {
		if s := seen(o); s.scales && !seen(main).scales {
			main = o
		}
	}
	digest, count := parseWorkload(main.Workload)
	w.Digest, w.Current = digest, count == len(objects)
	scales, jobs, done := false, 0, 0
	for _, o := range objects {
		s := seen(o)
		d, _ := parseWorkload(o.Workload)
		w.Current = w.Current && d == digest && s.current && !o.Deleting
		if s.scales {
			scales = true
			w.Replicas += s.replicas
			w.Ready += s.ready
		}
		if o.Group == "batch" && o.Kind == "Job" {
			jobs++
		}
		if s.done {
			done++
		}
	}
	w.Done = jobs > 0 && done == jobs
	if !scales {
		w.Replicas = 1
		if w.Current {
			w.Ready = 1
		}
	}
	return w
}

// parseWorkload reads <digest>.<n>.
func parseWorkload(s string) (model.Digest, int) {
	digest, count, _ := strings.Cut(s, ".")
	n, _ := strconv.Atoi(count)
	return model.Digest(digest), n
}

// worst returns the failure that says most about a component: the final one,
// else the one nearest to what its owner can change.
func worst(objects, made []*apply.Object, owners map[apply.Ref]*apply.Object) *model.Failure {
	var found []model.Failure
	for _, o := range slices.Concat(objects, made) {
		if f := seen(o).failure; f.Reason != "" && !o.Deleting && !superseded(o, objects, owners) {
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, func(a, b model.Failure) int {
		return cmp.Or(rank(a)-rank(b), strings.Compare(a.Message, b.Message))
	})
	f := found[0]
	for _, cause := range found[1:] {
		if f.Reason == JobFailed && f.ExitCode == 0 && cause.ExitCode != 0 {
			f.ExitCode, f.Message = cause.ExitCode, cause.Message+"; "+f.Message
		}
	}
	return &f
}

// superseded says whether a pod or replica set belongs to an older spec: what
// happens to it no longer says anything.
func superseded(o *apply.Object, objects []*apply.Object, owners map[apply.Ref]*apply.Object) bool {
	if o.Owner == (apply.Ref{}) {
		return false
	}
	owner := owners[o.Owner]
	if owner == nil {
		return true
	}
	if owner.Kind == "ReplicaSet" || o.Kind == "ReplicaSet" {
		set := owner
		if o.Kind == "ReplicaSet" {
			set = o
		}
		for _, main := range objects {
			if main.Ref == set.Owner {
				return main.Workload != set.Workload
			}
		}
		return true
	}
	revision := seen(owner).revision
	return revision != "" && seen(o).revision != "" && revision != seen(o).revision
}

// rank orders failures by how much they say.
func rank(f model.Failure) int {
	order := []string{JobFailed, OutOfMemory, ContainerCrash, ImageUnavailable, ConfigInvalid, PodsRefused,
		ProgressDeadlineExceeded, Unschedulable, PodLost}
	if f.Final {
		return -1
	}
	return slices.Index(order, f.Reason) + 1
}
