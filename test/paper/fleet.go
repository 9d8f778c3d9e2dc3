package paper

import "fmt"

// Fleet is the file fleet.cue of a platform with one pool, for the tenants acme, globex and initech.
const Fleet = `package fleet

import "d-aros.dev/schema"

schema.#Fleet
platform: {
	name: "test"
	policy: {
		limits: {maxReplicas: 50, priorityCeiling: 1000, maxShare: 1.0}
		images: registries: ["example.com"]
		runtimes: ["container"]
		defaults: {replicas: 1, priority: 100, strategy: "spread", startDeadline: "10m"}
	}
	pools: general: {os: ["linux"], runtimes: ["container"], nodes: selector: pool: "general", price: {cpu: 0.03, memory: 0.004}}
	allotments: {acme: {}, globex: {}, initech: {}}
}
`

// Tenant is the file tenant.cue of a tenant that may have so many cores.
func Tenant(name string, cpu int) string {
	return fmt.Sprintf(`package fleet

tenant: {
	name: %q
	quota: {cpu: "%d", memory: "256Gi", applications: 50, workloads: 100, priorityCeiling: 900}
}
`, name, cpu)
}
