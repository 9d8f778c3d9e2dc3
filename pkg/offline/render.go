package offline

import (
	"context"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/turn"
)

// hiddenValue stands in the place of each value of a Secret. It is no base64, so an API server refuses it: what is shown
// cannot overwrite what is in force.
const hiddenValue = "<hidden>"

// Rendering is the objects of an application, or of a tenant with all its applications.
type Rendering struct {
	Objects  []map[string]any `json:"objects"`  // in the order in which they are applied; values of Secrets are hidden
	Problems []model.Problem  `json:"problems"` // why applications have none
	Notes    []string         `json:"notes"`
}

// Render returns the objects of an application, or of a tenant if the name of the application is "", as they are once all
// that the next pass grants has started. head is a revision; "" stands for the files as they lie on disk. An application
// to which nothing is granted has all it asks for, and a note says so.
func Render(ctx context.Context, o Options, c Case, head string, which model.AppID) (Rendering, error) {
	var n notes
	rec, a, err := c.open(ctx, o, &n)
	if err != nil {
		return Rendering{}, err
	}
	defer a.close()
	is, err := headSide(ctx, c.Tree, a, head, &n)
	if err != nil {
		return Rendering{}, err
	}
	if err := declares(&is.fleet, which); err != nil {
		return Rendering{}, err
	}
	out := plan.Outcome{Fleet: is.checked.Settle(is.fleet)}
	if rec.Commit != "" || len(c.Capacity) > 0 {
		next, err := decide(is, rec.Ledger, c.Now, c.Capacity, &n)
		if err != nil {
			return Rendering{}, err
		}
		out = next.Outcome
	}
	made := Rendering{Objects: []map[string]any{}, Problems: append([]model.Problem{}, refusals(out.Fleet, which)...)} // [] and not null in JSON
	if out.Fleet.Platform != nil {
		a.renderSelected(is.revision, &out, which, &n)
	}
	for _, set := range a.sets {
		for i := range set.Objects {
			if !set.Objects[i].Keep {
				made.Objects = append(made.Objects, shown(&set.Objects[i]))
			}
		}
	}
	made.Notes = append([]string{}, n...)
	return made, nil
}

// renderSelected renders the objects of an application or of a tenant.
func (a *assessor) renderSelected(r revision, out *plan.Outcome, which model.AppID, n *notes) {
	granted, waiting := map[model.AppID]model.Digest{}, []*model.Application{}
	if which.Name == "" {
		granted[which] = ""
	}
	for _, app := range out.Fleet.Applications {
		switch {
		case !covers(which, app.ID):
		case grantedTo(app, &out.Ledger):
			granted[app.ID] = ""
		default:
			waiting = append(waiting, app)
		}
	}
	a.render(r, out, granted, n, a.keep)
	var names []string
	for _, app := range waiting {
		a.application(r, out.Fleet, turn.AtFullLevel(app), n, a.keep)
		names = append(names, app.ID.String())
	}
	if names != nil {
		n.add("nothing is granted to %s as declared here, so the objects are shown with all that is asked for", text.Enumerate(names, 8))
	}
}

// covers reports whether an application is the one that is asked for, one of the tenant, or one of the fleet.
func covers(which, app model.AppID) bool {
	return (which.Tenant == "" || app.Tenant == which.Tenant) && (which.Name == "" || app.Name == which.Name)
}

// refusals returns why what is asked for is refused, none if nothing of it is.
func refusals(fleet model.Fleet, which model.AppID) (problems []model.Problem) {
	refused := slices.Contains(fleet.UnusableTenants, which.Tenant)
	for _, u := range fleet.Unusable {
		refused = refused || covers(which, u.App)
	}
	for _, p := range fleet.Problems {
		if refused && (p.Tenant == "" || p.Tenant == which.Tenant && (p.App == "" || which.Name == "" || p.App == which.Name)) {
			problems = append(problems, p)
		}
	}
	return problems
}

// grantedTo reports whether an instance of just this spec is active.
func grantedTo(app *model.Application, l *model.Ledger) bool {
	return slices.ContainsFunc(l.Instances, func(in model.Instance) bool {
		return in.App == app.ID && in.Phase.Active() && in.SpecDigest() == app.Digest
	})
}

// shown returns the content of an object without what follows from the rest of it. A Secret has its keys and none of its
// values.
func shown(o *render.Object) map[string]any {
	u := o.Object.DeepCopy()
	object := u.Object
	dropDerived(object)
	if u.GetKind() == "Secret" && u.GetAPIVersion() == "v1" {
		for _, field := range []string{"data", "stringData"} {
			values, _ := object[field].(map[string]any)
			for key := range values {
				values[key] = hiddenValue
			}
		}
	}
	return object
}
