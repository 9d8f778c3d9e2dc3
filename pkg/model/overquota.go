package model

import (
	"fmt"
	"slices"
	"time"
)

// OverQuota is a resource of which a tenant or a group is granted more than its quota,
// because the quota was lowered below use. What runs stays, nothing grows, and an update
// that asks for no more than is held passes.
type OverQuota struct {
	Tenant   string    `json:"tenant"`          // "" of a group
	Group    string    `json:"group,omitempty"` // "" of a tenant
	Resource string    `json:"resource"`        // cpu, memory, a device, applications or workloads
	Pool     string    `json:"pool,omitempty"`  // whose quota it is, "": of all pools together
	Granted  int64     `json:"granted"`
	Limit    int64     `json:"limit"`
	At       string    `json:"at,omitempty"` // file:line:column of the limit
	Since    time.Time `json:"since,omitzero"`
}

// String writes the state for people: "tenant acme is over quota: 6.5 cpu granted, its
// quota is 6 (tenants/acme/tenant.cue:5:9); what runs stays, nothing grows".
func (q OverQuota) String() string {
	n := ReadableAmounts(q.Resource, q.Granted, q.Limit)
	at := ""
	if q.At != "" {
		at = " (" + q.At + ")"
	}
	since := ""
	if !q.Since.IsZero() {
		since = " since " + q.Since.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	in, there := "", ""
	if q.Pool != "" {
		in, there = " in pool "+q.Pool, " there"
	}
	return fmt.Sprintf("%s is over quota%s: %s %s granted%s, its quota%s is %s%s; what runs stays, nothing grows%s", q.Owner(), since, n[0], q.Resource, in, there, n[1], at, there)
}

// What is the resource, with its pool: "cpu in pool a100".
func (q OverQuota) What() string {
	if q.Pool != "" {
		return q.Resource + " in pool " + q.Pool
	}
	return q.Resource
}

// Owner names whose quota it is: "tenant acme" or "group web".
func (q OverQuota) Owner() string {
	if q.Group != "" {
		return "group " + q.Group
	}
	return "tenant " + q.Tenant
}

// Limits names the constraint of decisions that checks the quota.
func (q OverQuota) Limits() string {
	if q.Pool != "" {
		return q.Tenant + q.Group + ".pools." + q.Pool + "." + q.Resource
	}
	if q.Group != "" {
		return "groups." + q.Group + ".quota." + q.Resource
	}
	return "quota." + q.Resource
}

// OverQuotaOf lists what a tenant, and the groups that it is in, have beyond their quotas.
func (l *Ledger) OverQuotaOf(tenant string) (over []OverQuota) {
	for _, q := range l.OverQuota {
		if q.Tenant == tenant || q.Group != "" && l.Platform != nil && inGroup(l.Platform.Groups, q.Group, tenant) {
			over = append(over, q)
		}
	}
	return over
}

// inGroup reports whether a tenant is in a group, or in one below it.
func inGroup(groups []Group, group, tenant string) bool {
	in := slices.IndexFunc(groups, func(g Group) bool { return slices.Contains(g.Tenants, tenant) })
	for depth := 0; in >= 0 && depth < len(groups); depth++ {
		if groups[in].Name == group {
			return true
		}
		in = slices.IndexFunc(groups, func(g Group) bool { return g.Name == groups[in].Parent })
	}
	return false
}

// SameState reports whether two of them are about the same resource.
func (q OverQuota) SameState(o OverQuota) bool {
	return q.Tenant == o.Tenant && q.Group == o.Group && q.Resource == o.Resource && q.Pool == o.Pool
}

// Equal reports whether two of them are the same in every field.
func (q OverQuota) Equal(o OverQuota) bool {
	if !q.Since.Equal(o.Since) {
		return false
	}
	q.Since, o.Since = time.Time{}, time.Time{}
	return q == o
}
