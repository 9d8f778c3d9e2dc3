package pool

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/kustomize"
)

// kustomization reads the directory k of files that are given as names and texts.
func kustomization(t *testing.T, files ...string) kustomize.Kustomization {
	tree := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		tree[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	k, err := kustomize.NewReader(tree, nil).Read("k")
	require.NoError(t, err)
	return k
}

const oneMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: y}}"

// A child builds what this process builds, and says the same of what cannot be built.
func TestBuildIsTheSame(t *testing.T) {
	p := open(t, Options{Dir: t.TempDir()})
	e := evaluate.Through(p)
	for name, k := range map[string]kustomize.Kustomization{
		"good":   kustomization(t, "k/kustomization.yaml", "resources: [a.yaml]\nnamePrefix: b-", "k/a.yaml", oneMap),
		"empty":  kustomization(t, "k/kustomization.yaml", "namePrefix: b-"),
		"broken": kustomization(t, "k/kustomization.yaml", "resources: [a.yaml]\npatches: [{patch: '{kind: Pod}'}]", "k/a.yaml", oneMap),
	} {
		built, err := e.Build("acme", k)
		require.NoError(t, err)
		want := k.Build()
		if want.Failed != "" {
			want.Place = k.Locate()
		}
		require.Equal(t, want, built, name)
		require.Equal(t, name == "broken", built.Place == "k/kustomization.yaml:2: patches.0", built.Place)
		require.Equal(t, name == "good", len(built.Objects) == 1 && built.Failed == "", name)
	}
}

// What was built is known by the digest of its files, and so is the place where it failed.
func TestBuildIsKept(t *testing.T) {
	p := one(open(t, Options{Dir: t.TempDir()}))
	e := evaluate.Through(p)
	for i, c := range []struct {
		text   string
		builds int
	}{
		{"resources: [a.yaml]", 1}, {"resources: [a.yaml]", 1}, {"resources: [a.yaml]\nnamePrefix: b-", 2},
		{"resources: [a.yaml, a.yaml]", 4}, {"resources: [a.yaml, a.yaml]", 4},
	} {
		_, err := e.Build("acme", kustomization(t, "k/kustomization.yaml", c.text, "k/a.yaml", oneMap, "k/other.yaml", fmt.Sprint(i)))
		require.NoError(t, err)
		require.Equal(t, c.builds, p.evaluated, c.text)
	}
}

// BenchmarkBuild builds a Deployment with its Service and configuration in a child, and takes it
// from what is kept.
func BenchmarkBuild(b *testing.B) {
	benchmarkBuilds(b, func(i int) build.Recipe {
		k, err := kustomize.NewReader(fstest.MapFS{
			"k/kustomization.yaml": {Data: fmt.Appendf(nil, "resources: [a.yaml]\nnamePrefix: b%d-\nconfigMapGenerator: [{name: a, literals: [a=b]}]", i)},
			"k/a.yaml": {Data: []byte("{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {spec: {containers: [{name: a, image: a, envFrom: [{configMapRef: {name: a}}]}]}}}}\n---\n" +
				"{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}]}}")},
		}, nil).Read("k")
		require.NoError(b, err)
		return k
	})
}

// benchmarkBuilds builds what differs each time, and what is the same.
func benchmarkBuilds(b *testing.B, numbered func(i int) build.Recipe) {
	for _, kept := range []bool{false, true} {
		b.Run(map[bool]string{false: "built", true: "kept"}[kept], func(b *testing.B) {
			p, err := Open(b.Context(), Options{Command: []string{program, "evaluate"}, Dir: b.TempDir()})
			require.NoError(b, err)
			defer p.Close()
			e, i := evaluate.Through(p), 0
			for b.Loop() {
				if i++; kept {
					i = 0
				}
				built, err := e.Build("acme", numbered(i))
				require.NoError(b, err)
				require.Len(b, built.Objects, 3)
			}
		})
	}
}

// A build that grows is ended at a limit, and blames its own kustomization; the next
// one is built.
func TestAttack08KustomizeBombs(t *testing.T) {
	bombsTakeSeconds(t)
	replacements := "resources: [a.yaml]\nreplacements:\n" +
		strings.Repeat("- {source: {kind: ConfigMap, name: a, fieldPath: data}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.b, data.c], options: {create: true}}]}\n", 35)
	large := `patches: [{target: {kind: ConfigMap}, patch: '[{"op": "add", "path": "/data", "value": {"a": "` + strings.Repeat("x", 500_000) + `"}}]'}]`
	copies := "resources: [a.yaml]\npatches: [{target: {kind: ConfigMap}, patch: '["
	for i := range 40 {
		copies += fmt.Sprintf(`{"op": "copy", "from": "/data", "path": "/data/x%d"},`, i)
	}
	copies = strings.TrimSuffix(copies, ",") + "]'}]"
	many := ""
	for i := range 900 {
		many += fmt.Sprintf("---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: a%d}}\n", i)
	}
	bombs := map[string]kustomize.Kustomization{
		"bases that double":        doubling(t, ""),
		"replacements that double": kustomization(t, "k/kustomization.yaml", replacements, "k/a.yaml", oneMap),
		"copies that double":       kustomization(t, "k/kustomization.yaml", copies, "k/a.yaml", oneMap),
		"a patch of every object":  kustomization(t, "k/kustomization.yaml", "resources: [a.yaml]\n"+large, "k/a.yaml", many),
	}
	p := open(t, Options{Deadline: 2 * time.Second})
	e := evaluate.Through(p)
	for name, k := range bombs {
		t.Run(name, func(t *testing.T) {
			before := workOfEnded(t)
			built, err := e.Build("acme", k)
			require.NoError(t, err)
			require.Regexp(t, `^kustomize was ended: the build needs too much (time|memory|stack)$`, built.Failed)
			require.Empty(t, built.Objects)
			require.Less(t, workOfEnded(t)-before, 4*p.options.Deadline)
			for _, tenant := range []string{"acme", "globex"} {
				built, err = e.Build(tenant, kustomization(t, "k/kustomization.yaml", "resources: [a.yaml]\nnamePrefix: "+tenant, "k/a.yaml", oneMap))
				require.NoError(t, err)
				require.Len(t, built.Objects, 1)
			}
		})
	}
}
