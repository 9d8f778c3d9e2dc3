package offline

import (
	"context"
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// Accepted is what the clusters are to have by the status branch.
type Accepted struct {
	Notes []string

	sets     []render.Set // of tenants, then of applications
	platform *model.Platform
	ledger   *model.Ledger
}

// AcceptedBy returns the objects that the clusters are to have by the ledger, without those of jobs that workflow steps run:
// of an application, of a tenant with its applications if App is "", or of the fleet if Tenant is "" as well. It decides
// nothing, so a commit that was not accepted yet has no part in it.
func AcceptedBy(ctx context.Context, o Options, c Case, which model.AppID) (Accepted, error) {
	var n notes
	rec, a, err := c.open(ctx, o, &n)
	if err != nil {
		return Accepted{}, err
	}
	defer a.close()
	if rec.Commit == "" || rec.Ledger.Commit == "" {
		return Accepted{}, fmt.Errorf("there is no status branch %q here that says what is accepted; bring it with \"git fetch origin %s\"", c.StatusBranch, c.StatusBranch)
	}
	is, err := commitSide(ctx, c.Tree, a, "the accepted commit", rec.Ledger.Commit, &n)
	if err != nil {
		return Accepted{}, fmt.Errorf("%w; \"git fetch origin\" may bring the commit that the reconciler follows", err)
	}
	out, err := decide(is, rec.Ledger, c.Now, c.Capacity, &n) // for tenants whose files have errors: the last ones without
	if err != nil {
		return Accepted{}, err
	}
	if out.Fleet.Platform == nil {
		return Accepted{}, fmt.Errorf("the platform of the accepted commit has errors, so nothing can be rendered: %v", out.Fleet.Problems)
	}
	known := which == model.AppID{}
	holders := rec.Ledger.WithObjects()
	for i := range out.Fleet.Tenants {
		if t := &out.Fleet.Tenants[i]; which.Name == "" && covers(which, model.AppID{Tenant: t.Name}) {
			known = true
			a.keep(render.Tenant(a.Fleet, a.Prefix, t, holders[t.Name]))
		}
	}
	for i := range rec.Ledger.Instances {
		in := rec.Ledger.Instances[i]
		if !covers(which, in.App) {
			continue
		}
		if known = true; !in.Phase.Active() || in.Spec == nil {
			continue
		}
		if next, ok := out.Ledger.Find(in.App); ok && next.SpecDigest() == in.SpecDigest() {
			in.Spec = next.Spec // the commit has the values of secrets, the status branch has none
		}
		a.application(is.revision, out.Fleet, &in, &n, a.keep)
	}
	if !known {
		if err := declares(&out.Fleet, which); err != nil {
			return Accepted{}, err
		}
		n.add("%s was not admitted yet, so the cluster is to have nothing of it", which)
	}
	return Accepted{n, a.sets, out.Fleet.Platform, &rec.Ledger}, nil
}
