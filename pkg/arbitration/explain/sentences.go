package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// obstacle tells why nothing is preempted for an application that waits.
func (w *Writer) obstacle(app *solve.App) string {
	if len(app.Short) == 0 {
		return ""
	}
	n := &w.Nodes[app.Tenant]
	allowed := min(solve.Preemption(&w.Fleet.Platform.Policy), solve.Preemption(app.Policy()))
	if app.Base().Class > solve.WithinFairShare && allowed >= solve.Reclaim {
		return fmt.Sprintf("tenant %s may have %s of all capacity, and with it would have more, so nobody gives way", n.Name, solve.Percent(int64(thousandths(n.FairShare))))
	}
	switch allowed {
	case solve.Never:
		return "policy lets nobody give way (preemption: none)"
	case solve.WithinTenant:
		return "nothing of a lower priority in its tenant is enough to make room (preemption: within-tenant)"
	}
	return "what others hold beyond what they are entitled to is not enough to make room, or has not run for its minRuntime"
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
	lead := "gives way to " + app.ID.String() + ": "
	switch {
	case app.Tenant == v.Tenant:
		return lead + fmt.Sprintf("priority %d is higher than %d", app.Priority, v.Priority)
	case d.Gained.Class == solve.WithinGuarantee:
		return lead + fmt.Sprintf("tenant %s takes back what it is guaranteed, %s runs beyond the guarantee of its tenant", app.ID.Tenant, v.ID)
	case d.Gained.Class == solve.WithinFairShare && d.Lost.Class == solve.Borrowing:
		return lead + fmt.Sprintf("tenant %s is within its share of %s of all capacity, %s is beyond the %s of tenant %s",
			app.ID.Tenant, solve.Percent(int64(thousandths(w.Nodes[app.Tenant].FairShare))), v.ID, solve.Percent(int64(thousandths(w.Nodes[v.Tenant].FairShare))), v.ID.Tenant)
	}
	bands := w.Fleet.Platform.Bands
	return lead + fmt.Sprintf("band %s is served before band %s", bandName(bands, app.Band), bandName(bands, v.Band))
}

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
