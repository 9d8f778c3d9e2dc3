package evaluate

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// allotted is a fleet whose tenant acme has an allotment with every field.
const allotted = `package fleet

platform: allotments: acme: {
	weight: 2
	guarantee: {cpu: "8", memory: "32Gi", devices: "nvidia.com/gpu": 1}
	borrow: {cpu: "40", memory: "160Gi"}
	lend: {cpu: "4", memory: "16Gi"}
	quota: {cpu: "64", memory: "256Gi", devices: "nvidia.com/gpu": 4, applications: 20, workloads: 200}
	priorityCeiling: 900
}
`

func tenantSays(t *testing.T, says string) (*model.Tenant, model.Fleet) {
	files := unpack(archive(t, "base.txtar"), overlay("allotments.cue", allotted),
		overlay("tenants/globex/tenant.cue", "package fleet\n\ntenant: name: \"globex\"\n"), overlay("tenants/acme/tenant.cue", "package fleet\n\ntenant: name: \"acme\"\n"), overlay("tenants/acme/more.cue", "package fleet\n\n"+says))
	f := New().Fleet("c", files, nil)
	own, _ := model.Find(f.Tenants, "acme")
	return own, f
}

// TestATenantNarrowsItsAllotment: what a tenant writes takes the place of what is
// allotted, resource by resource, and what it does not write is as allotted.
func TestATenantNarrowsItsAllotment(t *testing.T) {
	whole, f := tenantSays(t, "tenant: policy: preemption: \"none\"\n")
	require.Empty(t, f.Problems)
	gpu := func(n int64) map[string]int64 { return map[string]int64{"nvidia.com/gpu": n} }
	require.Equal(t, 2, whole.Weight)
	require.Equal(t, model.Resources{CPU: 8000, Memory: 32 << 30, Devices: gpu(1)}, whole.Guarantee)
	require.Equal(t, model.Resources{CPU: 40000, Memory: 160 << 30}, *whole.Borrow)
	require.Equal(t, model.Resources{CPU: 4000, Memory: 16 << 30}, *whole.Lend)
	require.Equal(t, model.Resources{CPU: 64000, Memory: 256 << 30, Devices: gpu(4)}, *whole.Quota)
	require.Equal(t, []int{20, 200, 900}, []int{whole.MaxApplications, whole.MaxWorkloads, whole.PriorityCeiling})
	require.Equal(t, "allotments.cue:8:15", whole.At["quota.cpu"])

	own, f := tenantSays(t, `tenant: {
	quota: {cpu: "48", devices: "nvidia.com/gpu": 2, applications: 5, priorityCeiling: 300}
	borrow: memory: "0"
	reservations: shop: {application: "shop", pool: "general", amount: cpu: "8"}
}
`)
	require.Empty(t, f.Problems)
	require.Equal(t, model.Resources{CPU: 48000, Memory: 256 << 30, Devices: gpu(2)}, *own.Quota)
	require.Equal(t, model.Resources{CPU: 40000}, *own.Borrow)
	require.Equal(t, []int{5, 200, 300, 300}, []int{own.MaxApplications, own.MaxWorkloads, own.PriorityCeiling, own.Policy.PriorityCeiling})
	require.Equal(t, "tenants/acme/more.cue:4:15", own.At["quota.cpu"])
	require.Equal(t, "allotments.cue:8:29", own.At["quota.memory"])
	own.Quota, own.Borrow, own.MaxApplications, own.PriorityCeiling = whole.Quota, whole.Borrow, whole.MaxApplications, whole.PriorityCeiling
	own.Reservations, own.Policy, own.At, own.InForce = whole.Reservations, whole.Policy, whole.At, whole.InForce
	require.Equal(t, whole, own, "and nothing else")
}

// TestAttack16TenantEscape: a tenant writes its own quota, guarantee, weight, what it
// lends and its ceiling, in every file that is its own. Each is refused with the code and
// the place, and the allotments of others are as they were.
func TestAttack16TenantEscape(t *testing.T) {
	_, before := tenantSays(t, "tenant: policy: preemption: \"none\"\n")
	require.Len(t, before.Tenants, 2)
	others := func(f model.Fleet) []model.Tenant {
		return slices.DeleteFunc(slices.Clone(f.Tenants), func(t model.Tenant) bool { return t.Name == "acme" })
	}
	tenant := map[string]string{
		`tenant: quota: cpu: "65"`:                                                          "DA1352",
		`tenant: quota: memory: "100000Gi"`:                                                 "DA1352",
		`tenant: quota: devices: "nvidia.com/gpu": 5`:                                       "DA1352",
		`tenant: quota: devices: "example.com/fpga": 1`:                                     "DA1352",
		`tenant: quota: applications: 21`:                                                   "DA1352",
		`tenant: quota: workloads: 100000`:                                                  "DA1352",
		`tenant: quota: priorityCeiling: 901`:                                               "DA1353",
		`tenant: policy: limits: priorityCeiling: 901`:                                      "DA1302",
		`tenant: borrow: cpu: "41"`:                                                         "DA1352",
		`tenant: guarantee: cpu: "1000"`:                                                    "DA1351",
		`tenant: weight: 1000`:                                                              "DA1351",
		`tenant: lend: {cpu: "0", memory: "0"}`:                                             "DA1351",
		`tenant: reservations: x: {application: "shop", pool: "general", amount: cpu: "9"}`: "DA1529",
		`platform: allotments: acme: weight: 1000`:                                          "DA1003",
		`tenant: name: "globex"`:                                                            "DA1104",
		`tenant: allotment: weight: 1000`:                                                   "DA1101",
		`tenant: _allotment: priorityCeiling: 1000`:                                         "",
		`tenant: _lacks: ""`:                                                                "",
	}
	for _, says := range slices.Sorted(maps.Keys(tenant)) {
		t.Run(says, func(t *testing.T) {
			own, f := tenantSays(t, says+"\n")
			if code := tenant[says]; code != "" {
				require.Nil(t, own)
				require.Contains(t, f.UnusableTenants, "acme")
				require.Equal(t, code, f.Problems[0].Code, report(f))
				require.Equal(t, "acme", f.Problems[0].Tenant)
				require.Contains(t, f.Problems[0].Places[0].At, "tenants/acme/")
			} else if own != nil { // a hidden field of package fleet is not that of the schema
				require.Equal(t, []int{2, 900}, []int{own.Weight, own.PriorityCeiling})
			}
			require.Equal(t, others(before), others(f))
		})
	}
	for _, says := range []string{`tenant: quota: cpu: "1000"`, `platform: allotments: acme: weight: 1000`, `application: priority: 901`} {
		files := unpack(archive(t, "base.txtar"), overlay("allotments.cue", allotted), overlay("tenants/acme/apps/shop/more.cue", "package fleet\n\n"+says+"\n"))
		f := New().Fleet("c", files, nil)
		require.Len(t, f.Unusable, 1, says)
		require.Len(t, f.Problems, 1, says)
	}
}
