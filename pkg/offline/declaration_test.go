package offline_test

import (
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/test/texttest"
)

// component is a new component of acme/shop.
func component(t require.TestingT, settings ...string) *offline.Declaration {
	d := &offline.Declaration{Noun: offline.NewComponent, App: model.AppID{Tenant: "acme", Name: "shop"}, Name: "mailer"}
	for _, s := range settings {
		require.NoError(t, d.Set(d.Prefix()+s))
	}
	return d
}

var shopFile = fstest.MapFS{"tenants/acme/apps/shop/app.cue": {Data: []byte("package fleet\n\napplication: {\n\tname: \"shop\"\n\tcomponents: {\n\t\tweb: type: \"worker\"\n\t}\n}\n")}}

// evaluated returns the application that a declaration makes, by CUE itself and nothing of ours.
func evaluated(t *testing.T, d *offline.Declaration) (app map[string]any, file string) {
	draft, err := d.Draft(shopFile)
	require.NoError(t, err)
	changes, err := draft.Splice(shopFile)
	require.NoError(t, err)
	require.Len(t, changes, 1)
	v := cuecontext.New().CompileBytes(changes[0].After)
	require.NoError(t, v.Err(), "%s", changes[0].After)
	require.NoError(t, v.Validate(cue.Concrete(true)))
	require.NoError(t, v.LookupPath(cue.ParsePath("application")).Decode(&app))
	return app, string(changes[0].After)
}

// TestHostileValuesAreValues: whatever a value or a name in a path has in it, CUE reads it back as that, and nothing else of
// the file changes: nothing ends a string, begins an interpolation, a comment or another field. What the settings are written
// as says the same again.
func TestHostileValuesAreValues(t *testing.T) {
	hostile := append(texttest.Corpus(), `"`, `"""`, `'`, `\(platform)`, `\#(x)`, `#"x"#`, `"}, evil: {a: "`, "x\n}\nplatform: {}\n//", `\`, "\\u0022", "${HOME}", "`id`", "\r\n", "\ufeff", "_|_", "*", "//")
	learned := component(t) // the shapes of the layer, which take longer to make than all else here
	evaluated(t, learned)
	component := func(settings ...string) *offline.Declaration {
		d := *learned
		for _, s := range settings {
			require.NoError(t, d.Set(d.Prefix()+s))
		}
		return &d
	}
	for _, value := range hostile {
		if !utf8.ValidString(value) {
			d := component()
			require.ErrorContains(t, d.Set(d.Prefix()+"properties.env.X="+value), "UTF-8")
			continue
		}
		name := strings.ToValidUTF8(value[:min(len(value), 40)], "")
		if name == "" {
			name = "x"
		}
		d := component("type=worker", "properties.env.X="+jsonOf(value), "properties.env."+strconv.Quote(name+"'s")+"=one", `properties.command=["safe"]`)
		app, file := evaluated(t, d)
		require.Equal(t, map[string]any{"name": "shop", "components": map[string]any{
			"web": map[string]any{"type": "worker"},
			"mailer": map[string]any{"type": "worker", "properties": map[string]any{
				"env": map[string]any{"X": value, name + "'s": "one"}, "command": []any{"safe"},
			}},
		}}, app, "%q: %s", value, file)
		again := component()
		for _, s := range d.Settings() {
			require.NoError(t, again.Set(s))
		}
		_, same := evaluated(t, again)
		require.Equal(t, file, same)
	}
}

// jsonOf writes a text as JSON.
func jsonOf(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out.WriteString(`\` + string(r))
		case r < ' ':
			out.WriteString(`\u00` + strconv.FormatInt(0x100+int64(r), 16)[1:])
		default:
			out.WriteRune(r)
		}
	}
	return out.String() + `"`
}

// TestTexts: a text is what the schema wants: a string where only one fits, else what it is as JSON.
func TestTexts(t *testing.T) {
	app, _ := evaluated(t, component(t, "type=cron", "replicas=3", "critical=false", "resources.requests.cpu=2", "properties.image=7",
		"properties.env.PORT=8080", "properties.env.ON=true", "properties.backoffLimit=5", `dependsOn=["web"]`, "properties.schedule=30 2 * * *", `properties.args=["1"]`, "qos=1.5"))
	require.Equal(t, map[string]any{
		"type": "cron", "replicas": int64(3), "critical": false, "resources": map[string]any{"requests": map[string]any{"cpu": "2"}}, "dependsOn": []any{"web"}, "qos": "1.5",
		"properties": map[string]any{"image": "7", "env": map[string]any{"PORT": "8080", "ON": "true"}, "backoffLimit": int64(5), "schedule": "30 2 * * *", "args": []any{"1"}},
	}, app["components"].(map[string]any)["mailer"])
	app, _ = evaluated(t, component(t, "type=redis", "properties.size=3", "properties.name=x", `properties.version="7"`))
	require.Equal(t, map[string]any{"type": "redis", "properties": map[string]any{"size": int64(3), "name": "x", "version": "7"}}, app["components"].(map[string]any)["mailer"], "a type of the platform")
}

// What cannot be set is said in one sentence, and what is there already is not declared again.
func TestDeclarationRefuses(t *testing.T) {
	for _, setting := range []string{
		"", "x", "=1", "replicas=1", "application.acme/shop.components.web.replicas=1", "application.acme/shop.components.mailer=1",
		"application.acme/shop.components.mailer..x=1", `application.acme/shop.components.mailer."x=1`, `application.acme/shop.components.mailer."x"y=1`,
	} {
		require.Error(t, component(t).Set(setting), setting)
	}
	_, err := component(t, "type=worker", "type.x=1").Draft(shopFile)
	require.ErrorContains(t, err, "application.acme/shop.components.mailer.type.x: type has a value and can have no fields")
	for want, d := range map[string]offline.Declaration{
		"has a component web already":       {Noun: offline.NewComponent, App: model.AppID{Tenant: "acme", Name: "shop"}, Name: "web"},
		"there is an application acme/shop": {Noun: offline.NewApplication, App: model.AppID{Tenant: "acme", Name: "shop"}},
		"there is no application acme/x":    {Noun: offline.NewStep, App: model.AppID{Tenant: "acme", Name: "x"}, Name: "s"},
		"there is no application ../..":     {Noun: offline.NewStep, App: model.AppID{Tenant: "..", Name: ".."}, Name: "s"},
	} {
		_, err := d.Draft(shopFile)
		require.ErrorContains(t, err, want)
	}
}
