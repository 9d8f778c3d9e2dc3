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

// A definition with a problem hits only the applications that use it, whether the platform or a
// tenant writes it. The problem is said once, with its place, and who uses it is told both places.
func TestABadDefinitionHitsItsUsers(t *testing.T) {
	const good = `{
	#Parameter: version!: string
	parameter: #Parameter
	example: version: "7.2"
	output: {type: "worker", properties: image: "ghcr.io/acme/good:\(parameter.version)"}
}`
	for code, body := range map[string]string{
		"DA1220": strings.ReplaceAll(good, "ghcr.io/acme", "ghcr.io/other"),
		"DA1532": strings.ReplaceAll(good, "version!: string", "{version!: string, ...}"),
		"DA1531": strings.ReplaceAll(good, `{type: "worker",`, `{type: "worker", properties: labels: fleet: FIELD.name,`),
		"DA1103": strings.ReplaceAll(good, `example: version: "7.2"`, "example: {}"),
	} {
		for field, in := range map[string]struct{ dir, owner string }{"platform": {"", "the platform"}, "tenant": {"tenants/acme/", "tenant acme"}} {
			t.Run(code+" "+field, func(t *testing.T) {
				define := func(name, body string) string {
					return "package fleet\n\n" + field + ": definitions: components: " + name + ": " + strings.ReplaceAll(body, "FIELD", field) + "\n"
				}
				bad := define("bad", body) + strings.TrimPrefix(define("worse", body), "package fleet\n")
				f := New().Fleet("1", unpack(archive(t, "base.txtar"), overlay(in.dir+"bad.cue", bad), overlay(in.dir+"good.cue", define("good", good)),
					user("acme", "bad"), user("acme", "good")), nil)
				require.NotNil(t, f.Platform, report(f))
				require.Empty(t, f.UnusableTenants)
				require.Len(t, f.Applications, 2, report(f)) // good and shop
				require.Len(t, f.Unusable, 1)
				require.Contains(t, report(f), "definitions.components.worse")
				require.Contains(t, f.Unusable[0].Message, "uses definition bad of "+in.owner+", which is refused itself")
				require.Regexp(t, "(?m)^"+code+" "+field+`\.definitions\.components\.bad.*\n  `+in.dir+"bad.cue:", report(f))
				require.Regexp(t, `which is refused itself\n  tenants/acme/apps/bad/app.cue:3:\d+ +asks for "bad"\n  `+in.dir+"bad.cue:3:", report(f))
			})
		}
	}
}

// CUE refuses an import that nothing uses, so that a bad definition that was the only user of an import
// is withdrawn together with it. What other definitions import stays, also by another name.
func TestABadDefinitionTakesItsImports(t *testing.T) {
	const body = `: {
	#Parameter: version!: string
	parameter: #Parameter
	example: version: "7.2"
	output: {type: "worker", properties: {image: "ghcr.io/IMAGE:\(parameter.version)", labels: a: WORD}}
}
`
	define := func(name, image, word string) string {
		return "platform: definitions: components: " + name + strings.NewReplacer("IMAGE", image, "WORD", word).Replace(body)
	}
	for name, imports := range map[string]string{
		"alone":       "import \"strings\"\n",
		"in a list":   "import (\n\t\"strings\"\n)\n",
		"renamed":     "import strings \"strings\"\n",
		"with others": "import (\n\tm \"math\"\n\t\"strings\" // of bad\n)\n",
		"twice":       "import \"strings\"\nimport m \"math\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			word := `"x"`
			if strings.Contains(imports, "math") {
				word = `"\(m.Floor(1.5))"`
			}
			file := "package fleet\n\n" + imports + "\n" + define("bad", "other/bad", `strings.ToLower("X")`) + define("good", "acme/good", word)
			f := New().Fleet("1", unpack(archive(t, "base.txtar"), overlay("defined.cue", file), user("acme", "bad"), user("acme", "good")), nil)
			require.NotNil(t, f.Platform, report(f))
			require.Len(t, f.Applications, 2, report(f)) // good and shop
			require.Len(t, f.Unusable, 1)
			require.NotContains(t, report(f), "imported and not used")
			require.Regexp(t, `(?m)^DA1220 platform\.definitions\.components\.bad.*\n  defined.cue:\d+:`, report(f))
		})
	}
}

// user is an application with one component of a type that somebody defines.
func user(tenant, kind string) *txtar.Archive {
	return overlay("tenants/"+tenant+"/apps/"+kind+"/app.cue",
		"package fleet\n\napplication: {name: \""+kind+"\", labels: team: \"web\", components: c: {type: \""+kind+"\", properties: version: \"1\"}}\n")
}

// What a tenant defines is there for its own applications only, and within its own policy.
func TestDefinitionsOfATenant(t *testing.T) {
	queue := func(image string) *txtar.Archive {
		return overlay("tenants/acme/queue.cue", `package fleet

tenant: definitions: components: queue: {
	#Parameter: version!: string
	parameter: #Parameter
	example: version: "1"
	output: {type: "worker", properties: image: "`+image+`:\(parameter.version)"}
}
`)
	}
	globex := overlay("tenants/globex/tenant.cue", "package fleet\n\ntenant: name: \"globex\"\n")
	f := New().Fleet("1", unpack(archive(t, "base.txtar"), globex, queue("ghcr.io/acme/q"), user("acme", "queue"), user("globex", "queue")), nil)
	require.Len(t, f.Problems, 1, report(f))
	require.Regexp(t, `^DA1210 application.components.c.type: asks for "queue", a component is of type [^\n]*kustomize, helm, external\n  tenants/globex/apps/queue/app.cue`, report(f))
	require.Len(t, f.Applications, 2)

	// registry.example.com is the platform's, and not the tenant's.
	f = New().Fleet("1", unpack(archive(t, "base.txtar"), queue("registry.example.com/q"), user("acme", "queue")), nil)
	require.Equal(t, "DA1220", f.Problems[len(f.Problems)-1].Code, report(f))
	require.Len(t, f.Unusable, 1)
}

// Definitions that are kept from one application to the next give each what it would get alone, and those of another
// tenant are not among them.
func TestKeptDefinitions(t *testing.T) {
	var files []*txtar.Archive
	for _, tenant := range []string{"acme", "globex"} {
		files = append(files, overlay("tenants/"+tenant+"/tenant.cue", `package fleet

tenant: {
	name: "`+tenant+`"
	definitions: components: own: {
		#Parameter: version!: string
		parameter: #Parameter
		context: _
		example: version: "1"
		output: {type: "worker", properties: {image: "ghcr.io/acme/`+tenant+`:\(parameter.version)", labels: for: context.application}}
	}
}
`))
		for _, app := range []string{"one", "two", "three"} {
			files = append(files, overlay("tenants/"+tenant+"/apps/"+app+"/app.cue",
				"package fleet\n\napplication: {name: \""+app+"\", labels: team: \"web\", components: c: {type: \"own\", properties: version: \""+app+"\"}}\n"))
		}
	}
	f := New().Fleet("1", unpack(append([]*txtar.Archive{archive(t, "base.txtar")}, files...)...), nil)
	require.Empty(t, report(f))
	for _, a := range f.Applications {
		if a.ID.Name != "shop" {
			require.JSONEq(t, fmt.Sprintf(`{"image": "ghcr.io/acme/%s:%s", "labels": {"for": "%[2]s"}}`, a.ID.Tenant, a.ID.Name), string(a.Components[0].Properties))
		}
	}
}

// Versions of a definition stand side by side, each under its own name, and an application has the one that it names. A
// version that goes refuses only those that name it.
func TestVersionsOfADefinition(t *testing.T) {
	version := func(n int, image string) string {
		return fmt.Sprintf(`platform: definitions: components: "queue@%d": {
	#Parameter: version!: string
	parameter: #Parameter
	example: version: "1"
	output: {type: "worker", properties: image: "ghcr.io/acme/%s:\(parameter.version)"}
}
platform: definitions: traits: "quiet@%d": {
	#Parameter: {}
	parameter: #Parameter
	example: {}
	output: lifecycle: preStop: sleep: "%ds"
}
`, n, image, n, n)
	}
	uses := func(name string, n int) *txtar.Archive {
		return overlay("tenants/acme/apps/"+name+"/app.cue", fmt.Sprintf("package fleet\n\napplication: {name: %q, labels: team: \"web\", "+
			"components: c: {type: \"queue@%d\", properties: version: \"7\", traits: \"quiet@%d\": {}}}\n", name, n, n))
	}
	fleet := func(definitions string) model.Fleet {
		return New().Fleet("1", unpack(archive(t, "base.txtar"), overlay("definitions.cue", "package fleet\n\n"+definitions), uses("new", 2), uses("old", 1)), nil)
	}
	f := fleet(version(1, "q") + version(2, "queue"))
	require.Empty(t, report(f))
	shown := map[string]model.Component{}
	for _, a := range f.Applications {
		shown[a.ID.Name] = a.Components[0]
	}
	for name, want := range map[string][3]string{"old": {"queue@1", "ghcr.io/acme/q:7", "1s"}, "new": {"queue@2", "ghcr.io/acme/queue:7", "2s"}} {
		c := shown[name]
		require.Equal(t, want[0], c.Definition)
		require.Contains(t, string(c.Properties), want[1])
		require.Contains(t, string(c.Traits), want[2])
	}

	f = fleet(version(2, "queue"))
	require.Len(t, f.Unusable, 1)
	require.Equal(t, "old", f.Unusable[0].App.Name)
	require.Contains(t, report(f), "asks for \"queue@1\"")
	require.Contains(t, report(f), "did you mean queue@2?")

	f = fleet(strings.ReplaceAll(version(1, "q")+version(2, "queue"), `"ghcr.io/acme/q:`, `"docker.example/q:`))
	require.Len(t, f.Unusable, 1, "a version that is wrong is refused alone")
	require.Regexp(t, `(?s)DA1220 platform.definitions.components.queue@1.output.properties.image.*uses definition queue@1 of the platform, which is refused itself.*definitions.cue:\d+:\d+ +platform.definitions.components.queue@1`, report(f))
}
