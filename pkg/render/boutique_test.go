package render

import (
	"fmt"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/render/declared"
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

// TestBoutiqueComponent: the base and its overlays are components like any other, with
// accounts of their own and with requests of the one service that has none, and their limits
// are those that they declare.
func TestBoutiqueComponent(t *testing.T) {
	upstream := boutique(t)
	render := func(path, base, cpu string) (Set, error) {
		s := readScenario(t, fmt.Appendf(nil, `
kinds: [ConfigMap, Deployment, Service, ServiceAccount, NetworkPolicy, VirtualService.networking.istio.io, Gateway.gateway.networking.k8s.io, HTTPRoute.gateway.networking.k8s.io,
  ServiceEntry.networking.istio.io, AuthorizationPolicy.security.istio.io, Sidecar.networking.istio.io]
registries: [us-central1-docker.pkg.dev/online-boutique-ci, us-docker.pkg.dev, docker.io]
components: [{name: all, type: kustomize, requests: {cpu: %q, memory: 8Gi}, properties: {path: %q, mapNamespace: true}}]`, cpu, path))
		in := s.input(t, overlay{upstream, mapFS("ours/kustomization.yaml", `
resources: [../`+base+`]
namespace: boutique
patches:
- {target: {kind: Deployment, name: opentelemetrycollector}, patch: '[{"op": "add", "path": "/spec/template/spec/containers/0/resources", "value": {"requests": {"cpu": "100m", "memory": "64Mi"}}}]'}
`)})
		in.Instance.Spec.Policy.Accounts = []string{"iam.gke.io/gcp-service-account=*"}
		return Application(in)
	}
	_, err := render("ours", "base", "1")
	require.ErrorContains(t, err, declared.CodeUndeclared)
	for base, objects := range map[string]int{
		"base": 35, "tests/memorystore-with-all-components": 49, "tests/spanner-with-all-components": 49, "tests/service-mesh-istio-with-all-components": 55,
	} {
		set, err := render("ours", base, "8")
		require.NoError(t, err, base)
		require.Len(t, set.Objects, objects, base)
	}
}
