package turn_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"

	"pgregory.net/rapid"
)

// A drawnFleet is a fleet in which every tenant keeps to what is its own.
type drawnFleet struct {
	namespace string
	tenants   []drawnTenant
}

type drawnTenant struct {
	name   string
	moves  string // of its allotment, what its own files had before there were allotments
	shared string // of its allotment, what the platform has for all tenants
	apps   map[string]string
}

func (f *drawnFleet) names() (all []string) {
	for _, t := range f.tenants {
		all = append(all, t.name)
	}
	return all
}

// drawFleet draws three tenants, of which one has a name that begins with that of another. The
// guarantees are all that there is.
func drawFleet(t *rapid.T) *drawnFleet {
	f := &drawnFleet{namespace: rapid.SampledFrom([]string{"tenant", "application"}).Draw(t, "namespace")}
	for _, name := range []string{"acme", "acme-a", "globex"} {
		own := drawnTenant{name: name, apps: map[string]string{}, moves: fmt.Sprintf(`guarantee: {cpu: "8", memory: "8Gi"}, weight: %d, quota: {cpu: %q, memory: "16Gi", applications: %d}`,
			rapid.IntRange(1, 3).Draw(t, "weight"), rapid.SampledFrom([]string{"8", "16"}).Draw(t, "quota"), rapid.IntRange(1, 4).Draw(t, "applications"))}
		var shared []string
		for _, s := range []string{
			fmt.Sprintf(`hosts: ["*.%s.example.com"]`, name), fmt.Sprintf(`namespaces: [%q, "%s-*"]`, name, name), `services: ["NodePort"]`, `ingress: annotations: ["example.com/limit"]`,
			`isolation: "open"`, `podSecurity: "baseline"`,
		} {
			if rapid.Bool().Draw(t, s) {
				shared = append(shared, s)
			}
		}
		own.shared = strings.Join(shared, ", ")
		for _, app := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"b", "shop", "site"}), 1, 2, rapid.ID[string]).Draw(t, "apps") {
			own.apps[app] = f.app(t, app, name+"-"+app, name)
		}
		f.tenants = append(f.tenants, own)
	}
	return f
}

// app draws an application that takes names of an owner, "TENANT-APP", whose tenant is of.
func (f *drawnFleet) app(t *rapid.T, name, owner, of string) string {
	host, port := owner+"."+of+".example.com", 30000
	for _, c := range owner {
		port += int(c)
	}
	var all []string
	for _, c := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		`web: {type: "webservice", replicas: 2, resources: requests: {cpu: "500m", memory: "64Mi"}, properties: {image: "ghcr.io/acme/a:1", ports: [{port: 80}]}, traits: ingress: [{host: "HOST", port: 80}]}`,
		`work: {type: "worker", resources: requests: {cpu: "1", memory: "64Mi"}, properties: image: "ghcr.io/acme/a:1"}`,
		`conf: {type: "config", properties: data: a: "OWNER"}`,
		`map: {type: "raw", properties: objects: [{apiVersion: "v1", kind: "ConfigMap", metadata: name: "OWNER"}]}`,
		`door: {type: "raw", properties: objects: [{apiVersion: "v1", kind: "Service", metadata: name: "OWNER", spec: {type: "NodePort", ports: [{port: 80, nodePort: PORT}]}}]}`,
		`route: {type: "raw", properties: objects: [{apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", metadata: {name: "OWNER", annotations: "example.com/limit": "1"}, spec: hostnames: ["HOST"]}]}`,
		`mesh: {type: "raw", properties: objects: [{apiVersion: "networking.istio.io/v1", kind: "VirtualService", metadata: name: "OWNER", spec: hosts: ["HOST"]}]}`,
		`kust: {type: "kustomize", properties: path: "k"}`,
	}), 1, 4, rapid.ID[string]).Draw(t, "components") {
		all = append(all, strings.NewReplacer("HOST", host, "OWNER", owner, "PORT", strconv.Itoa(port)).Replace(c))
	}
	return fmt.Sprintf("package fleet\n\napplication: {\n\tname: %q\n\tpriority: %d\n\tcomponents: {\n\t\t%s\n\t}\n}\n",
		name, rapid.SampledFrom([]int{10, 100, 900}).Draw(t, "priority"), strings.Join(all, "\n\t\t"))
}

// files are those of the fleet, with allotments or as before there were any.
func (f *drawnFleet) files(allotted bool) fstest.MapFS {
	files := fstest.MapFS{}
	var allotments strings.Builder
	for _, t := range f.tenants {
		dir, own := "tenants/"+t.name+"/", "name: "+strconv.Quote(t.name)
		if allotted {
			fmt.Fprintf(&allotments, "\tallotments: %q: {%s}\n", t.name, strings.Trim(t.moves+", "+t.shared, ", "))
		} else {
			own += "\n\t" + t.moves
		}
		write(files, dir+"tenant.cue", "package fleet\n\ntenant: {\n\t"+own+"\n}\n")
		for name, app := range t.apps {
			write(files, dir+"apps/"+name+"/app.cue", app)
			write(files, dir+"apps/"+name+"/k/kustomization.yaml", "resources: [a.yaml]\n")
			write(files, dir+"apps/"+name+"/k/a.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: k-"+t.name+"-"+name+"}}\n")
		}
	}
	write(files, "fleet.cue", `package fleet

import "d-aros.dev/schema"

schema.#Fleet

platform: {
	name: "example"
	policy: {
		limits: {maxReplicas: 50, priorityCeiling: 1000, maxShare: 1}
		images: registries: ["ghcr.io/acme"]
		runtimes: ["container"]
		kinds: ["ConfigMap", "Service", "Ingress", "Job", "HTTPRoute.gateway.networking.k8s.io", "VirtualService.networking.istio.io"]
		preemption: "any"
		namespace: "`+f.namespace+`"
	}
	pools: general: capacity: {cpu: "24", memory: "24Gi"}
`+allotments.String()+"}\n")
	return files
}

func write(files fstest.MapFS, name, text string) {
	files[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
}

// edit changes files below the directory of a tenant, in one of the ways in which somebody could
// want to reach others.
func (f *drawnFleet) edit(t *rapid.T, files fstest.MapFS, by string) {
	dir := "tenants/" + by + "/"
	own := slices.Sorted(func(yield func(string) bool) {
		for name := range files {
			if strings.HasPrefix(name, dir) && !yield(name) {
				return
			}
		}
	})
	app := dir + "apps/" + rapid.SampledFrom([]string{"a", "b", "shop", "site"}).Draw(t, "app") + "/"
	name := strings.Split(app, "/")[3]
	switch rapid.SampledFrom([]string{"names", "names", "names", "any", "broken", "gone", "tenant", "field", "greedy"}).Draw(t, "edit") {
	case "names": // of an application of anybody
		of := rapid.SampledFrom(f.tenants).Draw(t, "of")
		victim := rapid.SampledFrom(slices.Sorted(maps.Keys(of.apps))).Draw(t, "victim")
		write(files, app+"app.cue", f.app(t, name, of.name+"-"+victim, of.name))
		write(files, app+"k/kustomization.yaml", "resources: [a.yaml]\n")
		write(files, app+"k/a.yaml", "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: k}, spec: {rules: [{host: "+of.name+"-"+victim+"."+of.name+".example.com}]}}\n")
	case "any": // host, or a Job of a step of somebody
		write(files, app+"app.cue", fmt.Sprintf("package fleet\n\napplication: {\n\tname: %q\n\tcomponents: r: {type: \"raw\", properties: objects: [%s]}\n}\n", name, rapid.SampledFrom([]string{
			`{apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: name: "a", spec: rules: [{host: "*.example.com"}]}`,
			`{apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: name: "a", spec: defaultBackend: service: {name: "a", port: number: 80}}`,
			`{apiVersion: "networking.istio.io/v1", kind: "VirtualService", metadata: name: "a", spec: hosts: ["globex-shop.globex.svc.cluster.local", "*"]}`,
			`{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "a", namespace: "globex"}}`,
			`{apiVersion: "v1", kind: "ConfigMap", metadata: name: "d-aros.inventory.site"}`,
		}).Draw(t, "object")))
	case "broken":
		name := rapid.SampledFrom(own).Draw(t, "file")
		write(files, name, string(files[name].Data)+rapid.SampledFrom([]string{"}", "x: 1", "import \"os\"", "\x00", "platform: name: \"x\""}).Draw(t, "text"))
	case "gone":
		below := rapid.SampledFrom([]string{dir, dir + "tenant.cue", app}).Draw(t, "below")
		maps.DeleteFunc(files, func(name string, _ *fstest.MapFile) bool { return strings.HasPrefix(name, below) })
		if below == dir {
			write(files, dir+"README.md", "gone")
		}
	case "tenant":
		write(files, dir+"more.cue", "package fleet\n\ntenant: "+rapid.SampledFrom([]string{
			`guarantee: cpu: "24"`, `weight: 1000`, `lend: cpu: "0"`, `quota: cpu: "24"`, `quota: cpu: "0"`, `hosts: ["*"]`, `hosts: []`, `name: "globex"`,
			`policy: namespace: "application"`, `policy: namespace: "tenant"`, `policy: kinds: ["Secret"]`, `policy: preemption: "any"`, `reservations: b: amount: {cpu: "20", memory: "1Gi"}`,
			`releases: shop: commit: "0123456789abcdef0123456789abcdef01234567"`, `access: admins: ["x"]`,
		}).Draw(t, "text")+"\n")
	case "field": // of another layer or file, or where none is
		at := rapid.SampledFrom([]string{dir + "x.cue", app + "x.cue", app + "deep/x.cue", dir + "cue.mod/module.cue", dir + "apps/x.cue", app + "cue.mod/pkg/d-aros.dev/schema/tenant.cue"}).Draw(t, "at")
		write(files, at, rapid.SampledFrom([]string{
			"package fleet\n\nplatform: allotments: globex: hosts: []\n", "package fleet\n\ntenant: weight: 9\n", "package other\n\nx: 1\n", "package fleet\n\n#Name: string\n_syntax: label: \".*\"\n",
			"package schema\n\n#Tenant: {...}\n", "module: \"x\"\n",
		}).Draw(t, "text"))
	case "greedy":
		write(files, app+"app.cue", fmt.Sprintf(`package fleet

application: {
	name: %q
	priority: 1000
	components: w: {type: "worker", replicas: %d, resources: requests: {cpu: %q, memory: "1Gi"}, properties: image: "ghcr.io/acme/a:1", connects: ["globex/shop/web"]}
}
`, name, rapid.IntRange(1, 20).Draw(t, "replicas"), rapid.SampledFrom([]string{"1", "4", "20"}).Draw(t, "cpu")))
	}
}
