package importing_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/importing"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/test/inprocess"
)

var update = flag.Bool("update", false, "write what is imported as what is wanted")

// sharedData has files of others, which a clone of the project does not have.
var sharedData = flag.String("shared", "../../../shared/data", "directory with files of others")

// fleet is one like examples/repo, whose policy allows what the files of the corpus need: registries,
// Secrets that others made, and hosts.
const fleet = `package fleet

import "d-aros.dev/schema"

schema.#Fleet

platform: {
	name: "import"
	policy: {
		limits: {maxReplicas: 1000, priorityCeiling: 1000}
		images: registries: ["docker.io", "quay.io", "gcr.io", "us-central1-docker.pkg.dev", "ghcr.io", "registry.example.com", "nocalhost-docker.pkg.coding.net"]
		runtimes: ["container"]
		requiredLabels: ["team"]
		secrets: existing: ["*"]
		secrets: literals: "refused"
		existing: {configs: ["*"], claims: ["*"], gateways: ["*/*"]}
		kinds: ["ConfigMap", "Deployment", "StatefulSet", "DaemonSet", "Bulb.example.com", "ImagePullJob.apps.kruise.io", "Configuration.terraform.core.oam.dev"]
		egress: hosts: ["*.example.com", "*.svc"]
		runtimeClasses: ["gvisor"]
		hostProcess: true
		clusterRights: ["read nodes", "read namespaces"]
		rights: ["read pods", "read configmaps", "update configmaps", "read services"]
		defaults: {replicas: 1, priority: 100, strategy: "spread", startDeadline: "10m"}
	}
	pools: general: {os: ["linux"], runtimes: ["container"], capacity: {cpu: "10000", memory: "100000Gi", devices: "nvidia.com/gpu": 1000}}
	pools: windows: {os: ["windows"], runtimes: ["container"], capacity: {cpu: "1000", memory: "10000Gi"}}
	allotments: acme: {services: ["NodePort", "LoadBalancer"], quota: {cpu: "10000", memory: "100000Gi", devices: "nvidia.com/gpu": 1000, applications: 1000, workloads: 10000}, podSecurity: "baseline", hosts: ["*"]}
}
`

// tree is an immutable tree of files.
type tree struct{ fs.FS }

func (t tree) Digest(name string) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(t.FS, name, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(t.FS, p)
		fmt.Fprintf(h, "%s %d\n%s", strings.TrimPrefix(p, name), len(data), data)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// imported is a file of the corpus, and what it came to.
type imported struct {
	file, group string
	result      *importing.Result
	err         error
	hostless    *importing.Result // without the host of entrances for every host
}

// app is the name of its application in the fleet.
func (i *imported) app() string { return i.result.Name }

// corpus imports own files, and those of others if they are there.
func corpus(t *testing.T) (all []imported, shared bool) {
	add := func(root, group string, only func(string, []byte) bool) {
		require.NoError(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if ext := filepath.Ext(file); ext != ".yaml" && ext != ".json" {
				return nil
			}
			data, err := os.ReadFile(file)
			if err != nil || only != nil && !only(file, data) {
				return err
			}
			name, _ := filepath.Rel(root, file)
			i := imported{file: filepath.ToSlash(name), group: group}
			o := importing.Options{
				File: i.file, Name: fmt.Sprintf("app-%d", len(all)), Labels: map[string]string{"team": "import"},
				Definitions: definitionsBeside(t, file), Expand: evaluate.Through(inprocess.By[evaluate.Worker]()).Template,
			}
			i.hostless, _ = importing.Import(data, o)
			o.Host = "import.example.com"
			i.result, i.err = importing.Import(data, o)
			all = append(all, i)
			return nil
		}))
	}
	for _, format := range importing.Formats() {
		add(filepath.Join("testdata", string(format)), "own files, "+string(format), nil)
	}
	if _, err := os.Stat(*sharedData); err != nil {
		t.Logf("the files of others are not at hand: %v", err)
		return all, false
	}
	add(filepath.Join(*sharedData, "kubemin"), "KubeMin, examples", func(file string, data []byte) bool { return strings.Contains(string(data), `"component"`) })
	add(filepath.Join(*sharedData, "kubevela"), "KubeVela, examples", func(file string, data []byte) bool {
		return strings.Contains(string(data), "core.oam.dev/") && strings.Contains(string(data)+"\n", "kind: Application\n")
	})
	add(filepath.Join(*sharedData, "online-boutique", "release"), "Online Boutique, manifests", nil)
	return all, true
}

// definitionsBeside returns the files with definitions of KubeVela in the directory of a file, in definitions below it, and in the directory above.
func definitionsBeside(t *testing.T, file string) (all [][]byte) {
	for _, pattern := range []string{"*.yaml", "definitions/*.yaml", "../*.yaml"} {
		names, err := filepath.Glob(filepath.Join(filepath.Dir(file), pattern))
		require.NoError(t, err)
		for _, name := range names {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			if strings.Contains(string(data), "Definition\n") && strings.Contains(string(data), "core.oam.dev/") {
				all = append(all, data)
			}
		}
	}
	return all
}

// chartIn finds the directories of charts.
var chartIn = regexp.MustCompile(`chart: +"(charts/[a-z0-9-]+)"`)

// TestImportedFleetIsValid: what comes out of every file passes the schema and the checks of the fleet, and
// is rendered.
func TestImportedFleetIsValid(t *testing.T) {
	all, _ := corpus(t)
	files := fstest.MapFS{
		"fleet.cue":               {Data: []byte(fleet)},
		"tenants/acme/tenant.cue": {Data: []byte("package fleet\n\ntenant: name: \"acme\"\n")},
	}
	of := map[string]string{}
	for _, i := range all {
		if i.err == nil {
			dir := "tenants/acme/apps/" + i.app() + "/"
			files[dir+"app.cue"] = &fstest.MapFile{Data: i.result.CUE}
			for _, chart := range chartIn.FindAllStringSubmatch(string(i.result.CUE), -1) { // that somebody puts there
				files[dir+chart[1]+"/Chart.yaml"] = &fstest.MapFile{Data: []byte("apiVersion: v2\nname: chart\nversion: 1.0.0\n")}
			}
			of[i.app()] = i.file
		}
	}
	result := evaluate.Through(inprocess.By[evaluate.Worker]()).Fleet("c", tree{files}, nil)
	for _, p := range result.Problems {
		t.Errorf("%s: %s %s: %s %v", of[p.App], p.Code, p.Path, p.Message, p.Places)
	}
	require.Len(t, result.Applications, len(of))
	for _, app := range result.Applications {
		if slices.ContainsFunc(app.Components, func(c model.Component) bool { return c.Type == "helm" }) {
			continue // its chart is a stand-in
		}
		_, err := objectsOf(&result, app)
		require.NoError(t, err, "%s\n%s", of[app.ID.Name], files["tenants/acme/apps/"+app.ID.Name+"/app.cue"].Data)
	}
}

// objectsOf renders an application in full.
func objectsOf(f *model.Fleet, app *model.Application) (render.Set, error) {
	instance := &model.Instance{App: app.ID, Number: 1, Phase: model.PhaseScheduled, Spec: app}
	for _, c := range app.Components {
		instance.Components = append(instance.Components, model.ComponentState{
			Grant: model.Grant{Component: c.Name, Replicas: c.Replicas, Requests: c.Requests, QoS: c.QoS, Pool: "general"}, Run: c.Replicas,
		})
	}
	return render.Application(render.Input{Fleet: "test", Instance: instance, Tenant: &f.Tenants[0], Pools: f.Platform.Pools, Network: f.Platform.Network})
}
