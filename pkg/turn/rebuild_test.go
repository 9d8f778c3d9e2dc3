package turn_test

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/pkg/workflow"
)

var shopID = model.AppID{Tenant: "acme", Name: "shop"}

// objects renders what the ledger tells the cluster to hold, by application. What a
// kustomization brings is left out.
func (r *runner) objects() map[model.AppID][]render.Object {
	all := map[model.AppID][]render.Object{}
	for i := range r.ledger.Instances {
		inst := &r.ledger.Instances[i]
		if !inst.HasObjects() || slices.ContainsFunc(inst.Spec.Components, func(c model.Component) bool { return c.Source != "" }) {
			continue
		}
		in := render.Input{Fleet: "test", Instance: inst, Pools: r.fleet.Platform.Pools}
		in.Tenant, _ = model.Find(r.ledger.Tenants, inst.App.Tenant)
		if inst.Run != nil {
			for _, j := range workflow.Finished(inst.Run) {
				in.Jobs = append(in.Jobs, render.StepJob{Key: j.Key, Component: j.Job.Component, Spec: j.Job.Spec, Keep: true})
			}
		}
		set, err := render.Application(in)
		require.NoError(r.t, err)
		all[inst.App] = set.Objects
	}
	return all
}

// remains is what a cluster shows that holds the objects. A job of a step that is kept
// shows its key, as it was sent with it.
func (r *runner) remains(objects map[model.AppID][]render.Object) (left model.Remains) {
	for app, list := range objects {
		left.Inventories = append(left.Inventories, model.Inventory{App: app, Ledger: r.ledger.Identity.ID, Objects: len(list)})
		for _, o := range list {
			notes, labels := o.Object.GetAnnotations(), o.Object.GetLabels()
			told, ok := render.ParseTold(notes[render.AnnotationGrant])
			if o.Keep && o.Object.GetKind() == "Job" { // it says what it said when it was sent
				inst, _ := r.ledger.Find(app)
				if s, done := inst.Component(o.Component); done && s.State == model.StateDone && inst.Spec.Workflow == nil {
					left.Workloads = append(left.Workloads, model.Remnant{
						App: app, Component: o.Component, Object: "Job " + o.Object.GetName(), Instance: inst.Number, Commit: inst.Spec.Commit,
						Release: inst.Release(), Workload: s.Workload, Grant: s.Grant, Run: s.Run, Made: now, Finite: true, Done: true,
					})
				}
			}
			if !ok {
				continue
			}
			digest, _, _ := strings.Cut(notes[render.AnnotationWorkload], ".")
			number, _ := strconv.Atoi(labels[render.LabelInstance])
			left.Workloads = append(left.Workloads, model.Remnant{
				App: app, Component: o.Component, Object: o.Object.GetKind() + " " + o.Object.GetName(), Beside: labels[render.LabelTrack] == render.TrackNext,
				Instance: number, Commit: notes[render.AnnotationCommit], Release: model.Digest(notes[render.AnnotationRelease]),
				Workload: model.Digest(digest), Grant: told.Grant, Before: told.Before, Run: told.Run, Traffic: told.Traffic, Made: now,
				Finite: o.Object.GetKind() == "Job", Done: o.Object.GetKind() == "Job",
			})
		}
		inst, _ := r.ledger.Find(app)
		if inst.Run == nil {
			continue
		}
		for _, j := range workflow.Finished(inst.Run) {
			left.Workloads = append(left.Workloads, model.Remnant{App: app, Component: j.Job.Component, Object: "Job", Intent: j.Key, Finite: true, Done: true})
		}
	}
	slices.SortFunc(left.Inventories, func(a, b model.Inventory) int { return a.App.Compare(b.App) })
	slices.SortStableFunc(left.Workloads, func(a, b model.Remnant) int {
		return cmp.Or(a.App.Compare(b.App), cmp.Compare(a.Component, b.Component))
	})
	return left
}

// rebuild loses the ledger and makes it again.
func (r *runner) rebuild(left model.Remains, fleets ...model.Fleet) turn.Rebuilt {
	r.now = r.now.Add(time.Hour)
	rebuilt := turn.Rebuild(turn.Lost{
		Identity: model.LedgerIdentity{ID: strings.Repeat("b", 32), Fleet: "test"}, Remains: left, Fleet: r.fleet, Now: r.now,
		At: func(app model.AppID, commit string) *model.Application {
			for _, f := range append(fleets, r.fleet) {
				for _, a := range f.Applications {
					if a.ID == app && f.Commit == commit {
						return a
					}
				}
			}
			return nil
		},
		Newer: func(a, b string) bool { return a > b },
	})
	r.ledger = rebuilt.Ledger
	return rebuilt
}

// sameObjects demands that an apply would send nothing and prune nothing.
func (r *runner) sameObjects(before map[model.AppID][]render.Object) {
	after := r.objects()
	for app, list := range before {
		for i, o := range list {
			require.Greater(r.t, len(after[app]), i, "%s: %s would be pruned", app, o.Object.GetName())
			is := after[app][i]
			require.Equal(r.t, o.Object.GetName(), is.Object.GetName(), "%s", app)
			if !o.Keep && !is.Keep {
				require.True(r.t, bytes.Equal(o.JSON, is.JSON), "%s\n%s\n%s", app, o.JSON, is.JSON)
			}
		}
		require.Len(r.t, after[app], len(list), "%s", app)
	}
}

// staged is the example in which the shop comes by a canary, with another image.
func staged(t *testing.T, tag string) repo {
	tree := example(t)
	tree = tree.edited(t, shopFile, `{name: "release", type: "deploy", dependsOn: ["migrate"]},
		{name: "agree", type: "approval", dependsOn: ["release"], properties: roles: ["tenant-admin"]},`,
		`{name: "base", type: "deploy", components: ["database", "worker"], dependsOn: ["migrate"]},
		{name: "canary", type: "canary", components: ["web"], dependsOn: ["base"], properties: stages: [{replicas: 1, manual: true}, {weight: 50}]},`)
	for range 3 {
		tree = tree.edited(t, shopFile, "shop:1.4.2", "shop:"+tag)
	}
	return tree
}

// TestRebuild: a ledger that is made again from what runs tells the cluster to hold just
// that. No run begins, and what has run is another run by name.
func TestRebuild(t *testing.T) {
	r := newRunner(t)
	r.ledger.Identity = model.LedgerIdentity{ID: strings.Repeat("a", 32), Sequence: 1, Fleet: "test"}
	r.commit("1", staged(t, "1.4.2"))
	r.settle()
	was, objects := r.ledger, r.objects()
	require.Equal(t, model.RunSucceeded, mustFind(t, &was, shopID).Run.Phase)
	require.NotEmpty(t, objects[shopID])
	rebuilt := r.rebuild(r.remains(objects))
	require.Empty(t, rebuilt.Unknown)
	require.Empty(t, rebuilt.Held)
	require.Empty(t, rebuilt.Orphans)
	r.sameObjects(objects)
	for range 3 {
		r.turn()
		r.sameObjects(objects)
	}
	for app := range objects {
		a, b := mustFind(t, &was, app), mustFind(t, &r.ledger, app)
		require.Equal(t, []any{a.Number, a.Release(), a.Spec.Commit}, []any{b.Number, b.Release(), b.Spec.Commit})
		require.Equal(t, a.Phase, b.Phase, "%s: %s", app, b.Message)
		require.Equal(t, model.ReasonRestored, b.History[0].Reason)
		if a.Run != nil {
			require.Equal(t, a.Run.Phase, b.Run.Phase)
			require.Equal(t, a.Run.Number, b.Run.Number)
			require.NotEqual(t, a.Run.ID, b.Run.ID, "what was asked of the run before does not count")
			require.Equal(t, a.Run.Targets, b.Run.Targets)
			require.Equal(t, a.Run.Base, b.Run.Base)
		}
	}
}

// TestRebuildHalfACanary: two releases of the shop run. The run is paused: nothing
// changes before a person resumes it, and then it goes to its end.
func TestRebuildHalfACanary(t *testing.T) {
	r := newRunner(t)
	r.commit("1", staged(t, "1.4.2"))
	r.settle()
	first := r.fleet
	r.commit("2", staged(t, "1.5.0"))
	r.settle()
	was, objects := r.ledger, r.objects()
	shop := mustFind(t, &was, shopID)
	require.Equal(t, model.RunRunning, shop.Run.Phase)
	web, _ := shop.Component("web")
	require.NotNil(t, web.Beside)

	rebuilt := r.rebuild(r.remains(objects), first)
	require.Empty(t, rebuilt.Unknown)
	r.sameObjects(objects)
	for range 3 {
		r.turn()
		r.sameObjects(objects)
	}
	is := mustFind(t, &r.ledger, shopID)
	require.Equal(t, model.PhaseScheduled, is.Phase)
	require.Equal(t, model.RunPaused, is.Run.Phase)
	require.Equal(t, shop.Previous.Release, is.Previous.Release)
	canary, _ := is.Run.Step("canary")
	require.Equal(t, model.StepQueued, canary.Phase)
	migrated, _ := is.Run.Step("migrate")
	require.Equal(t, model.StepSucceeded, migrated.Phase, "no job runs again")

	// It is resumed, and begins with its first stage again.
	is.Run.Phase = model.RunRunning
	r.settle()
	is = mustFind(t, &r.ledger, shopID)
	canary, _ = is.Run.Step("canary")
	require.Equal(t, model.StepActive, canary.Phase)
	canary.Resumed = true
	for range 30 {
		r.now = r.now.Add(time.Minute)
		r.turn()
	}
	is = mustFind(t, &r.ledger, shopID)
	require.Equal(t, model.RunSucceeded, is.Run.Phase, "%s", is.Run.Message)
	require.Equal(t, model.PhaseRunning, is.Phase)
}

// TestRebuildKeepsAHold: the release that Git declares did not run when the ledger was
// lost, so it does not run because of that.
func TestRebuildKeepsAHold(t *testing.T) {
	r := newRunner(t)
	tree := example(t)
	r.commit("1", tree)
	r.settle()
	first, objects := r.fleet, r.objects()
	api := model.AppID{Tenant: "globex", Name: "api"}
	r.commit("2", tree.edited(t, "tenants/globex/apps/api/app.cue", `redis:7.4`, `redis:7.5`))
	rebuilt := r.rebuild(r.remains(objects), first)
	require.Equal(t, []model.AppID{api}, rebuilt.Held)
	for range 3 {
		r.turn()
		r.sameObjects(objects)
	}
	require.Equal(t, model.PhaseRunning, mustFind(t, &r.ledger, api).Phase)
	require.NotNil(t, mustFind(t, &r.ledger, api).Refused)
}

// TestRebuildTheUnknown: what no commit explains, or says of itself what is not so, stays
// as it is until Git has another release. What Git does not declare is an orphan.
func TestRebuildTheUnknown(t *testing.T) {
	for name, spoil := range map[string]func(*model.Remnant){
		"a commit that is gone":  func(w *model.Remnant) { w.Commit, w.Release = "0", "0" },
		"no release":             func(w *model.Remnant) { w.Release = "" },
		"another grant":          func(w *model.Remnant) { w.Grant.Replicas++ },
		"of another component":   func(w *model.Remnant) { w.Grant.Component = "other" },
		"another workload":       func(w *model.Remnant) { w.Workload = "0" },
		"more than it is to run": func(w *model.Remnant) { w.Run = 1 << 40 },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t)
			tree := example(t)
			r.commit("1", tree)
			r.settle()
			api := model.AppID{Tenant: "globex", Name: "api"}
			left := r.remains(r.objects())
			left.Inventories = append(left.Inventories, model.Inventory{App: model.AppID{Tenant: "gone", Name: "app"}, Objects: 3})
			for i := range left.Workloads {
				if left.Workloads[i].App == api {
					spoil(&left.Workloads[i])
				}
			}
			rebuilt := r.rebuild(left)
			require.Len(t, rebuilt.Unknown, 1)
			require.Equal(t, api, rebuilt.Unknown[0].App)
			require.Len(t, rebuilt.Orphans, 1)
			for range 3 {
				r.turn()
			}
			is := mustFind(t, &r.ledger, api)
			require.True(t, is.SpecUnknown())
			require.Equal(t, model.ReasonSpecUnknown, is.History[0].Reason)
			require.Len(t, is.History, 1)

			r.commit("2", tree.edited(t, "tenants/globex/apps/api/app.cue", `redis:7.4`, `redis:7.5`))
			r.settle()
			require.Equal(t, model.PhaseRunning, mustFind(t, &r.ledger, api).Phase)
		})
	}
}

func mustFind(t *testing.T, l *model.Ledger, app model.AppID) *model.Instance {
	t.Helper()
	inst, ok := l.Find(app)
	require.True(t, ok, "%s", app)
	return inst
}
