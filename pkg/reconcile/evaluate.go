package reconcile

import (
	"errors"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/source"
)

// evaluate turns a snapshot into a fleet. A commit that was evaluated before is
// not evaluated again, unless something was in the way.
func (l *Loop) evaluate(snap source.Snapshot) model.Fleet {
	if l.fleet.Commit == snap.Commit && l.evaluated {
		return l.fleet
	}
	at := func(commit string) (evaluate.Files, error) {
		files, err := l.source.At(commit)
		if err != nil {
			return nil, err
		}
		return files, nil
	}
	l.fleet = l.checkRendering(l.evaluator.Fleet(snap.Commit, snap.Files, at))
	l.evaluated = l.evaluator.Settled()
	return l.fleet
}

// checkRendering renders every application whose spec is new, at its full level,
// and takes those out of the fleet that cannot be rendered: a spec that no
// runtime can carry out is as unusable as one that does not parse, and has to be
// found before it is accepted.
func (l *Loop) checkRendering(fleet model.Fleet) model.Fleet {
	tenants := map[string]*model.Tenant{}
	for i := range fleet.Tenants {
		tenants[fleet.Tenants[i].Name] = &fleet.Tenants[i]
	}
	good := fleet.Applications[:0:0]
	seen := make(map[model.Digest]bool, len(fleet.Applications))
	for i := range fleet.Applications {
		app := fleet.Applications[i]
		problems := l.renderable(app, tenants[app.ID.Tenant], fleet.Platform)
		if problems == nil {
			good, seen[app.Digest] = append(good, app), true
			continue
		}
		fleet.Unusable = append(fleet.Unusable, model.Unusable{App: app.ID, Code: problems[0].Code, Message: problems[0].Message})
		fleet.Problems = append(fleet.Problems, problems...)
	}
	l.rendered = seen
	fleet.Applications = good
	slices.SortFunc(fleet.Unusable, func(x, y model.Unusable) int { return x.App.Compare(y.App) })
	return fleet
}

// renderable returns what speaks against rendering an application in full.
func (l *Loop) renderable(app *model.Application, tenant *model.Tenant, platform *model.Platform) []model.Problem {
	if l.rendered[app.Digest] {
		return nil
	}
	files, err := l.directory(app)
	if err != nil {
		return []model.Problem{notRendered(app, err)}
	}
	return Renderable(app, render.Input{Fleet: l.name, Prefix: l.prefix, Tenant: tenant, Pools: platform.Pools, Files: files})
}

// Renderable returns what speaks against rendering an application in full, nil if
// nothing does. The instance of the input is made here.
func Renderable(app *model.Application, in render.Input) []model.Problem {
	in.Instance = &model.Instance{App: app.ID, Number: 1, Spec: app}
	for i := range app.Components {
		c := &app.Components[i]
		g := model.Grant{Component: c.Name, Replicas: c.Replicas, Requests: c.Requests, QoS: c.QoS, Pool: c.Placement.Pool}
		in.Instance.Components = append(in.Instance.Components, model.ComponentState{Grant: g, Run: c.Replicas, Workload: model.WorkloadDigest(c, g, c.Replicas)})
	}
	if app.Workflow != nil {
		for i := range app.Workflow.Steps {
			for _, name := range []string{app.Workflow.Steps[i].Component, app.Workflow.Steps[i].Undo} {
				if name != "" {
					in.Jobs = append(in.Jobs, render.StepJob{Key: name, Component: name, Spec: app.Digest})
				}
			}
		}
	}
	_, err := render.Application(in)
	var blamed *render.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &blamed):
		return blamed.Problems
	}
	return []model.Problem{notRendered(app, err)}
}

// notRendered is a problem with the files of an application that no value is to blame for.
func notRendered(app *model.Application, err error) model.Problem {
	return model.Problem{
		Code: render.CodeFiles, Path: "application", Message: err.Error(), Tenant: app.ID.Tenant, App: app.ID.Name,
	}
}
