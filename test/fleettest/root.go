// Package fleettest gives tests the root of a small fleet repo.
package fleettest

import "fmt"

// Root returns the root file of a fleet whose platform has, besides a policy, what the test adds: pools, allotments and
// parts of the policy, as CUE.
func Root(more ...string) string {
	added := ""
	for _, cue := range more {
		added += "\t" + cue + "\n"
	}
	return `package fleet

import "d-aros.dev/schema"

schema.#Fleet

platform: {
	name: "test"
	policy: {
		limits: {maxReplicas: 20, priorityCeiling: 1000}
		images: registries: ["registry.example.com"]
		runtimes: ["container"]
		defaults: {replicas: 1, priority: 100, strategy: "spread", startDeadline: "10m"}
	}
` + added + "}\n"
}

// Nodes returns a pool, general, of the nodes that carry a name: nodes of the test's own, so that tests do not take
// capacity from each other.
func Nodes(name string) string {
	return fmt.Sprintf(`pools: general: {os: ["linux"], runtimes: ["container"], nodes: selector: "d-aros.dev/pool": %q, topologyKey: "topology.kubernetes.io/zone"}`, name)
}

// Declared is a pool, general, whose capacity is declared.
const Declared = `pools: general: {os: ["linux"], runtimes: ["container"], capacity: {cpu: "4", memory: "8Gi"}}`
