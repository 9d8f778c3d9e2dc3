package turn

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Lost is what is left of a fleet whose ledger is lost.
type Lost struct {
	Identity model.LedgerIdentity // of the ledger that is made
	Remains  model.Remains
	Fleet    model.Fleet // of the commit that was accepted last
	Now      time.Time

	// At returns an application as a commit declares it, nil if the commit is none that
	// leads to the accepted one, or does not declare the application.
	At func(app model.AppID, commit string) *model.Application
	// Newer reports whether commit a follows commit b.
	Newer func(a, b string) bool
}

// Rebuilt is a ledger that was made again, and what it does not say.
type Rebuilt struct {
	Ledger  model.Ledger
	Unknown []Unexplained     // applications whose objects stay as they are: no commit explains them
	Orphans []model.Inventory // of applications that Git does not declare
	New     []model.AppID     // that Git declares and of which nothing runs: they begin
	Held    []model.AppID     // whose release in Git did not run: it is on hold
}

// Unexplained is an application and why what runs of it is not known.
type Unexplained struct {
	App model.AppID `json:"application"`
	Why string      `json:"why"`
}

// Rebuild makes a ledger from what the cluster shows, so that a pass that follows stops
// nothing and runs nothing again: what runs is the accepted release, and its run has
// succeeded or is paused. What no commit explains, and what Git does not declare, stays
// as it is.
func Rebuild(l Lost) Rebuilt {
	r := Rebuilt{Ledger: model.Ledger{
		Identity: l.Identity, Commit: l.Fleet.Commit, Platform: l.Fleet.Platform, Tenants: l.Fleet.Tenants, Problems: l.Fleet.Problems,
	}}
	declared := map[model.AppID]*model.Application{}
	for _, a := range l.Fleet.Applications {
		declared[a.ID] = a
	}
	for _, u := range l.Fleet.Unusable {
		declared[u.App] = nil
	}
	left := map[model.AppID][]model.Remnant{}
	for _, w := range l.Remains.Workloads {
		left[w.App] = append(left[w.App], w)
	}
	known := map[model.AppID]bool{}
	for _, inv := range l.Remains.Inventories {
		app, wanted := declared[inv.App]
		switch {
		case known[inv.App]:
			continue
		case !wanted:
			r.Orphans = append(r.Orphans, inv)
			continue
		case onlySettings(app, left[inv.App]):
			continue // it was evicted, or somebody deleted it: it begins anew
		}
		known[inv.App] = true
		in := &relic{lost: &l, app: inv.App, wanted: app, objects: left[inv.App]}
		inst, why := in.instance()
		if why != "" {
			r.Unknown = append(r.Unknown, Unexplained{inv.App, why})
			inst = in.unknown(why)
		}
		if inst == nil {
			continue
		}
		if why == "" && len(inst.Held) > 0 {
			r.Held = append(r.Held, inv.App)
		}
		r.Ledger.Instances = append(r.Ledger.Instances, *inst)
	}
	for _, a := range l.Fleet.Applications {
		if !known[a.ID] && (a.Desired == model.DesiredRunning || a.Desired == "") {
			r.New = append(r.New, a.ID)
		}
	}
	slices.SortFunc(r.Ledger.Instances, func(a, b model.Instance) int { return a.App.Compare(b.App) })
	return r
}

// RebuiltAnchor returns what the cluster remembers of a ledger that was rebuilt and saved.
// Nothing of that save is announced. Whatever follows it is, even if the process that
// saves it ends too early.
func RebuiltAnchor(saved *model.Ledger, branch string) model.Anchor {
	first := saved.Identity.Sequence
	return model.Anchor{LedgerIdentity: saved.Identity, Commit: saved.Commit, Branch: branch, Announced: first, Delivered: first}
}

// onlySettings reports whether nothing that runs is left of an application that would run:
// no object at all, or only those of its configuration and its secrets.
func onlySettings(wanted *model.Application, left []model.Remnant) bool {
	runs := func(component string) bool {
		c, ok := wanted.Component(component)
		return !ok || c.Runs()
	}
	return len(left) == 0 || wanted != nil &&
		!slices.ContainsFunc(left, func(w model.Remnant) bool { return w.Intent != "" || runs(w.Component) }) &&
		slices.ContainsFunc(wanted.Components, func(c model.Component) bool { return c.Critical && c.Runs() && !c.Finite() })
}

// relic is what is left of one application.
type relic struct {
	lost    *Lost
	app     model.AppID
	wanted  *model.Application // as Git declares it, nil if that is not valid
	objects []model.Remnant

	specs []*model.Application // releases that run, the accepted one first
}

// begin returns the record without what runs.
func (r *relic) begin(phase model.Phase, reason model.Reason, message string) *model.Instance {
	now := r.lost.Now
	inst := &model.Instance{App: r.app, Number: 1, Phase: phase, Reason: reason, Message: message, Since: now, Declared: now}
	for _, w := range r.objects {
		inst.Number = max(inst.Number, w.Instance)
		if !w.Made.IsZero() && w.Made.Before(inst.Declared) {
			inst.Declared = w.Made
		}
	}
	inst.History = []model.Transition{{At: now, Instance: inst.Number, To: phase, Reason: reason, Message: message, Commit: r.lost.Fleet.Commit}}
	return inst
}

// explain finds the releases that run, the accepted one first. It returns why one is
// not known.
func (r *relic) explain() (why string) {
	commits := map[model.Digest][]string{}
	var releases []model.Digest
	for i := range r.objects {
		w := &r.objects[i]
		switch {
		case w.Intent != "":
			continue
		case w.Release == "" || w.Grant.Component != w.Component:
			return w.Object + " does not say its release and grant"
		case commits[w.Release] == nil:
			releases = append(releases, w.Release)
		}
		if !slices.Contains(commits[w.Release], w.Commit) {
			commits[w.Release] = append(commits[w.Release], w.Commit)
		}
	}
	for _, release := range releases {
		if spec := r.spec(release, commits[release]); spec != nil {
			r.specs = append(r.specs, spec)
		}
	}
	if len(releases) == 0 && r.wanted != nil { // nothing is left that an update could stop, and no job runs again
		r.specs = append(r.specs, r.wanted.AsOf(r.lost.Fleet.Commit))
	}
	slices.SortStableFunc(r.specs, r.order)
	needed := 1
	for i := range r.objects {
		w := &r.objects[i]
		if w.Intent != "" {
			continue
		}
		of := slices.IndexFunc(r.specs, func(spec *model.Application) bool { return runs(spec, w) != nil })
		if of < 0 {
			return fmt.Sprintf("%s runs release %s, which commit %.12s does not declare so", w.Object, w.Release.Short(), cmp.Or(w.Commit, "none"))
		}
		needed = max(needed, of+1)
	}
	switch {
	case len(r.specs) == 0:
		return "nothing of it says what runs"
	case needed > 2:
		return fmt.Sprintf("%d releases of it run at once", needed)
	}
	r.specs = r.specs[:needed]
	return ""
}

// order puts the release first that Git declares, and newer ones before older ones.
func (r *relic) order(a, b *model.Application) int {
	declared := func(spec *model.Application) bool { return r.wanted != nil && r.wanted.Release == spec.Release }
	switch {
	case declared(a) || !declared(b) && r.lost.Newer(a.Commit, b.Commit):
		return -1
	case declared(b) || r.lost.Newer(b.Commit, a.Commit):
		return 1
	}
	return 0
}

// runs returns the component of a spec that an object runs, nil if it runs none of it.
func runs(spec *model.Application, w *model.Remnant) *model.Component {
	if c, ok := spec.Component(w.Component); ok && model.WorkloadDigest(c, w.Grant, w.Run) == w.Workload {
		return c
	}
	return nil
}

// spec returns the release as a commit declares it, nil if none does.
func (r *relic) spec(release model.Digest, commits []string) *model.Application {
	for _, commit := range commits {
		if a := r.lost.At(r.app, commit); a != nil && a.Release == release {
			return named(a, commit)
		}
	}
	if r.wanted != nil && r.wanted.Release == release { // it is pinned, or newer rules have made it what it was
		return named(r.wanted, commits[0])
	}
	return nil
}

func named(a *model.Application, commit string) *model.Application {
	spec := *a
	spec.Commit = commit
	return &spec
}

// unknown returns the record of an application whose objects nothing explains. It has
// none if Git declares no valid spec that could take their place.
func (r *relic) unknown(why string) *model.Instance {
	if r.wanted == nil {
		return nil
	}
	inst := r.begin(model.PhaseDegraded, model.ReasonSpecUnknown, why+"; it stays as it is until Git has another release of it")
	inst.Spec = r.wanted.AsOf(r.lost.Fleet.Commit)
	for i := range r.wanted.Components {
		c := &r.wanted.Components[i]
		s := model.ComponentState{Grant: model.Grant{Component: c.Name}, Spec: c.Content(r.app), State: model.StateWaiting, Hold: true, Since: r.lost.Now, Message: "stays as it is"}
		if w := r.object(c.Name, false); w != nil && w.Grant.Component == c.Name {
			s.Grant, s.Run, s.Workload = w.Grant, w.Run, w.Workload
		}
		inst.Components = append(inst.Components, s)
	}
	if inst.Spec.Workflow != nil {
		var targets []model.Target // no run begins before Git has another release
		for i := range inst.Spec.Components {
			c := &inst.Spec.Components[i]
			targets = append(targets, model.Target{Component: c.Name, Stable: model.Version{Spec: inst.Spec.Release, Content: c.Content(r.app)}})
		}
		inst.Run = r.run(inst.Spec, nil, inst, targets)
	}
	return inst
}

// object returns an object of a component, nil if there is none.
func (r *relic) object(component string, beside bool) *model.Remnant {
	i := slices.IndexFunc(r.objects, func(w model.Remnant) bool { return w.Component == component && w.Beside == beside && w.Intent == "" })
	if i < 0 {
		return nil
	}
	return &r.objects[i]
}
