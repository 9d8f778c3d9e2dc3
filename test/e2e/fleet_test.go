package e2e

import (
	"fmt"

	"github.com/d-aros/d-aros/test/fleettest"
)

// The files of small fleets.

// platform declares a pool of the nodes that carry the name.
func platform(name string) map[string]string {
	return map[string]string{"fleet.cue": fleettest.Root(fleettest.Nodes(name))}
}

// tenant declares a tenant with a quota of cores, and gives it an allotment without limits.
func tenant(name string, cores int, more string) map[string]string {
	return map[string]string{
		"allotment-" + name + ".cue": fmt.Sprintf("package fleet\n\nplatform: allotments: %q: podSecurity: \"baseline\"\n", name),
		"tenants/" + name + "/tenant.cue": fmt.Sprintf(`package fleet

tenant: {
	name: %q
	quota: {cpu: "%d", memory: "64Gi"}
	%s
}
`, name, cores, more),
	}
}

// app declares an application with the components given.
func app(tenant, name, components string) map[string]string {
	return map[string]string{
		"tenants/" + tenant + "/apps/" + name + "/app.cue": fmt.Sprintf(`package fleet

application: {
	name: %q
	components: {
		%s
	}
}
`, name, components),
	}
}

// web is a component that serves, of half a core a replica.
func web(replicas int, tag string) string {
	return fmt.Sprintf(`web: {
			type: "webservice", replicas: %d
			properties: {image: "registry.example.com/web:%s", ports: [{port: 8080}]}
			resources: requests: {cpu: "500m", memory: "64Mi"}
		}`, replicas, tag)
}

// merge puts files together.
func merge(sets ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, set := range sets {
		for k, v := range set {
			all[k] = v
		}
	}
	return all
}
