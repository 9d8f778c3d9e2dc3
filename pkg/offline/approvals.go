package offline

import (
	"errors"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/source/clone"
)

// addPeople adds to a comparison who has to approve the change, and who owns the tenants that it touches: by the roles that
// are in force before it.
func addPeople(w *clone.Tree, was, is side, made *plan.Comparison, now time.Time) error {
	roles := access.RolesAt(now, access.New(was.fleet.Platform, was.fleet.Tenants))
	if roles.None() {
		return nil
	}
	for i := range made.Touched {
		t := &made.Touched[i]
		t.Owners = roles.Owners(t.Tenant)
	}
	paths, err := w.Changed(was.files, is.files)
	if many := (*clone.TooManyError)(nil); errors.As(err, &many) {
		made.Notes = append(made.Notes, "who has to approve is not told: the change "+many.Error())
		return nil
	}
	if err != nil {
		return err
	}
	made.Approvals = []plan.Approval{}
	for _, a := range roles.Approvals(paths) {
		made.Approvals = append(made.Approvals, plan.Approval{
			App: a.App, Area: areaName(a.App), Files: a.Files, Path: a.Path, People: a.People, Who: a.Who,
		})
	}
	return nil
}

// areaName names a part of the fleet repo.
func areaName(app model.AppID) string {
	switch {
	case app.Tenant == "":
		return "platform"
	case app.Name == "":
		return "tenant " + app.Tenant
	}
	return "application " + app.String()
}
