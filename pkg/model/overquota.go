package model

import (
	"fmt"
	"time"
)

// OverQuota is a resource of which a tenant is granted more than its quota, because the
// quota was lowered below use. What runs stays, nothing grows, and an update that asks
// for no more than is held passes.
type OverQuota struct {
	Tenant   string    `json:"tenant"`
	Resource string    `json:"resource"` // cpu, memory, a device, applications or workloads
	Granted  int64     `json:"granted"`
	Limit    int64     `json:"limit"`
	At       string    `json:"at,omitempty"` // file:line:column of the limit
	Since    time.Time `json:"since,omitzero"`
}

// String writes the state for people: "tenant acme is over quota: 6500m cpu granted, its
// quota is 6000m (tenants/acme/tenant.cue:5:9); what runs stays, nothing grows".
func (q OverQuota) String() string {
	n := FormatAmounts(q.Resource, q.Granted, q.Limit)
	at := ""
	if q.At != "" {
		at = " (" + q.At + ")"
	}
	since := ""
	if !q.Since.IsZero() {
		since = " since " + q.Since.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return fmt.Sprintf("tenant %s is over quota%s: %s %s granted, its quota is %s%s; what runs stays, nothing grows", q.Tenant, since, n[0], q.Resource, n[1], at)
}

// SameState reports whether two of them are about the same resource.
func (q OverQuota) SameState(o OverQuota) bool {
	return q.Tenant == o.Tenant && q.Resource == o.Resource
}

// Equal reports whether two of them are the same in every field.
func (q OverQuota) Equal(o OverQuota) bool {
	if !q.Since.Equal(o.Since) {
		return false
	}
	q.Since, o.Since = time.Time{}, time.Time{}
	return q == o
}
