package render

import (
	"fmt"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const boutiqueDir = "../../../shared/data/online-boutique/kustomize"

// boutique is the kustomization of Online Boutique, which somebody else wrote.
func boutique(t testing.TB) fs.FS {
	if _, err := os.Stat(boutiqueDir); err != nil {
		t.Skipf("the kustomization of Online Boutique is not at hand: %v", err)
	}
	return os.DirFS(boutiqueDir)
}

// overlay puts a kustomization of ours above Online Boutique.
type overlay struct {
	fs.FS
	ours fstest.MapFS
}

func (o overlay) Open(name string) (fs.File, error) {
	if _, ok := o.ours[name]; ok {
		return o.ours.Open(name)
	}
	return o.FS.Open(name)
}

func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.FS, name)
	if name == "." {
		more, _ := fs.ReadDir(o.ours, name)
		entries = append(entries, more...)
	} else if name == "ours" {
		return fs.ReadDir(o.ours, name)
	}
	return entries, err
}

// TestBoutiqueComponent: as it comes, the shop asks for accounts of its own and
// is refused; without them it is a component like any other, and its limits are
// those that it declares.
func TestBoutiqueComponent(t *testing.T) {
	upstream := boutique(t)
	render := func(path, cpu string) (Set, error) {
		s := readScenario(t, fmt.Appendf(nil, `
kinds: [Deployment, Service, ServiceAccount]
registries: [us-central1-docker.pkg.dev/online-boutique-ci, registry.example.com]
components: [{name: all, type: kustomize, requests: {cpu: %q, memory: 4Gi}, properties: {path: %q}}]`, cpu, path))
		return Application(s.input(t, overlay{upstream, mapFS("ours/kustomization.yaml", `
resources: [../base]
images: [{name: redis, newName: registry.example.com/redis}, {name: busybox, newName: registry.example.com/busybox}]
patches:
- {target: {kind: Deployment}, patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: any}, spec: {template: {spec: {serviceAccountName: null}}}}'}
`)}))
	}
	_, err := render("base", "8")
	require.ErrorContains(t, err, "serviceAccountName")
	_, err = render("ours", "1")
	require.ErrorContains(t, err, CodeUndeclared)
	set, err := render("ours", "8")
	require.NoError(t, err)
	require.Len(t, set.Objects, 35)
}
