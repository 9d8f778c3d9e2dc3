package chaos

import (
	"fmt"
	"strings"
)

// hostile commits applications of mallory, and removes them at the end. Before that, the branch says what is wrong.
func (w *world) hostile(files map[string]string) (func() error, error) {
	w.number++
	own, gone := map[string]string{}, map[string]string{}
	for name, content := range files {
		name = strings.ReplaceAll(name, "APP", fmt.Sprint("evil", w.number, "-"))
		own[name] = content
		dir, _, _ := strings.Cut(strings.TrimPrefix(name, "tenants/mallory/apps/"), "/")
		gone["tenants/mallory/apps/"+dir] = ""
	}
	w.commit("mallory", own)
	return func() error {
		err := w.until("the branch blames mallory", func() error {
			text := w.bare.Git("show", "status:errors.json")
			if !strings.Contains(text, fmt.Sprint("evil", w.number, "-")) {
				return fmt.Errorf("errors.json says %s", text)
			}
			return nil
		})
		w.commit("without mallory", gone)
		return err
	}, nil
}

func (w *world) bombs() (func() error, error) {
	files := map[string]string{}
	for i := range 3 {
		// Comments make each bomb another one for caches.
		files["tenants/mallory/apps/APP"+fmt.Sprint("loop", i)+"/app.cue"] = fmt.Sprintf(`package fleet

import "list"

// %d %d
application: labels: x: "\(len([for a in list.Range(0, 300, 1) for b in list.Range(0, 300, 1) for c in list.Range(0, 300, 1) {a + b + c}]))"
`, w.number, i)
		text := "package fleet\n\nlet text = {\n\ta0: \"lololololo\"\n"
		for n := 1; n < 10; n++ {
			text += fmt.Sprintf("\ta%d: \"%s\"\n", n, strings.Repeat(fmt.Sprintf(`\(a%d)`, n-1), 10))
		}
		files["tenants/mallory/apps/APP"+fmt.Sprint("laugh", i)+"/app.cue"] = text + fmt.Sprintf("}\n\n// %d %d\napplication: labels: x: text.a9\n", w.number, i)
	}
	return w.hostile(files)
}

func (w *world) doubles() (func() error, error) {
	const dir = "tenants/mallory/apps/APPdouble/"
	files := map[string]string{
		dir + "app.cue":              "package fleet\n\napplication: {\n\tname: \"evil" + fmt.Sprint(w.number+1) + "-double\"\n\tcomponents: k: {type: \"kustomize\", resources: requests: {cpu: \"10m\", memory: \"16Mi\"}, properties: path: \"k\"}\n}\n",
		dir + "k/kustomization.yaml": "resources: [../a18, ../b18]\nnamePrefix: n-\n",
	}
	for _, side := range []string{"a", "b"} {
		files[dir+side+"0/kustomization.yaml"] = "resources: [cm.yaml]\nnamePrefix: " + side + "-\n"
		files[dir+side+"0/cm.yaml"] = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: y}}\n"
		for i := 1; i <= 18; i++ {
			files[dir+fmt.Sprint(side, i)+"/kustomization.yaml"] = fmt.Sprintf("resources: [../a%d, ../b%d]\nnamePrefix: %s-\n", i-1, i-1, side)
		}
	}
	return w.hostile(files)
}

func (w *world) steals() (func() error, error) {
	named := func(name, components string) string {
		return fmt.Sprintf("package fleet\n\napplication: {\n\tname: \"evil%d-%s\"\n\tcomponents: {\n%s\n\t}\n}\n", w.number+1, name, components)
	}
	object := func(o string) string {
		return `r: {type: "raw", resources: requests: {cpu: "10m", memory: "16Mi"}, properties: objects: [` + o + `]}`
	}
	pod := func(spec string) string {
		return object(`{apiVersion: "apps/v1", kind: "Deployment", metadata: name: "evil", spec: {selector: matchLabels: a: "b", template: {metadata: labels: a: "b", spec: {` + spec + `}}}}`)
	}
	const evilImage = `containers: [{name: "a", image: "registry.example.com/evil:1"}]`
	files := map[string]string{}
	for name, components := range map[string]string{
		"host":      web("registry.example.com/evil:1", `traits: ingress: [{host: "shop.example.com", port: 8080}]`),
		"wildcard":  object(`{apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: name: "x", spec: rules: [{host: "*.example.com"}]}`),
		"namespace": object(fmt.Sprintf(`{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "shop-settings", namespace: "%s-acme"}}`, w.name)),
		"system":    object(`{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "x", namespace: "kube-system"}}`),
		"reserved":  object(`{apiVersion: "v1", kind: "ConfigMap", metadata: name: "d-aros.inventory.idle"}`),
		"labels":    object(`{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "x", labels: "d-aros.dev/tenant": "acme"}}`),
		"role":      object(`{apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding", metadata: name: "x"}`),
		"root":      pod(`containers: [{name: "a", image: "registry.example.com/evil:1", securityContext: privileged: true}]`),
		"node":      pod(`hostNetwork: true, ` + evilImage),
		"registry":  web("elsewhere.example.com/evil:1"),
		"finalizer": object(`{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "x", finalizers: ["a.b/c"]}}`),
	} {
		files["tenants/mallory/apps/APP"+name+"/app.cue"] = named(name, components)
	}
	return w.hostile(files)
}

func (w *world) babbles() (func() error, error) {
	files := map[string]string{}
	for name, content := range map[string]string{
		"syntax": "package fleet\n\napplication: {name: \"\n", "empty": "package fleet\n\napplication: {}\n", "layer": "package fleet\n\nplatform: name: \"mine\"\n",
		"package": "package other\n", "bytes": "package fleet\n\nx: \"\xff\xfe\"\n", "tool": "@if(x)\npackage fleet\n", "remote": "package fleet\n\nimport \"example.com/evil\"\n",
		"traits": "package fleet\n\napplication: components: web: traits: nonsense: 1\n",
	} {
		files["tenants/mallory/apps/APP"+name+"/app.cue"] = content
	}
	return w.hostile(files)
}
