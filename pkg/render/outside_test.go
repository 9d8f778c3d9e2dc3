package render

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

const commit = "8f3c2a1b0d4e5f60718293a4b5c6d7e8f9012345"

// elsewhere is what other repositories have, by their addresses.
type elsewhere map[string]fstest.MapFS

// built builds a kustomization of an application whose policy allows to fetch from git.example.com.
func (e elsewhere) built(t *testing.T, kind, properties string, files fstest.MapFS) (build.Result, error) {
	spec := &model.Application{ID: model.AppID{Tenant: "acme", Name: "shop"}, Components: []model.Component{{Name: "k", Type: kind, Properties: []byte(properties)}}}
	spec.Policy = &model.Policy{Egress: []string{"git.example.com"}}
	all, err := Builder{Outside: func(_ string, p model.Pinned) (fs.FS, error) {
		require.Contains(t, []string{commit, "sha256:" + commit}, p.Version)
		if files, ok := e[p.Repository]; ok {
			return files, nil
		}
		return nil, &build.AbsentError{Pinned: p, Why: "is not fetched yet"}
	}}.Build(spec, files)
	for _, b := range all {
		return b, err
	}
	return build.Result{}, err
}

// base is a reference to a directory of a repository of git.example.com.
func base(repository, dir string) string {
	return "https://git.example.com/acme/" + repository + "//" + dir + "?ref=" + commit
}

// A kustomization builds on commits of other repositories, which may build on further ones. What is wrong there is named with
// the repository, the file and the line.
func TestPinnedBases(t *testing.T) {
	others := elsewhere{
		"https://git.example.com/acme/bases": mapFS("web/kustomization.yaml", "resources: [../map.yaml/x, '"+base("more", "deep")+"']", "web/bad.yaml", "a: ["),
		"https://git.example.com/acme/more":  mapFS("deep/kustomization.yaml", "resources: [map.yaml]\nnamePrefix: deep-\n", "deep/map.yaml", configMap),
	}
	others["https://git.example.com/acme/bases"]["web/kustomization.yaml"].Data = []byte("resources: ['" + base("more", "deep") + "']\nnameSuffix: -web\n")
	b, err := others.built(t, "kustomize", `{"path": "k"}`, mapFS("k/kustomization.yaml", "resources: ['"+base("bases", "web")+"']\nnamePrefix: own-\n"))
	require.NoError(t, err)
	require.Empty(t, b.Refused+b.Failed)
	require.Len(t, b.Objects, 1)
	require.Contains(t, string(b.Objects[0]), `"name":"own-deep-a-web"`)
	require.Equal(t, "git.example.com/acme/more@"+commit+":/deep/map.yaml:1", b.Origin("ConfigMap", "own-deep-a-web"))

	others["https://git.example.com/acme/more"]["deep/kustomization.yaml"].Data = []byte("namePrefix: a\nresources: [gone.yaml]\n")
	b, err = others.built(t, "kustomize", `{"path": "k"}`, mapFS("k/kustomization.yaml", "resources: ['"+base("bases", "web")+"']"))
	require.NoError(t, err)
	require.Equal(t, "git.example.com/acme/more@"+commit+`:/deep/kustomization.yaml:2: resources.0: "gone.yaml" is not there`, b.Refused)
}

// TestAttack02PinnedPathTraversal: a base of another repository reaches nothing but its own files, and nothing in the
// application's directory reaches a repository but by its address.
func TestAttack02PinnedPathTraversal(t *testing.T) {
	for ref, why := range map[string]string{
		"../../k": "leads out of the repository that it is in", "../../../../../k": "leads out of the repository that it is in",
		"../../../../k": "leads out of the repository that it is in", "/k": "is an absolute path", "link": "is a link or a special file, or leads through one",
	} {
		others := elsewhere{"https://git.example.com/acme/bases": mapFS("web/kustomization.yaml", fmt.Sprintf("resources: [%q]", ref))}
		others["https://git.example.com/acme/bases"]["web/link"] = &fstest.MapFile{Data: []byte("/etc"), Mode: fs.ModeSymlink}
		b, err := others.built(t, "kustomize", `{"path": "k"}`, mapFS("k/kustomization.yaml", "resources: ['"+base("bases", "web")+"']", "kustomization.yaml", "resources: [k]"))
		require.NoError(t, err)
		require.Contains(t, b.Refused, why, ref)
		require.Contains(t, b.Refused, "git.example.com/acme/bases@"+commit+":/web/kustomization.yaml:1: ", ref)
	}
	others := elsewhere{"https://git.example.com/acme/bases": mapFS("web/kustomization.yaml", "resources: [map.yaml]", "web/map.yaml", configMap)}
	b, err := others.built(t, "kustomize", `{"path": "k"}`, mapFS("k/kustomization.yaml", "resources: ['"+base("bases", "web")+"', '../git.example.com/acme/bases@"+commit+":/web']"))
	require.NoError(t, err)
	require.Contains(t, b.Refused, "looks like an address, and is not pinned")
}

// TestAttack03PinnedCycle: a base cannot build on itself through other repositories, and no chain of them is endless.
func TestAttack03PinnedCycle(t *testing.T) {
	others := elsewhere{}
	for i := range 40 {
		others[fmt.Sprintf("https://git.example.com/acme/r%d", i)] = mapFS("web/kustomization.yaml", "resources: ['"+base(fmt.Sprint("r", i+1), "web")+"']")
	}
	b, err := others.built(t, "kustomize", `{"path": "k"}`, mapFS("k/kustomization.yaml", "resources: ['"+base("r0", "web")+"']"))
	require.NoError(t, err)
	require.Contains(t, b.Refused, "is one of more than 16 commits of other repositories")
	others["https://git.example.com/acme/r3"] = mapFS("web/kustomization.yaml", "resources: ['"+base("r1", "web")+"']")
	b, err = others.built(t, "kustomize", `{"path": "k"}`, mapFS("k/kustomization.yaml", "resources: ['"+base("r0", "web")+"']"))
	require.NoError(t, err)
	require.Contains(t, b.Refused, "builds on itself")
}

// TestAttack04PinnedForms: only a whole commit of an address that policy allows is asked for.
func TestAttack04PinnedForms(t *testing.T) {
	asked := elsewhere{}
	for _, ref := range []string{
		"https://git.example.com/acme/bases//web", "https://git.example.com/acme/bases//web?ref=main", "https://git.example.com/acme/bases//web?ref=8f3c2a1",
		"https://git.example.com/acme/bases//web?ref=" + strings.ToUpper(commit), "https://git.example.com/acme/bases//web?ref=" + commit + "&timeout=1h",
		"https://git.example.com/acme/bases//web?submodules=1&ref=" + commit, "https://git.example.com/acme/bases//../web?ref=" + commit,
		"http://git.example.com/acme/bases//web?ref=" + commit, "ssh://git@git.example.com/acme/bases//web?ref=" + commit,
		"git::https://git.example.com/acme/bases//web?ref=" + commit, "https://u:p@git.example.com/acme/bases//web?ref=" + commit,
		"https://git.example.com?ref=" + commit, "git.example.com/acme/bases//web?ref=" + commit, "file:///etc//web?ref=" + commit,
		"https://git.example.com/%2e%2e/bases//web?ref=" + commit, "https://git.example.com/a\nb//web?ref=" + commit,
	} {
		b, err := asked.built(t, "kustomize", `{"path": "k"}`, mapFS("k/kustomization.yaml", fmt.Sprintf("resources: [%q]", ref)))
		require.NoError(t, err, ref)
		require.Equal(t, declared.CodeUnpinned, b.Code, ref)
		require.Contains(t, b.Refused, "write https://HOST/REPOSITORY//DIRECTORY?ref=COMMIT with the 40 digits", ref)
	}
	for _, host := range []string{"evil.example", "git.example.com.evil.example", "xgit.example.com", "169.254.169.254", "localhost", "a.git.example.com"} {
		b, err := asked.built(t, "kustomize", `{"path": "k"}`, mapFS("k/kustomization.yaml", "resources: ['https://"+host+"/acme/bases//web?ref="+commit+"']"))
		require.NoError(t, err, host)
		require.Equal(t, declared.CodeUnreached, b.Code, host)
		require.Equal(t, "policy.egress.hosts", b.Limit)
	}
	_, err := asked.built(t, "kustomize", `{"path": "k"}`, mapFS("k/kustomization.yaml", "resources: ['"+base("bases", "web")+"']"))
	absent := (*AbsentError)(nil)
	require.ErrorAs(t, err, &absent)
	require.Equal(t, declared.CodeAbsent, absent.Problem.Code)
	require.Contains(t, absent.Problem.Message, "k/kustomization.yaml:1: resources.0: ")
}

// A chart is that of a commit of another repository, and messages name both.
func TestPinnedCharts(t *testing.T) {
	others := elsewhere{"https://git.example.com/acme/charts": mapFS("charts/door/Chart.yaml", "{apiVersion: v2, name: door, version: 1.0.0}",
		"charts/door/templates/map.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: '{{ .Values.name }}'}}")}
	from := `{"chart": "charts/door", "from": {"git": "https://git.example.com/acme/charts", "commit": "` + commit + `"}, "values": {"name": "a"}}`
	b, err := others.built(t, "helm", from, mapFS())
	require.NoError(t, err)
	require.Empty(t, b.Refused+b.Failed)
	require.Len(t, b.Objects, 1)

	others["https://git.example.com/acme/charts"]["charts/door/templates/map.yaml"].Data = []byte("\n{{ fail \"no\" }}")
	b, err = others.built(t, "helm", from, mapFS())
	require.NoError(t, err)
	require.Contains(t, b.Place, "git.example.com/acme/charts@"+commit+":/charts/door/templates/map.yaml:2")

	b, err = others.built(t, "helm", strings.Replace(from, "git.example.com", "evil.example", 1), mapFS())
	require.NoError(t, err)
	require.Equal(t, declared.CodeUnreached, b.Code)
	others["oci://git.example.com/charts/door"] = mapFS("door/Chart.yaml", "{apiVersion: v2, name: door, version: 1.0.0}", "door/templates/map.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
	artefact := `"oci": "git.example.com/charts/door", "digest": "sha256:` + commit + `"`
	b, err = others.built(t, "helm", `{"chart": "door", "from": {`+artefact+`}}`, mapFS())
	require.NoError(t, err)
	require.Len(t, b.Objects, 1, b.Refused)
	for _, from := range []string{``, `"git": "https://git.example.com/acme/charts"`, `"oci": "git.example.com/charts/door"`, artefact + `, "commit": "` + commit + `"`} {
		b, err = others.built(t, "helm", `{"chart": "door", "from": {`+from+`}}`, mapFS())
		require.NoError(t, err)
		require.Equal(t, declared.CodeUnpinned, b.Code, from)
	}
	_, err = elsewhere{}.built(t, "helm", from, mapFS())
	require.ErrorContains(t, err, "which is not fetched yet")
}
