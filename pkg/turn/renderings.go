package turn

import (
	"errors"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// Renderings configures how the renderings of a fleet are checked.
type Renderings struct {
	Fleet, Prefix string                // name of the fleet and what is put before every namespace
	Checked       map[model.Digest]bool // specs that were found to be good before

	// Kustomizations builds those of an application from the commit of its spec; nil,
	// if the application has none.
	Kustomizations func(*model.Application) (render.Kustomizations, error)

	// Run calls do with every number below n, in any order or at once. Nil means one
	// after the other.
	Run func(n int, do func(i int))
}

// CheckRenderings renders every application of a fleet that was not checked before,
// at its full level, and moves applications that cannot be rendered to the unusable ones:
// a spec that no runtime can carry out has to be found before it is accepted. It
// returns the fleet without them and the specs that are good, for the next check.
func CheckRenderings(fleet model.Fleet, r Renderings) (model.Fleet, map[model.Digest]bool) {
	tenants := make(map[string]*model.Tenant, len(fleet.Tenants))
	for i := range fleet.Tenants {
		tenants[fleet.Tenants[i].Name] = &fleet.Tenants[i]
	}
	problems := make([][]model.Problem, len(fleet.Applications))
	run := r.Run
	if run == nil {
		run = func(n int, do func(i int)) {
			for i := range n {
				do(i)
			}
		}
	}
	run(len(problems), func(i int) {
		if app := fleet.Applications[i]; !r.Checked[app.Digest] {
			problems[i] = r.problems(app, render.Input{
				Fleet: r.Fleet, Prefix: r.Prefix, Tenant: tenants[app.ID.Tenant], Pools: fleet.Platform.Pools,
			})
		}
	})
	good, checked := fleet.Applications[:0:0], make(map[model.Digest]bool, len(problems))
	fleet.Unusable, fleet.Problems = slices.Clip(fleet.Unusable), slices.Clip(fleet.Problems)
	for i, app := range fleet.Applications {
		if problems[i] == nil {
			good, checked[app.Digest] = append(good, app), true
			continue
		}
		fleet.Unusable = append(fleet.Unusable, model.Unusable{App: app.ID, Code: problems[i][0].Code, Message: problems[i][0].Message})
		fleet.Problems = append(fleet.Problems, problems[i]...)
	}
	fleet.Applications = good
	slices.SortFunc(fleet.Unusable, func(x, y model.Unusable) int { return x.App.Compare(y.App) })
	return fleet, checked
}

// problems returns why an application cannot be rendered at its full level, nil if
// it can. The instance of the input is made here.
func (r *Renderings) problems(app *model.Application, in render.Input) []model.Problem {
	var err error
	if in.Kustomizations, err = r.Kustomizations(app); err != nil {
		if later := (*evaluate.Postponed)(nil); errors.As(err, &later) {
			return []model.Problem{{Code: catalogue.NotYet, Path: "application", Message: later.Error(), Tenant: app.ID.Tenant, App: app.ID.Name}}
		}
		return []model.Problem{unreadable(app, err)}
	}
	in.Instance = &model.Instance{App: app.ID, Number: 1, Spec: app}
	for i := range app.Components {
		c := &app.Components[i]
		g := model.Grant{Component: c.Name, Replicas: c.Replicas, Requests: c.Asks(&app.Policy), QoS: c.QoS, Pool: c.Placement.Pool}
		in.Instance.Components = append(in.Instance.Components, model.ComponentState{Grant: g, Run: c.Replicas, Workload: model.WorkloadDigest(c, g, c.Replicas)})
	}
	if app.Workflow != nil {
		for i := range app.Workflow.Steps {
			for _, name := range []string{app.Workflow.Steps[i].Component, app.Workflow.Steps[i].Undo} {
				if name != "" {
					in.Jobs = append(in.Jobs, render.StepJob{Key: name, Component: name, Spec: app.Release})
				}
			}
		}
	}
	set, err := render.Application(in)
	var blamed *render.Error
	switch {
	case err == nil:
		return render.Unrendered(app, set)
	case errors.As(err, &blamed):
		return blamed.Problems
	}
	return []model.Problem{unreadable(app, err)}
}

// unreadable is a problem of an application's files that no value is to blame for.
func unreadable(app *model.Application, err error) model.Problem {
	return model.Problem{Code: render.CodeFiles, Path: "application", Message: err.Error(), Tenant: app.ID.Tenant, App: app.ID.Name}
}
