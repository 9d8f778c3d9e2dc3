package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// obstacle explains why nothing is preempted for a pending application.
func (w *Writer) obstacle(app *solve.App) string {
	if len(app.Short) == 0 {
		return ""
	}
	n := &w.Nodes[app.Tenant]
	allowed := min(solve.Preemption(&w.Fleet.Platform.Policy), solve.Preemption(app.Policy()))
	if app.Base().Class > solve.WithinFairShare && allowed >= solve.Reclaim {
		return fmt.Sprintf("admitting it would exceed tenant %s's fair share (%s), so nothing is preempted for it", n.Name, percent(n.FairShare))
	}
	switch allowed {
	case solve.Never:
		return "policy allows no preemption (preemption: none)"
	case solve.WithinTenant:
		return "preempting everything of a lower priority in its tenant would not make room (preemption: within-tenant)"
	}
	return "preempting what others borrow would not make room, or it has not run for its minRuntime"
}

// message is what an earlier stage recorded about an application, else why it was
// preempted, else "".
func (w *Writer) message(app *solve.App) string {
	if app.Message == "" && app.Lost != nil {
		return w.why(app.Lost)
	}
	return app.Message
}

// why explains to a victim and its preemptor why the victim gives way.
func (w *Writer) why(d *solve.Displaced) string {
	app, v := d.Preemptor, d.App
	lead := "preempted for " + app.ID.String() + ": "
	switch {
	case app.Tenant == v.Tenant:
		return lead + fmt.Sprintf("priority %d is higher than %d", app.Priority, v.Priority)
	case d.Gained.Class == solve.WithinGuarantee:
		return lead + fmt.Sprintf("tenant %s takes back its guarantee, and %s exceeds the guarantee of tenant %s", app.ID.Tenant, v.ID, v.ID.Tenant)
	case d.Gained.Class == solve.WithinFairShare && d.Lost.Class == solve.Borrowing:
		return lead + fmt.Sprintf("tenant %s is within its fair share (%s), and %s exceeds the fair share of tenant %s (%s)",
			app.ID.Tenant, percent(w.Nodes[app.Tenant].FairShare), v.ID, v.ID.Tenant, percent(w.Nodes[v.Tenant].FairShare))
	}
	bands := w.Fleet.Platform.Bands
	return lead + fmt.Sprintf("band %s is served before band %s", bandName(bands, app.Band), bandName(bands, v.Band))
}

// percent writes a share as a percentage of all capacity.
func percent(s solve.Share) string { return solve.Percent(int64(thousandths(s))) }

// inPools names the pools of grants: " in pool general".
func inPools(grants []model.Grant) string {
	var pools []string
	for i := range grants {
		if name := grants[i].Pool; name != "" && !slices.Contains(pools, name) {
			pools = append(pools, name)
		}
	}
	slices.Sort(pools)
	switch len(pools) {
	case 0:
		return ""
	case 1:
		return " in pool " + pools[0]
	}
	return " in pools " + strings.Join(pools, ", ")
}

// displacement records what an application gave up.
func (w *Writer) displacement(d *solve.Displaced) model.Displacement {
	v := d.App
	if d.Evicted {
		return model.Displacement{App: v.ID, From: "granted", To: "evicted", Why: w.why(d)}
	}
	var from, to []string
	for i := range d.Spec.Components {
		comp := &d.Spec.Components[i]
		had, hadQoS := solve.ReplicasAt(comp, d.From)
		has, hasQoS := solve.ReplicasAt(comp, d.To)
		if had != has {
			from, to = append(from, replicasOf(had, comp.Name)), append(to, replicasOf(has, comp.Name))
		}
		if hadQoS != hasQoS {
			from, to = append(from, comp.Name+" "+hadQoS), append(to, comp.Name+" "+hasQoS)
		}
	}
	return model.Displacement{App: v.ID, From: strings.Join(from, ", "), To: strings.Join(to, ", "), Why: w.why(d)}
}

// replicasOf counts replicas of a component in words.
func replicasOf(n int, component string) string {
	if n == 1 {
		return "1 replica of " + component
	}
	return fmt.Sprint(n) + " replicas of " + component
}

// bandName names the band of a rank.
func bandName(bands []model.Band, rank int) string {
	bands = slices.Clone(bands)
	slices.SortFunc(bands, func(x, y model.Band) int { return cmp.Compare(y.Min, x.Min) })
	if rank < len(bands) {
		return bands[rank].Name
	}
	return ""
}
