package chaos

import (
	"fmt"
	"path"
	"strings"
)

// hostile commits applications of a tenant, and removes them at the end. Before that, the branch blames each of them, or
// says that the tenant has used its share of the time (DA1020), which only a tenant with bombs does.
func (w *world) hostile(tenant string, files map[string]string) (func() error, error) {
	w.number++
	own, gone := map[string]string{}, map[string]string{}
	for name, content := range files {
		app := fmt.Sprintf("evil%d-%s", w.number, strings.SplitN(name, "/", 2)[0])
		own["tenants/"+tenant+"/apps/evil"+fmt.Sprint(w.number)+"-"+name] = strings.ReplaceAll(content, "NAME", app)
		gone["tenants/"+tenant+"/apps/"+app] = ""
	}
	w.commit(tenant, own)
	return func() error {
		err := w.until("the branch blames "+tenant, func() error {
			text := w.bare.Git("show", "status:errors.json")
			for dir := range gone {
				if !strings.Contains(text, path.Base(dir)) && !(tenant == bomber && strings.Contains(text, "DA1020")) {
					return fmt.Errorf("%s is not in %s", dir, text)
				}
			}
			return nil
		})
		w.commit("without "+tenant, gone)
		return err
	}, nil
}

func (w *world) bombs() (func() error, error) {
	files := map[string]string{}
	for i := range 3 {
		// Comments make each bomb another one for caches.
		files[fmt.Sprint("loop", i)+"/app.cue"] = fmt.Sprintf(`package fleet

import "list"

// %d %d
application: labels: x: "\(len([for a in list.Range(0, 300, 1) for b in list.Range(0, 300, 1) for c in list.Range(0, 300, 1) {a + b + c}]))"
`, w.number, i)
		text := "package fleet\n\nlet text = {\n\ta0: \"lololololo\"\n"
		for n := 1; n < 10; n++ {
			text += fmt.Sprintf("\ta%d: \"%s\"\n", n, strings.Repeat(fmt.Sprintf(`\(a%d)`, n-1), 10))
		}
		files[fmt.Sprint("laugh", i)+"/app.cue"] = text + fmt.Sprintf("}\n\n// %d %d\napplication: labels: x: text.a9\n", w.number, i)
	}
	return w.hostile(bomber, files)
}

func (w *world) doubles() (func() error, error) {
	const dir = "double/"
	files := map[string]string{
		dir + "app.cue":              "package fleet\n\napplication: {\n\tname: \"NAME\"\n\tcomponents: k: {type: \"kustomize\", resources: requests: {cpu: \"10m\", memory: \"16Mi\"}, properties: path: \"k\"}\n}\n",
		dir + "k/kustomization.yaml": "resources: [../a18, ../b18]\nnamePrefix: n-\n",
	}
	for _, side := range []string{"a", "b"} {
		files[dir+side+"0/kustomization.yaml"] = "resources: [cm.yaml]\nnamePrefix: " + side + "-\n"
		files[dir+side+"0/cm.yaml"] = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: y}}\n"
		for i := 1; i <= 18; i++ {
			files[dir+fmt.Sprint(side, i)+"/kustomization.yaml"] = fmt.Sprintf("resources: [../a%d, ../b%d]\nnamePrefix: %s-\n", i-1, i-1, side)
		}
	}
	return w.hostile(bomber, files)
}

func (w *world) steals() (func() error, error) {
	object := func(o string) string {
		return `r: {type: "raw", resources: requests: {cpu: "10m", memory: "16Mi"}, properties: objects: [` + o + `]}`
	}
	pod := func(spec string) string {
		return object(`{apiVersion: "apps/v1", kind: "Deployment", metadata: name: "evil", spec: {selector: matchLabels: a: "b", template: {metadata: labels: a: "b", spec: {` + spec + `}}}}`)
	}
	const requests = `resources: requests: {cpu: "10m", memory: "16Mi"}`
	const evilImage = `containers: [{name: "a", image: "registry.example.com/evil:1", ` + requests + `}]`
	files := map[string]string{}
	for name, components := range map[string]string{
		"host":      web("registry.example.com/evil:1", `traits: ingress: [{host: "shop.example.com", port: 8080}]`),
		"every":     object(`{apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: name: "x", spec: defaultBackend: service: {name: "x", port: number: 80}}`),
		"namespace": object(fmt.Sprintf(`{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "shop-settings", namespace: "%s-acme"}}`, w.name)),
		"system":    object(`{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "x", namespace: "kube-system"}}`),
		"reserved":  object(`{apiVersion: "v1", kind: "ConfigMap", metadata: name: "d-aros.inventory.idle"}`),
		"labels":    object(`{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "x", labels: "d-aros.dev/tenant": "acme"}}`),
		"role":      object(`{apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding", metadata: name: "x"}`),
		"root":      pod(`containers: [{name: "a", image: "registry.example.com/evil:1", ` + requests + `, securityContext: privileged: true}]`),
		"node":      pod(`hostNetwork: true, ` + evilImage),
		"registry":  web("elsewhere.example.com/evil:1"),
		"finalizer": object(`{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "x", finalizers: ["a.b/c"]}}`),
	} {
		files[name+"/app.cue"] = "package fleet\n\napplication: {\n\tname: \"NAME\"\n\tcomponents: {\n" + components + "\n\t}\n}\n"
	}
	return w.hostile("mallory", files)
}

func (w *world) babbles() (func() error, error) {
	files := map[string]string{}
	for name, content := range map[string]string{
		"syntax": "package fleet\n\napplication: {name: \"\n", "empty": "package fleet\n\napplication: {}\n", "layer": "package fleet\n\nplatform: name: \"mine\"\n",
		"package": "package other\n", "bytes": "package fleet\n\nx: \"\xff\xfe\"\n", "tool": "@if(x)\npackage fleet\n", "remote": "package fleet\n\nimport \"example.com/evil\"\n",
		"traits": "package fleet\n\napplication: components: web: traits: nonsense: 1\n",
	} {
		files[name+"/app.cue"] = content
	}
	return w.hostile("mallory", files)
}
