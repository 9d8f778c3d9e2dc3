package chaos

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/test/fleettest"
)

// canary is the value of a secret, which shows nowhere.
const canary = "correcthorse-battery"

// bomber is a tenant whose files never end, so that it soon has no time left for anything.
const bomber = "bomber"

// fleetFile declares the platform: nodes of the test's own, and its tenants.
func fleetFile(name string) map[string]string {
	return map[string]string{"fleet.cue": fleettest.Root(fleettest.Nodes(name),
		`policy: kinds: ["ConfigMap", "Ingress", "Deployment", "Service"]`,
		`allotments: acme: {podSecurity: "baseline", hosts: ["shop.example.com"]}`,
		`allotments: {globex: podSecurity: "baseline", mallory: podSecurity: "baseline"}`,
		`allotments: {bomber: podSecurity: "baseline", umbrella: podSecurity: "baseline"}`)}
}

func tenant(name string) map[string]string {
	return map[string]string{"tenants/" + name + "/tenant.cue": fmt.Sprintf("package fleet\n\ntenant: {name: %q, quota: {cpu: \"6\", memory: \"8Gi\"}}\n", name)}
}

func app(tenant, name, components string) map[string]string {
	return map[string]string{
		"tenants/" + tenant + "/apps/" + name + "/app.cue": fmt.Sprintf("package fleet\n\napplication: {\n\tname: %q\n\tcomponents: {\n%s\n\t}\n}\n", name, components),
	}
}

// web is a component that serves.
func web(image string, more ...string) string {
	return fmt.Sprintf(`		web: {
			type: "webservice", replicas: 2
			properties: {image: %q, ports: [{port: 8080}]}
			resources: requests: {cpu: "100m", memory: "64Mi"}
			%s
		}`, image, strings.Join(more, "\n\t\t\t"))
}

// shop has a volume, a secret and a host.
func shop(image string) map[string]string {
	return app("acme", "shop", web(image, `properties: env: DB_PASSWORD: "`+canary+`"`, `traits: ingress: [{host: "shop.example.com", port: 8080}]`)+`
		db: {
			type: "store"
			properties: {image: "registry.example.com/db:1", ports: [{port: 5432}]}
			resources: requests: {cpu: "100m", memory: "64Mi"}
			traits: storage: [{name: "data", type: "persistent", mountPath: "/data", size: "1Gi"}]
		}
		credentials: {type: "secret", properties: data: password: "`+canary+`"}`)
}

// config is a component that is one ConfigMap.
func config(name string) string {
	return fmt.Sprintf(`		%s: {type: "config", properties: data: key: "ours"}`, name)
}

// image is one that a commit declares from now on.
func (w *world) image(name string) string {
	image := "registry.example.com/" + name
	w.watch.declare(image)
	return image
}

// base is the fleet that all is done to.
func (w *world) base() []map[string]string {
	w.watch.declare("registry.example.com/db:1")
	return []map[string]string{
		fleetFile(w.name), tenant("acme"), tenant("globex"), tenant("mallory"), tenant(bomber),
		shop(w.image("shop:0")), app("acme", "legacy", config("settings")),
		app("globex", "api", web(w.image("api:1"))), app("mallory", "idle", web(w.image("idle:1"))),
	}
}
