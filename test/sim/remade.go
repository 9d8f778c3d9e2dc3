package sim

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/pkg/workflow"
	"github.com/d-aros/d-aros/test/sim/reference"
)

// newID names a ledger.
func (w *World) newID() string {
	w.adopted++
	return string(model.DigestOf(w.adopted))
}

// adoptBranch does what "reconciler run --adopt" does where the branch holds an older save: every process that starts before
// the next save takes it for the ledger.
func (w *World) adoptBranch(p *process) {
	o := w.origin
	if !o.lost() || o.now().Identity.ID == "" || o.now().Identity.ID != w.cluster.anchor.ID {
		return
	}
	o.versions[o.tip()-1].lost = false
	w.adopts = o.tip()
	w.begin(o.now())
	w.tell("    the branch is adopted as it is, version %d", o.tip())
	_, _ = p.pass(0, nil)
}

// remakeBranch does what "reconciler restore --from-cluster --write" does: the ledger is made again from the objects, and
// from the commits that they name.
func (w *World) remakeBranch() {
	o, git := w.origin, w.repo
	if !o.lost() || w.apiDown || w.sourceDown {
		return
	}
	accepted := git.commits[w.cluster.anchor.Commit]
	if accepted.broken || !git.follows(git.tip, accepted.named) {
		return // the command says that it cannot
	}
	for _, broken := range accepted.tenantBroken {
		if broken {
			return // what runs of the tenant would be left alone until the tenant is mended, which the page says to do first
		}
	}
	rendered := func(f model.Fleet) model.Fleet {
		f, _ = turn.CheckRenderings(f, turn.Renderings{
			Fleet: "sim", Checked: w.checked, Builds: func(*model.Application) (render.Builds, error) { return nil, nil },
		})
		return f
	}
	rebuilt := turn.Rebuild(turn.Lost{
		Identity: model.LedgerIdentity{ID: w.newID(), Fleet: "sim"}, Remains: w.remains(), Fleet: rendered(fleetOf(accepted, len(apps))), Now: w.now,
		At: func(app model.AppID, commit string) *model.Application {
			t, i := git.commits[commit], slices.Index(apps, app)
			if t == nil || !git.follows(git.tip, commit) || !t.usable(i) {
				return nil
			}
			return new(application(i, t.spec(i), t.rules, cmp.Or(t.pins[i].commit, commit)))
		},
		Newer: func(a, b string) bool { return a != b && git.commits[a] != nil && git.follows(a, b) },
	})
	if w.options.Remake != nil {
		w.options.Remake(&rebuilt.Ledger)
	}
	rebuilt.Ledger.Identity.Sequence = 1
	var v version
	v.files, v.ledger = (&branch{process: w.processes[0], origin: o}).encode(&rebuilt.Ledger)
	o.add(v)
	w.cluster.anchor = new(turn.RebuiltAnchor(&v.ledger, "status"))
	w.begin(o.now())
	for i := range v.ledger.Instances {
		inst := &v.ledger.Instances[i]
		w.remade[inst.App] = remade{inst.Number, inst.Release(), git.tip}
	}
	w.tell("    the ledger is made again from the cluster, as version %d", o.tip())
}

// begin takes a ledger for what is so. Whoever runs starts anew, and nobody else knows what was before.
func (w *World) begin(l *model.Ledger) {
	for _, p := range w.processes {
		p.loop = nil
	}
	clear(w.ends)
	clear(w.excess)
	clear(w.remade)
	clear(w.orphans)
	for _, inv := range w.cluster.listInventories() {
		if _, known := l.Find(inv.App); !known {
			w.orphans[inv.App] = true
		}
	}
	w.reference = reference.Of(l)
}

// remains is what the cluster shows of the ledger.
func (w *World) remains() (left model.Remains) {
	left.Inventories = w.cluster.listInventories()
	for _, o := range slices.SortedFunc(maps.Values(w.cluster.objects), func(x, y *object) int { return cmp.Compare(x.key, y.key) }) {
		if o.part.app.Name == "" || o.told.workload == "" || !o.leaving.IsZero() {
			continue
		}
		r := o.told.remains
		r.App, r.Component, r.Object, r.Workload, r.Made, r.Done = o.part.app, o.part.component, o.key, o.told.digest(), o.since, o.done
		left.Workloads = append(left.Workloads, r)
	}
	slices.SortStableFunc(left.Workloads, func(a, b model.Remnant) int {
		return cmp.Or(a.App.Compare(b.App), cmp.Compare(a.Component, b.Component), compareBools(b.Run > 0, a.Run > 0))
	})
	return left
}

// remnantOf is what an object says about its place in the ledger.
func remnantOf(u *unstructured.Unstructured) model.Remnant {
	notes, labels := u.GetAnnotations(), u.GetLabels()
	told, _ := render.ParseTold(notes[render.AnnotationGrant])
	r := model.Remnant{
		Beside: labels[render.LabelTrack] == render.TrackNext, Intent: notes[render.AnnotationIntent], Commit: notes[render.AnnotationCommit],
		Release: model.Digest(notes[render.AnnotationRelease]), Grant: told.Grant, Before: told.Before, Run: told.Run, Traffic: told.Traffic,
		Finite: u.GetKind() == "Job",
	}
	r.Instance, _ = strconv.Atoi(labels[render.LabelInstance])
	return r
}

// listInventories lists the inventories of applications.
func (c *cluster) listInventories() (list []model.Inventory) {
	for _, app := range apps {
		refs, ok := c.inventories[app]
		if !ok {
			continue
		}
		inv := model.Inventory{App: app, Namespace: app.Tenant, Ledger: c.ledgers[app], Objects: len(refs)}
		for _, ref := range refs {
			if o := c.objects[ref]; o != nil {
				n, _ := strconv.Atoi(o.told.instance)
				inv.Instance = max(inv.Instance, n)
			}
		}
		list = append(list, inv)
	}
	return list
}

// confirmOrphans has a file name the orphans that the branch has.
func (w *World) confirmOrphans() {
	orphans := w.origin.now().Orphans
	if len(orphans) == 0 || w.origin.lost() {
		return
	}
	w.repo.commit(func(t *tree) {
		t.removals = nil
		for i := range orphans {
			t.removals = append(t.removals, orphans[i].ID())
		}
	})
}

// remade is an application whose record was made again from what runs.
type remade struct {
	instance int
	release  model.Digest
	tip      string // of the fleet repo then
}

// asRemade reports whether an application is as its record was made again: it runs the same release, and nobody asked anything
// of its run.
func (w *World) asRemade(p *process, app model.AppID) bool {
	inst, r := p.says(app), w.remade[app]
	return inst != nil && r.instance == inst.Number && r.release == inst.Release() && r.tip == w.repo.tip && inst.Phase.Active() &&
		(inst.Run == nil || len(inst.Run.Commands) == 0) &&
		!slices.ContainsFunc(inst.History, func(t model.Transition) bool {
			return t.Reason != model.ReasonRestored && t.Reason != model.ReasonReady && t.Reason != model.ReasonRecovered
		})
}

const ruleRemade = "a ledger that is made again stops nothing and runs nothing again"

// nothingRunsAgain: the run of what runs has succeeded, or waits for a person.
func (w *World) nothingRunsAgain(p *process, app model.AppID, t told) {
	if t.intent != "" && w.asRemade(p, app) && !slices.ContainsFunc(workflow.Finished(p.says(app).Run), func(i workflow.Intent) bool { return i.Key == t.intent }) {
		w.violate(ruleRemade, "%s runs a job of %s", p.name, app)
	}
}

// nothingStops: what runs is the accepted release.
func (w *World) nothingStops(p *process, o *object) {
	if o.told.scales && !o.told.job && o.ready > 0 && w.asRemade(p, o.part.app) {
		w.violate(ruleRemade, "%s deletes %s of %s", p.name, o.ref, o.part.app)
	}
}

// unexplainedStays: what no commit explains stays as it is.
func (w *World) unexplainedStays(p *process, app model.AppID) {
	if inst := p.says(app); inst != nil && inst.SpecUnknown() {
		w.violate("what no commit explains stays", "%s changes objects of %s", p.name, app)
	}
}

// orphansStay: nobody knows who wanted what no record knows, so only a person lets it go.
func (w *World) orphansStay(p *process, o *object) {
	l := w.origin.says(p.acts)
	if _, known := l.Find(o.part.app); known || !w.orphans[o.part.app] {
		return
	}
	n, _ := strconv.Atoi(o.told.instance)
	if git := w.repo.commits[l.Commit]; git.declares(slices.Index(apps, o.part.app)) || !slices.ContainsFunc(git.removals, func(id model.InstanceID) bool { return id.App == o.part.app && id.Number >= n }) {
		w.violate(ruleOrphans, "%s deletes %s of %s", p.name, o.ref, o.part.app)
	}
}

const ruleOrphans = "orphans are told, and stay until a person lets them go"

// orphansAreTold: the branch has the orphans that were there before a pass.
func (w *World) orphansAreTold(p *process) {
	l := w.origin.now()
	for _, inv := range turn.Orphans(p.carrier.inventories, l) {
		if !slices.ContainsFunc(l.Orphans, func(o model.Inventory) bool { return o.App == inv.App }) {
			w.violate(ruleOrphans, "%s has objects and no record, and the branch does not say so", inv.App)
		}
	}
}
