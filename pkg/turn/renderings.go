package turn

import (
	"errors"
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/claim"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// Renderings configures how the renderings of a fleet are checked.
type Renderings struct {
	Fleet, Prefix string   // name of the fleet and what is put before every namespace
	Checked       *Checked // by the last check; nil: nothing was checked before

	// Ledger has the specs that run, whose names are found out, too; nil: none.
	Ledger *model.Ledger

	// Builds returns what the kustomizations and charts of an application come to as of the commit of its spec; nil,
	// if the application has none.
	Builds func(*model.Application) (render.Builds, error)

	// Run calls do with every number below n, in any order or at once. Nil means one
	// after the other.
	Run func(n int, do func(i int))
}

// Checked is what the check of a fleet found out, for the next check.
type Checked struct {
	register *claim.Register               // of the names that the applications of the fleet want
	good     map[model.Digest]bool         // checks that found specs to be good
	names    map[model.Digest]*claim.Names // of these, and of specs of the ledger
}

// Settle refuses the applications of the fleet that was checked that want names which
// others have, where no ledger says who came first.
func (c *Checked) Settle(fleet model.Fleet) model.Fleet {
	return c.settle(fleet, &model.Ledger{}, nil)
}

// InUse returns what the applications of the fleet use of names that all share, also those
// whose tenants are not allotted it.
func (c *Checked) InUse() []model.Allotment { return claim.InUse(maps.Values(c.names)) }

// settle refuses the applications that want names which others have.
func (c *Checked) settle(fleet model.Fleet, ledger *model.Ledger, leaving []model.AppID) model.Fleet {
	if c == nil {
		return fleet
	}
	return c.register.Settle(fleet, ledger, leaving)
}

// CheckRenderings renders every application of a fleet that was not checked before,
// at its full level, and moves applications that cannot be rendered, or want names that
// their tenants are not allotted, to the unusable ones: a spec that no runtime can carry
// out has to be found before it is accepted. It returns the fleet without them.
func CheckRenderings(fleet model.Fleet, r Renderings) (model.Fleet, *Checked) {
	last := r.Checked
	if last == nil {
		last = &Checked{}
	}
	tenants := make(map[string]*model.Tenant, len(fleet.Tenants))
	if r.Ledger != nil {
		for i := range r.Ledger.Tenants { // of what runs still, although its tenant is gone
			tenants[r.Ledger.Tenants[i].Name] = &r.Ledger.Tenants[i]
		}
	}
	for i := range fleet.Tenants {
		tenants[fleet.Tenants[i].Name] = &fleet.Tenants[i]
	}
	specs := append(slices.Clip(fleet.Applications), r.running(&fleet)...)
	rendered := make([]rendering, len(specs))
	run := r.Run
	if run == nil {
		run = func(n int, do func(i int)) {
			for i := range n {
				do(i)
			}
		}
	}
	run(len(specs), func(i int) {
		app, t := specs[i], tenants[specs[i].ID.Tenant]
		if t == nil {
			return // its names stay unknown
		}
		if rendered[i].names = last.names[app.Digest]; rendered[i].names == nil || i < len(fleet.Applications) && !last.good[checkOf(app, t)] {
			set, problems := r.render(app, render.Input{
				Fleet: r.Fleet, Prefix: r.Prefix, Tenant: t, Pools: fleet.Platform.Pools, Network: fleet.Platform.Network,
			})
			if rendered[i] = (rendering{problems: problems}); problems == nil {
				rendered[i].names = render.Names(set, app)
			}
		}
	})
	next := &Checked{good: make(map[model.Digest]bool, len(specs)), names: make(map[model.Digest]*claim.Names, len(specs))}
	allotments := claim.AllotmentsOf(fleet.Platform)
	good := fleet.Applications[:0:0]
	fleet.Unusable, fleet.Problems = slices.Clip(fleet.Unusable), slices.Clip(fleet.Problems)
	for i, app := range specs {
		problems := rendered[i].problems
		if rendered[i].names != nil {
			next.names[app.Digest] = rendered[i].names
		}
		if i >= len(fleet.Applications) {
			continue
		}
		if problems == nil {
			next.good[checkOf(app, tenants[app.ID.Tenant])] = true
			problems = allotments.Refused(app, tenants[app.ID.Tenant], rendered[i].names)
		}
		if problems == nil {
			good = append(good, app)
			continue
		}
		fleet.Unusable = append(fleet.Unusable, model.Unusable{App: app.ID, Code: problems[0].Code, Message: problems[0].Message})
		fleet.Problems = append(fleet.Problems, problems...)
	}
	fleet.Applications = good
	slices.SortFunc(fleet.Unusable, func(x, y model.Unusable) int { return x.App.Compare(y.App) })
	next.register = claim.NewRegister(&fleet, next.names)
	return fleet, next
}

// running lists the specs of the ledger that run and that the fleet does not have.
func (r *Renderings) running(fleet *model.Fleet) (specs []*model.Application) {
	if r.Ledger == nil || fleet.Platform == nil {
		return nil
	}
	has := make(map[model.Digest]bool, len(fleet.Applications))
	for _, a := range fleet.Applications {
		has[a.Digest] = true
	}
	for i := range r.Ledger.Instances {
		inst := &r.Ledger.Instances[i]
		if !inst.HasObjects() {
			continue
		}
		for _, spec := range []*model.Application{inst.Spec, inst.Previous} {
			if spec != nil && !has[spec.Digest] {
				has[spec.Digest] = true
				specs = append(specs, spec)
			}
		}
	}
	return specs
}

// checkOf identifies the check of a spec under what its tenant allows.
func checkOf(app *model.Application, t *model.Tenant) model.Digest {
	if t == nil || t.Isolation == model.IsolationOpen && t.PodSecurity == model.PodSecurityBaseline {
		return app.Digest
	}
	return model.DigestOf([]any{app.Digest, t.Isolation, t.PodSecurity, t.Quota})
}

// A rendering is what the objects of a spec at its full level say.
type rendering struct {
	names    *claim.Names    // nil: they are not known
	problems []model.Problem // why it cannot be rendered
}

// render returns the objects of a spec at its full level, or why it cannot be rendered. The instance of the input is made here.
func (r *Renderings) render(app *model.Application, in render.Input) (render.Set, []model.Problem) {
	var err error
	if in.Builds, err = r.Builds(app); err != nil {
		if later := (*evaluate.Postponed)(nil); errors.As(err, &later) {
			return render.Set{}, []model.Problem{{Code: catalogue.NotYet, Path: "application", Message: later.Error(), Tenant: app.ID.Tenant, App: app.ID.Name}}
		}
		if absent := (*render.AbsentError)(nil); errors.As(err, &absent) {
			return render.Set{}, []model.Problem{absent.Problem}
		}
		return render.Set{}, []model.Problem{unreadable(app, err)}
	}
	in.Instance = AtFullLevel(app)
	for i := range in.Instance.Components {
		if c := &in.Instance.Components[i]; app.Workflow.Staged(c.Grant.Component) { // its names are taken before a step needs them
			c.Beside = &model.Beside{Run: c.Run}
		}
	}
	for _, step := range app.Steps() {
		for _, name := range []string{step.Component, step.Undo} {
			if name != "" {
				in.Jobs = append(in.Jobs, render.StepJob{Key: name, Component: name, Spec: app.Release})
			}
		}
	}
	if above := render.AboveLimits(app, in.Tenant); above != nil {
		return render.Set{}, above
	}
	set, err := render.Application(in)
	var blamed *render.Error
	switch {
	case err == nil:
		return set, render.Unrendered(app, set)
	case errors.As(err, &blamed):
		return set, blamed.Problems
	}
	return set, []model.Problem{unreadable(app, err)}
}

// AtFullLevel returns an instance of a spec that has all it asks for.
func AtFullLevel(app *model.Application) *model.Instance {
	in := &model.Instance{App: app.ID, Number: 1, Spec: app}
	for i := range app.Components {
		c, placed := &app.Components[i], app.Components[i].In(0)
		g := model.Grant{Component: c.Name, Replicas: c.Replicas, Requests: placed.Asks(app.Policy), QoS: c.QoS, Pool: placed.Placement.Pool}
		in.Components = append(in.Components, model.ComponentState{Grant: g, Run: c.Replicas, Workload: model.WorkloadDigest(c, g, c.Replicas)})
	}
	return in
}

// unreadable is a problem of an application's files that no value is to blame for.
func unreadable(app *model.Application, err error) model.Problem {
	return model.Problem{Code: declared.CodeFiles, Path: "application", Message: err.Error(), Tenant: app.ID.Tenant, App: app.ID.Name}
}
