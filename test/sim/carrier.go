package sim

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
)

// carrier is the cluster as one process sees it: through a watch that may lag, and
// with the traces of its own writes. It behaves as *kubernetes.Runtime does.
type carrier struct {
	*process
	cluster *cluster

	view  map[apply.Ref]object // what the watch has shown
	nodes [4]node
	extra int // foreign
	left  map[apply.Ref]trace

	inventories []model.Inventory // that the watch has shown
	changes     int               // to these
	drift       map[model.AppID]bool

	stalled time.Time // since when the watch shows nothing new; zero: it does
	seen    model.Observation
	unsound map[model.AppID]bool // applications whose last set failed
}

// trace is what our last write left of an object.
type trace struct {
	app     model.AppID
	applied string
}

func newCarrier(p *process, c *cluster) *carrier {
	return &carrier{process: p, cluster: c, left: map[apply.Ref]trace{}, drift: map[model.AppID]bool{}, unsound: map[model.AppID]bool{}}
}

func (c *carrier) Changed() <-chan struct{} { return nil }

func (c *carrier) Event(context.Context, *model.Instance, announce.Event) { c.line("tell an event") }

// sync brings the view up to date and notes what others did to what we wrote.
func (c *carrier) sync() {
	if c.view != nil && (!c.stalled.IsZero() || c.world.apiDown) {
		return
	}
	c.cluster.progress()
	before := c.view
	c.view = make(map[apply.Ref]object, len(c.cluster.objects))
	for ref, o := range c.cluster.objects {
		c.view[ref] = *o
	}
	c.nodes, c.extra = c.cluster.nodes, c.cluster.foreign
	if list := c.cluster.listInventories(); !slices.Equal(list, c.inventories) {
		c.inventories, c.changes = list, c.changes+1
	}
	for ref, t := range c.left {
		was, had := before[ref]
		now, has := c.view[ref]
		if (had != has || was.edited != now.edited || was.told.applied != now.told.applied) &&
			(!has || now.edited > 0 || now.told.applied != t.applied) {
			c.drift[t.app] = true
		}
	}
	for ref, now := range c.view {
		if _, mine := c.left[ref]; !mine && now.prunable() && (before[ref].told.applied != now.told.applied || before[ref].edited != now.edited) {
			c.drift[now.part.app] = true
		}
	}
}

func (c *carrier) Drifted() []model.AppID {
	c.line("ask for drift")
	c.sync()
	drifted := slices.SortedFunc(maps.Keys(c.drift), model.AppID.Compare)
	clear(c.drift)
	return drifted
}

var errStale = errors.New("the API server has not been reachable for a while")

func (c *carrier) Inspect(_ context.Context, platform *model.Platform) (model.Observation, error) {
	c.line("inspect")
	since := c.stalled
	if c.world.apiDown && since.IsZero() {
		since = c.world.apiSince
	}
	if !since.IsZero() && (c.view == nil || c.world.now.Sub(since) > 10*time.Second) {
		return model.Observation{}, errStale
	}
	c.sync()
	c.seen = model.Observation{Workloads: c.workloads()}
	for i := range platform.Pools {
		c.seen.Pools = append(c.seen.Pools, c.capacity(platform.Pools[i].Name))
	}
	return c.seen, nil
}

// capacity is what the nodes in view offer.
func (c *carrier) capacity(name string) model.Pool {
	p := model.Pool{Name: name}
	for _, n := range c.nodes {
		if n.ready {
			size := perReplica.Times(n.cores)
			p.Nodes++
			p.Capacity = p.Capacity.Add(size)
			p.Largest = size
		}
	}
	p.Capacity = p.Capacity.Sub(perReplica.Times(min(c.extra, int(p.Capacity.CPU/perReplica.CPU))))
	return p
}

// workloads judges the components by the objects in view: a component is carried
// out only if all of its objects are there and say the same.
func (c *carrier) workloads() []model.Workload {
	parts := map[running][]*object{}
	for ref := range c.view {
		if o := c.view[ref]; o.told.workload != "" {
			p := running{o.part, o.told.beside, o.told.intent}
			parts[p] = append(parts[p], &o)
		}
	}
	all := make([]model.Workload, 0, len(parts))
	for p, objects := range parts {
		slices.SortFunc(objects, func(x, y *object) int { return cmp.Compare(x.key, y.key) })
		main := objects[0]
		for _, o := range objects {
			if o.told.scales && !main.told.scales {
				main = o
			}
		}
		digest, count, _ := strings.Cut(main.told.workload, ".")
		n, _ := strconv.Atoi(count)
		w := model.Workload{App: p.app, Component: p.component, Digest: model.Digest(digest), Current: n == len(objects), Beside: p.beside, Intent: p.intent, Lock: main.told.lock}
		scales, jobs, done := false, 0, 0
		for _, o := range objects {
			w.Current = w.Current && o.told.workload == main.told.workload && o.current && o.leaving.IsZero() && o.edited == 0
			if o.told.scales {
				scales = true
				w.Replicas += o.told.replicas
				w.Ready += o.ready
			}
			if o.told.job {
				jobs++
			}
			if o.done {
				done++
			}
			if f := o.failure(c.cluster.behaviour[p.part], c.cluster.now()); f != nil && o.leaving.IsZero() && (w.Failure == nil || f.Final) {
				w.Failure = f
			}
		}
		w.Done = jobs > 0 && done == jobs
		if !scales {
			w.Replicas = 1
			if w.Current {
				w.Ready = 1
			}
		}
		if w.Failure != nil && !w.Failure.Final && w.Current && w.Ready >= w.Replicas {
			w.Failure = nil
		}
		all = append(all, w)
	}
	slices.SortFunc(all, func(x, y model.Workload) int {
		return cmp.Or(x.App.Compare(y.App), cmp.Compare(x.Component, y.Component), compareBools(x.Beside, y.Beside), cmp.Compare(x.Intent, y.Intent))
	})
	return all
}

func compareBools(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

// renderer renders assignments as the adapter of Kubernetes does.
var renderer = &kubernetes.Renderer{Fleet: "sim"}

func (c *carrier) Act(ctx context.Context, list []runtime.Assignment) runtime.Report {
	return renderer.Act(ctx, list, c.apply)
}

func (c *carrier) apply(_ context.Context, sets []render.Set) apply.Report {
	report := apply.Report{Sets: make([]apply.SetReport, len(sets))}
	for i := range sets {
		a := &applying{carrier: c, set: &sets[i], report: &report.Sets[i], requests: &report.Requests}
		a.run()
		c.unsound[sets[i].App] = !a.report.OK()
		if c.world.apiDown && !a.report.OK() {
			report.Err = errDown
		}
	}
	return report
}

// toldBy reads from a rendered object what it tells the cluster to do.
func toldBy(o *render.Object) told {
	u := o.Object
	notes := u.GetAnnotations()
	t := told{
		applied: notes[render.AnnotationApplied], workload: notes[render.AnnotationWorkload],
		instance: u.GetLabels()[render.LabelInstance],
		keep:     notes[render.AnnotationPrune] == render.PruneKeep,
		remains:  remnantOf(u),
	}
	number := func(field string) int {
		n, _, _ := unstructured.NestedInt64(u.Object, "spec", field)
		return int(n)
	}
	switch u.GetKind() {
	case "Deployment", "StatefulSet":
		t.scales, t.replicas = true, number("replicas")
	case "Job":
		t.scales, t.job, t.replicas = true, true, number("parallelism")
	}
	t.intent, t.lock = notes[render.AnnotationIntent], notes[render.AnnotationLock]
	t.beside = u.GetLabels()[render.LabelTrack] == render.TrackNext
	claims, _, _ := unstructured.NestedSlice(u.Object, "spec", "volumeClaimTemplates")
	for _, claim := range claims {
		name, _, _ := unstructured.NestedString(claim.(map[string]any), "metadata", "name")
		t.claims = append(t.claims, name)
	}
	return t
}

func refOf(u *unstructured.Unstructured) apply.Ref {
	gvk := u.GroupVersionKind()
	return apply.Ref{Group: gvk.Group, Kind: gvk.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}
}
