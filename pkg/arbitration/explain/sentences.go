package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// obstacle explains why nothing is preempted for a pending application.
func (w *Writer) obstacle(app *solve.App) string {
	if len(app.Short) == 0 {
		return ""
	}
	n := w.Nodes[app.Tenant]
	allowed := min(solve.Preemption(&w.Fleet.Platform.Policy), solve.Preemption(app.Policy()))
	if app.Base().Class > solve.WithinFairShare && allowed >= solve.Reclaim {
		return w.exceeding(app)
	}
	switch allowed {
	case solve.Never:
		return "policy allows no preemption (preemption: none)"
	case solve.WithinTenant:
		return "preempting everything of a lower priority in its tenant would not make room (preemption: within-tenant)"
	case solve.Reclaim:
		if !w.Below(app.Tenant) {
			return fmt.Sprintf("tenant %s has %s of all capacity, which is no less than its guarantee and its fair share (%s), so nothing is preempted for it",
				n.Name, percent(n.Used.Dominant(w.Total)), percent(n.FairShare))
		}
	}
	return noRoom
}

// why explains to a victim and its preemptor why the victim gives way.
func (w *Writer) why(d *solve.Displaced) string {
	app, v := d.Preemptor, d.App
	lead := "preempted for " + app.ID.String() + ": "
	switch d.Cause {
	case solve.ByGuarantee:
		n := w.guaranteed(app.Tenant)
		return lead + fmt.Sprintf("%s takes back its guarantee: of all capacity it %s (guarantee %s), %s", w.called(n), w.went(n),
			percent(w.Nodes[n].Guarantee.Dominant(w.Total)), w.ended(v.Tenant))
	case solve.ByWaiting:
		return lead + fmt.Sprintf("it has waited for %s (reserveAfter): of all capacity %s, %s", solve.ExceedsAfter(&w.Fleet.Platform.Policy, app), w.ended(app.Tenant), w.ended(v.Tenant))
	case solve.ByFairShare:
		return lead + fmt.Sprintf("of all capacity %s, %s", w.ended(app.Tenant), w.ended(v.Tenant))
	case solve.ByBand:
		bands := w.Fleet.Platform.Bands
		return lead + fmt.Sprintf("band %s is served before band %s", bandName(bands, app.Band), bandName(bands, v.Band))
	}
	return lead + fmt.Sprintf("priority %d is higher than %d", app.Priority, v.Priority)
}

// guaranteed is the tenant if it has a guarantee, else the next group of it that has one.
func (w *Writer) guaranteed(tenant int) int {
	for i := tenant; i > 0; i = w.Nodes[i].Parent {
		if w.Nodes[i].Guarantee.Dominant(w.Total) > 0 {
			return i
		}
	}
	return tenant
}

// called names a tenant or group.
func (w *Writer) called(node int) string {
	if w.Nodes[node].Tenant == nil {
		return "group " + w.Nodes[node].Name
	}
	return "tenant " + w.Nodes[node].Name
}

// went says what a tenant or group had of all capacity, and what it has now.
func (w *Writer) went(node int) string {
	n := w.Nodes[node]
	return fmt.Sprintf("had %s and has %s", percent(n.Had), percent(n.Used.Dominant(w.Total)))
}

// ended compares what a tenant had and has with its fair share.
func (w *Writer) ended(tenant int) string {
	return fmt.Sprintf("%s %s (fair share %s)", w.called(tenant), w.went(tenant), percent(w.Nodes[tenant].FairShare))
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
	for _, comp := range d.Spec.Components {
		had, hadQoS := solve.ReplicasAt(&comp, d.From)
		has, hasQoS := solve.ReplicasAt(&comp, d.To)
		if had != has {
			from, to = append(from, text.Count(had, "replica")+" of "+comp.Name), append(to, text.Count(has, "replica")+" of "+comp.Name)
		}
		if hadQoS != hasQoS {
			from, to = append(from, comp.Name+" "+hadQoS), append(to, comp.Name+" "+hasQoS)
		}
	}
	return model.Displacement{App: v.ID, From: strings.Join(from, ", "), To: strings.Join(to, ", "), Why: w.why(d)}
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
