package arbitration_test

import (
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/inside"
)

// exceeds reports whether the least of an application exceeds the fair share that a sentence tells of its tenant.
func (r readBack) exceeds(app model.AppID, w []string) bool {
	parts, _ := r.look.Parts(app)
	return w[1] == app.Tenant && r.fair("tenant "+w[1], w[2]) && (parts == nil || !inside.WithinFairShare(parts[len(parts)-1]))
}

// lacksShare reports whether a tenant has less than its fair share, up to rounding.
func (r readBack) lacksShare(tenant string) bool {
	return r.thousandths(tenant, model.Resources{}) <= int(r.look.FairShare(tenant)*1000/inside.Whole)
}

// thousandths is what a tenant has of all capacity with so much more.
func (r readBack) thousandths(tenant string, more model.Resources) int {
	for id, takes := range r.after.of {
		if id.Tenant == tenant {
			more = more.Add(takes)
		}
	}
	return dominant(more, r.total())
}

// takes reports whether a sentence has the time and the names of what an application may take later, and these run.
func (r readBack) takes(app model.AppID, at, names string) bool {
	d, _ := r.ruling.Find(app)
	if d.Takes == nil || !d.Takes.At.Equal(r.since(app).Add(r.app(app).Policy.ReserveAfter)) || !strings.HasSuffix(at, d.Takes.At.Add(time.Minute-1).Format("15:04")) {
		return false
	}
	for i, id := range d.Takes.From {
		if !r.runs(id) || i < 3 && !slices.Contains(strings.FieldsFunc(names, func(c rune) bool { return strings.ContainsRune(", ", c) }), id.String()) {
			return false
		}
	}
	more := len(d.Takes.From) - 3
	return more <= 0 && !strings.Contains(names, " more") || more > 0 && strings.HasSuffix(names, " more")
}

// enough reports whether what others hold that give way, and what is free, is as much as an application can run at.
func (r readBack) enough(app model.AppID, from []model.AppID) bool {
	room := r.total()
	for id, takes := range r.after.of {
		if !slices.Contains(from, id) {
			room = room.Sub(takes)
		}
	}
	return leastOf(r.app(app)).Fits(room)
}

// shareThen is what the tenant of an application has with it, and without those of its own that give way.
func (r readBack) shareThen(app model.AppID, from []model.AppID) int {
	more := leastOf(r.app(app))
	for _, id := range from {
		if id.Tenant == app.Tenant {
			more = more.Sub(r.after.of[id])
		}
	}
	return r.thousandths(app.Tenant, more)
}

// since is when an application began to wait, as of before.
func (r readBack) since(app model.AppID) time.Time {
	if inst, ok := r.was.Find(app); ok && inst.Phase == model.PhaseAdmitted {
		return inst.Since
	}
	return r.Now
}
