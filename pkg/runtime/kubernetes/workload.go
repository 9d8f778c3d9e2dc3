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

// workloads judges the parts of one application by their objects and pods, each alone.
func workloads(app model.AppID, objects []*apply.Object) []model.Workload {
	type group struct{ objects, made []*apply.Object }
	parts := map[model.PartKey]*group{}
	owners := map[apply.Ref]*apply.Object{}
	for _, o := range objects {
		owners[o.Ref] = o
		key := model.PartKey{App: app, Component: o.Component, Beside: seen(o).beside, Job: seen(o).intent}
		g := parts[key]
		if g == nil {
			g = &group{}
			parts[key] = g
		}
		switch {
		case o.Owner != apply.Ref{}:
			g.made = append(g.made, o)
		case o.Workload != "":
			g.objects = append(g.objects, o)
		}
	}
	var all []model.Workload
	for _, key := range slices.SortedFunc(maps.Keys(parts), model.PartKey.Compare) {
		g := parts[key]
		if len(g.objects) == 0 {
			continue
		}
		w := workload(g.objects)
		w.App, w.Component, w.Beside, w.Intent = app, key.Component, key.Beside, key.Job
		if f := worst(g.objects, g.made, owners); f != nil && (f.Final || !w.Current || w.Ready < w.Replicas) {
			f.Restarts = restarts(g.objects, g.made, owners)
			w.Failure = f // else the workload has recovered, though its pods still show the failure
		}
		w.Images, w.Live = imagesOf(g.made), live(&w, g.objects)
		if w.Failure == nil && w.Ready < w.Replicas {
			w.Why = why(g.objects, g.made, owners)
		}
		if key.Job != "" {
			w.Message, w.Lock = message(g.made, w.Done), seen(g.objects[0]).lock
		}
		all = append(all, w)
	}
	return all
}

// imagesOf lists the images that run, of every version of the workload.
func imagesOf(made []*apply.Object) (list []string) {
	for _, o := range made {
		list = slices.AppendSeq(list, strings.FieldsFuncSeq(seen(o).images, func(r rune) bool { return r == '\n' }))
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return list[:min(len(list), maxImages)]
}

// why returns why objects or pods of the newest spec of a workload are not ready, "" if none tells.
func why(objects, made []*apply.Object, owners map[apply.Ref]*apply.Object) (first string) {
	for _, o := range slices.Concat(objects, made) {
		if text := seen(o).why; text != "" && (first == "" || text < first) && !o.Deleting && !superseded(o, objects, owners) {
			first = text
		}
	}
	return first
}

// restarts counts the restarts of the newest spec of a workload: of containers, and
// pods that replaced others.
func restarts(objects, made []*apply.Object, owners map[apply.Ref]*apply.Object) (n int) {
	for _, o := range slices.Concat(objects, made) {
		if !superseded(o, objects, owners) {
			n += seen(o).restarts
		}
	}
	return n
}

// message returns the message of the last pod of a job that ended as the job did.
func message(made []*apply.Object, done bool) string {
	var last *apply.Object
	for _, o := range made {
		s := seen(o)
		if s.message == "" || s.done != done {
			continue
		}
		if last == nil || cmp.Or(strings.Compare(seen(last).finished, s.finished), last.Compare(o.Ref)) < 0 {
			last = o
		}
	}
	if last == nil {
		return ""
	}
	return seen(last).message
}

// workload judges one component: it is current only if all of its objects exist, are
// of the same spec and are current.
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
			w.Rolling = w.Rolling || s.rolling
		}
		if o.Group == "batch" && o.Kind == "Job" {
			jobs++
			if s.done {
				done++
			}
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

// worst returns the most important failure of a component: a final one, else the one
// that its owner can fix best.
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

// superseded reports whether a pod or replica set belongs to an older spec, so that
// its health no longer counts.
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

// rank orders failures by importance, the most important first.
func rank(f model.Failure) int {
	order := []string{JobFailed, OutOfMemory, model.VMExit, model.WindowsServiceStopped, ContainerCrash, ImageUnavailable, SecretMissing, ConfigInvalid, PodsRefused,
		ProgressDeadlineExceeded, Unschedulable, PodLost}
	if f.Final {
		return -1
	}
	return slices.Index(order, f.Reason) + 1
}
