package solve

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Raise is a larger quota of a tenant or a group.
type Raise struct {
	Node int
	Key  string // a resource, applications or workloads
	By   int64
}

// Try finds out what a pending or rejected application would get if the quota were larger, as Try of a case does for another spec. A quota
// concerns only what is declared at and below its node: it is not known what would come of a quota that does not
// hold now, or under which a newer spec of what runs is refused, as these would be served first.
func (raise Raise) Try(c *Case, app *App) (t Trial, known bool) {
	n := c.Nodes[raise.Node]
	if !n.quotaHolds() {
		return t, false
	}
	for i := raise.Node; i < len(c.Nodes); i++ {
		waits := func(o *App) bool { return o.Incumbent() && o.Refused != nil }
		if c.Above(raise.Node, i) && slices.ContainsFunc(c.Members[i], waits) {
			return t, false
		}
	}
	defer func(quota Vector, tenant *model.Tenant) { n.quota, n.Tenant = quota, tenant }(n.quota, n.Tenant)
	switch r, ok := c.Index[raise.Key]; {
	case ok && n.quota != nil && n.quota[r] < NoLimit:
		n.quota = slices.Clone(n.quota)
		n.quota[r] += raise.By
	case ok || n.Tenant == nil:
		return t, false
	default:
		tenant := *n.Tenant
		switch {
		case raise.Key == "applications" && tenant.MaxApplications > 0:
			tenant.MaxApplications += int(raise.By)
		case raise.Key == "workloads" && tenant.MaxWorkloads > 0:
			tenant.MaxWorkloads += int(raise.By)
		default:
			return t, false
		}
		n.Tenant = &tenant
	}
	return c.Try(app, app.Wanted)
}

// quotaHolds reports whether what is declared at and below a node is within its quota.
func (n *Node) quotaHolds() bool {
	if n.Tenant != nil && (n.Tenant.MaxApplications > 0 && n.applications > n.Tenant.MaxApplications || n.Tenant.MaxWorkloads > 0 && n.workloads > n.Tenant.MaxWorkloads) {
		return false
	}
	return n.quota == nil || n.declared.Fits(n.quota)
}
