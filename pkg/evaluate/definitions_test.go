package evaluate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// An application that uses definitions of the platform comes out in the words of
// the schema, and is rendered like any other.
func TestDefinitions(t *testing.T) {
	f := New().Fleet("cccc", unpack(archive(t, "definitions.txtar")), nil)
	require.Empty(t, report(f))
	require.Len(t, f.Applications, 1)
	app := f.Applications[0]
	var b strings.Builder
	show := func(v any) {
		out, err := json.MarshalIndent(v, "", "  ")
		require.NoError(t, err)
		fmt.Fprintf(&b, "%s\n", out)
	}
	show(app.Components)
	show(app.Workflow)

	inst := model.Instance{App: app.ID, Number: 1, Phase: model.PhaseScheduled, Spec: app}
	for _, c := range app.Components {
		inst.Components = append(inst.Components, model.ComponentState{Grant: model.Grant{Component: c.Name, Replicas: c.Replicas, Pool: "general"}, Run: c.Replicas})
	}
	set, err := render.Application(render.Input{Fleet: "example", Instance: &inst, Tenant: &f.Tenants[0], Pools: f.Platform.Pools})
	require.NoError(t, err)
	for _, o := range set.Objects {
		u := o.Object.DeepCopy()
		u.SetAnnotations(nil) // digests of all of it
		out, err := yaml.Marshal(u.Object)
		require.NoError(t, err)
		fmt.Fprintf(&b, "---\n%s", out)
	}
	golden(t, "testdata/definitions.golden", b.String())
}

// Another definition is another application, also where the policy is the same.
func TestDefinitionsAreInput(t *testing.T) {
	a := archive(t, "definitions.txtar")
	e := New()
	before := e.Fleet("1", unpack(a), nil).Applications[0].Digest
	for i := range a.Files {
		a.Files[i].Data = []byte(strings.ReplaceAll(string(a.Files[i].Data), `cpu: "100m"`, `cpu: "200m"`))
	}
	require.NotEqual(t, before, e.Fleet("2", unpack(a), nil).Applications[0].Digest)
}

// The name of a definition in a comment, in a longer word, as the name of a component or
// as a value makes no application a user of it: one that refers to a default of the schema
// stays accepted.
func TestNamesOfDefinitionsInApplications(t *testing.T) {
	defined := &txtar.Archive{Files: []txtar.File{{Name: "definitions.cue", Data: []byte(`package fleet

platform: definitions: components: redis: {
	#Parameter: version!: string
	parameter: #Parameter
	example: version: "7.2"
	output: {type: "store", properties: image: "ghcr.io/acme/redis:\(parameter.version)"}
}
`)}}}
	for name, more := range map[string]string{
		"nothing":   "",
		"comment":   "// no redis here\n",
		"word":      "application: components: web: properties: env: A: \"redis-main\"\n",
		"value":     "application: components: web: properties: env: A: \"redis\"\n",
		"component": "application: components: redis: {type: \"worker\", properties: image: \"ghcr.io/acme/w:1\"}\n",
	} {
		t.Run(name, func(t *testing.T) {
			app := "package fleet\n\n" + more + "application: components: web: properties: env: DESIRED: \"\\(application.desired)\"\n"
			f := New().Fleet("1", unpack(archive(t, "base.txtar"), defined, &txtar.Archive{Files: []txtar.File{{Name: "tenants/acme/apps/shop/more.cue", Data: []byte(app)}}}), nil)
			require.Empty(t, report(f))
			require.Len(t, f.Applications, 1)
		})
	}
}

// A definition with a problem hits only the applications that use it; the problem is said
// once, with its place.
func TestABadDefinitionHitsItsUsers(t *testing.T) {
	definition := func(name, body string) string {
		return "package fleet\n\nplatform: definitions: components: " + name + ": " + body + "\n"
	}
	const good = `{
	#Parameter: version!: string
	parameter: #Parameter
	example: version: "7.2"
	output: {type: "worker", properties: image: "ghcr.io/acme/good:\(parameter.version)"}
}`
	uses := func(kind string) string {
		return "package fleet\n\napplication: {name: \"" + kind + "\", labels: team: \"web\", components: c: {type: \"" + kind + "\", properties: version: \"1\"}}\n"
	}
	for code, body := range map[string]string{
		"DA1220": strings.ReplaceAll(good, "ghcr.io/acme", "ghcr.io/other"),
		"DA1532": strings.ReplaceAll(good, "version!: string", "{version!: string, ...}"),
		"DA1531": strings.ReplaceAll(good, `{type: "worker",`, `{type: "worker", properties: labels: fleet: platform.name,`),
		"DA1103": strings.ReplaceAll(good, `example: version: "7.2"`, "example: {}"),
	} {
		t.Run(code, func(t *testing.T) {
			bad := definition("bad", body) + strings.TrimPrefix(definition("worse", body), "package fleet\n")
			f := New().Fleet("1", unpack(archive(t, "base.txtar"), &txtar.Archive{Files: []txtar.File{
				{Name: "bad.cue", Data: []byte(bad)}, {Name: "good.cue", Data: []byte(definition("good", good))},
				{Name: "tenants/acme/apps/bad/app.cue", Data: []byte(uses("bad"))}, {Name: "tenants/acme/apps/good/app.cue", Data: []byte(uses("good"))},
			}}), nil)
			require.NotNil(t, f.Platform, report(f))
			require.Len(t, f.Applications, 2, report(f)) // good and shop
			require.Len(t, f.Unusable, 1)
			require.Contains(t, report(f), "definitions.components.worse")
			require.Contains(t, f.Unusable[0].Message, "uses definition bad of the platform, which is refused itself")
			require.Equal(t, code, f.Problems[0].Code)
			require.Contains(t, f.Problems[0].Places[0].At, "bad.cue:")
		})
	}
}
