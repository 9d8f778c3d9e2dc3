package main

import "fmt"

const platform = `package fleet

import "d-aros.dev/schema"

schema.#Fleet

platform: {
	name: "bench"
	policy: {
		limits: {maxReplicas: 20, priorityCeiling: 1000}
		images: registries: ["registry.example.com"]
		runtimes: ["container"]
		defaults: {replicas: 1, priority: 100, strategy: "spread", startDeadline: "30m"}
	}
	pools: general: {
		os: ["linux"]
		runtimes: ["container"]
		nodes: selector: "d-aros.dev/pool": "general"
	}
}
`

// tenantSize is the number of applications of a tenant.
const tenantSize = 50

// name returns tenant and name of the nth application.
func (b *bench) name(n int) (tenant, name string) {
	return fmt.Sprintf("tenant%03d", n/tenantSize), fmt.Sprintf("app%05d", n)
}

// files are the tenants and applications: each application is one web service of
// one replica, so a Deployment, a Service and an inventory.
func (b *bench) files() map[string]string {
	files := map[string]string{}
	allotments := "package fleet\n\n"
	for n := range b.size {
		tenant, name := b.name(n)
		if n%tenantSize == 0 {
			allotments += fmt.Sprintf("platform: allotments: %q: quota: {cpu: \"64\", memory: \"256Gi\"}\n", tenant)
		}
		files["tenants/"+tenant+"/tenant.cue"] = fmt.Sprintf("package fleet\n\ntenant: name: %q\n", tenant)
		files[appFile(tenant, name)] = application(name, "registry.example.com/web:1")
	}
	files["allotments.cue"] = allotments
	return files
}

func appFile(tenant, name string) string { return "tenants/" + tenant + "/apps/" + name + "/app.cue" }

func application(name, image string) string {
	return fmt.Sprintf(`package fleet

application: {
	name: %q
	components: web: {
		type: "webservice"
		properties: {image: %q, ports: [{port: 8080}]}
		resources: requests: {cpu: "100m", memory: "64Mi"}
	}
}
`, name, image)
}
