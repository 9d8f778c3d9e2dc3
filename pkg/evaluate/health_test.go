package evaluate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

const healthy = `package fleet

import "strings"

platform: definitions: components: database: {
	#Parameter: instances: *1 | int
	parameter: #Parameter
	context: name: _
	live: _
	example: {}
	outputs: settings: {apiVersion: "v1", kind: "ConfigMap", metadata: name: context.name, data: instances: "\(parameter.instances)"}

	sample: ConfigMap: [{name: "db", generation: 2, current: true, status: {phase: "Healthy", ready: 3}}]
	health: live.ConfigMap[0].status.phase == "Healthy"
	status: "\(live.ConfigMap[0].status.ready) of \(context.name) are \(strings.ToLower(live.ConfigMap[0].status.phase))"
}
`

// database is the component of an application of a type that says what health is.
func database(t *testing.T, definition string) *model.Component {
	f := New().Fleet("1", unpack(archive(t, "base.txtar"), overlay("definitions.cue", definition), overlay("tenants/acme/apps/shop/db.cue",
		"package fleet\n\napplication: components: db: {type: \"database\", properties: instances: 3}\n")), nil)
	require.Empty(t, report(f))
	c, ok := byName(t, f, "shop").Component("db")
	require.True(t, ok)
	return c
}

// A definition says of what is live whether it is healthy, and a line about it. What it says goes with the spec, without
// what the definition takes, and changes nothing of what runs.
func TestHealthOfADefinition(t *testing.T) {
	c := database(t, healthy)
	require.NotContains(t, c.Health, "parameter")
	without := database(t, strings.ReplaceAll(healthy, "\thealth: ", "\t// "))
	require.NotEqual(t, c.Health, without.Health)
	require.Equal(t, c.Content(model.AppID{}), without.Content(model.AppID{}), "no release")

	for name, test := range map[string]struct {
		live string
		want model.Health
	}{
		"healthy":          {`{"ConfigMap": [{"status": {"phase": "Healthy", "ready": 2}}]}`, model.Health{Healthy: true, Says: "2 of db are healthy"}},
		"not healthy":      {`{"ConfigMap": [{"status": {"phase": "Broken", "ready": 0}}]}`, model.Health{Says: "0 of db are broken", Why: "not healthy by its definition"}},
		"half a report":    {`{"ConfigMap": [{"status": {"phase": "Healthy"}}]}`, model.Health{Healthy: true}},
		"nothing reported": {`{"ConfigMap": [{}]}`, model.Health{Why: "its health is not known: health: undefined field: status"}},
		"another kind":     {`{"Secret": [{}], "ready": 1}`, model.Health{Why: "its health is not known: health: undefined field: ConfigMap"}},
		"another type":     {`{"ConfigMap": [{"status": {"phase": 7, "ready": [1]}}]}`, model.Health{Why: "not healthy by its definition"}},
		"lines":            {`{"ConfigMap": [{"status": {"phase": "Healthy\n\u001b[31m# x\u202e", "ready": 1}}]}`, model.Health{Says: "1 of db are healthy [31m# x", Why: "not healthy by its definition"}},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := New().Health("acme", c, []byte(test.live))
			require.NoError(t, err)
			require.Equal(t, test.want, h)
		})
	}

	h, err := New().Health("acme", without, []byte(`{"ConfigMap": [{"status": {"phase": "Broken", "ready": 0}}]}`))
	require.NoError(t, err)
	require.Equal(t, model.Health{Healthy: true, Says: "0 of db are broken"}, h, "a line alone judges nothing")
}

// A line of a definition is short, however much is reported.
func TestALineOfADefinitionIsShort(t *testing.T) {
	h, err := New().Health("acme", database(t, healthy), []byte(`{"ConfigMap": [{"status": {"phase": "`+strings.Repeat("x", 100_000)+`", "ready": 1}}]}`))
	require.NoError(t, err)
	require.Less(t, len(h.Says), 200)
}

// A health that is not right hits who uses its definition, and both places are named.
func TestABadHealthHitsItsUsers(t *testing.T) {
	bad := strings.NewReplacer(`== "Healthy"`, `== "Fine"`, `import "strings"`, ``, `strings.ToLower`, ``).Replace(healthy)
	f := New().Fleet("1", unpack(archive(t, "base.txtar"), overlay("definitions.cue", bad), overlay("tenants/acme/apps/uses/app.cue",
		"package fleet\n\napplication: {name: \"uses\", labels: team: \"web\", components: db: type: \"database\"}\n")), nil)
	require.NotNil(t, f.Platform)
	require.Regexp(t, `(?m)^DA1363 platform.definitions.components.database.health: .* is false for the sample`, report(f))
	require.Len(t, f.Unusable, 1)
	require.Equal(t, "uses", f.Unusable[0].App.Name)
	require.Contains(t, report(f), "uses definition database of the platform, which is refused itself\n  tenants/acme/apps/uses/app.cue:3:")
	require.Len(t, f.Applications, 1, "others go on")
}
