package offline

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
)

// uncommitted is the hash of files that are not committed, as in Git.
var uncommitted = strings.Repeat("0", 40)

// Verdict is the result of the checks that the reconciler makes of a commit.
type Verdict struct {
	Fleet     model.Fleet     // its applications can be rendered
	Approvals []model.Problem // of approvals; they refuse no application

	InUse []model.Allotment // what applications use of names that all share
}

// Vet evaluates files of a work tree and renders every application.
func Vet(ctx context.Context, o Options, w *clone.Tree, files evaluate.Files, now time.Time) (Verdict, error) {
	a, err := newAssessor(ctx, o)
	if err != nil {
		return Verdict{}, err
	}
	defer a.close()
	fleet, err := a.assess(ctx, revision{uncommitted, files, w.At(ctx, "HEAD")})
	if err != nil {
		return Verdict{}, err
	}
	fleet = vetted(a.rendered, fleet, now)
	return Verdict{fleet, a.evaluator.Approvals(files).Problems, a.rendered.InUse()}, ctx.Err()
}

// PolicyInForce returns the policy of an application, or of a tenant if app is "". A refused one has no policy but the
// problems that refuse it. An unknown one is an error.
func (v Verdict) PolicyInForce(tenant, app string) ([]model.PolicyValue, []model.Problem, error) {
	id := model.AppID{Tenant: tenant, Name: app}
	if err := declares(&v.Fleet, id); err != nil {
		return nil, nil, err
	}
	for _, a := range v.Fleet.Applications {
		if a.ID == id {
			return a.InForce, nil, nil
		}
	}
	if t, ok := model.Find(v.Fleet.Tenants, tenant); ok && app == "" {
		return t.InForce, nil, nil
	}
	return nil, v.Against(id), nil
}

// Against returns the problems that refuse an application, or a tenant if the name of the application is "".
func (v Verdict) Against(app model.AppID) []model.Problem {
	return slices.DeleteFunc(slices.Clone(v.Fleet.Problems), func(p model.Problem) bool { return !concerns(&p, app) })
}

// concerns reports whether a problem refuses an application, or a tenant if the name of the application is "", or the
// platform if that of the tenant is.
func concerns(p *model.Problem, app model.AppID) bool {
	return p.Tenant == "" || p.Tenant == app.Tenant && (p.App == "" || p.App == app.Name)
}

// declares returns an error that lists near names, unless a fleet declares an application, or a tenant if the name of the
// application is "".
func declares(fleet *model.Fleet, id model.AppID) error {
	apps, tenants := declaredIn(fleet)
	if id.Name == "" && !slices.Contains(tenants, id.Tenant) {
		return missing("tenant "+id.Tenant, tenants)
	}
	if id.Name != "" && !slices.Contains(apps, id) {
		var near []string
		for _, a := range apps {
			if a.Tenant == id.Tenant || a.Name == id.Name {
				near = append(near, a.String())
			}
		}
		return missing("application "+id.String(), near)
	}
	return nil
}

// declaredIn returns all applications and tenants of a fleet, sorted, the refused ones as well.
func declaredIn(fleet *model.Fleet) (apps []model.AppID, tenants []string) {
	for _, a := range fleet.Applications {
		apps = append(apps, a.ID)
	}
	for _, u := range fleet.Unusable {
		apps = append(apps, u.App)
	}
	tenants = slices.Concat(model.Names(fleet.Tenants), fleet.UnusableTenants)
	slices.SortFunc(apps, model.AppID.Compare)
	slices.Sort(tenants)
	return apps, tenants
}

// missing is the error for a name that the fleet does not declare. It lists those that it declares.
func missing(what string, known []string) error {
	said := "the fleet declares no " + text.Clean(what)
	if len(known) > 0 {
		said += "; it declares " + text.Enumerate(known, 8)
	}
	return errors.New(said)
}
