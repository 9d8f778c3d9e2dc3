package decode

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// TestLiteralsAreHidden: a literal in a variable that holds a secret becomes a secret
// component, so that no record has more of it than a digest. Other variables stay.
func TestLiteralsAreHidden(t *testing.T) {
	d := secretsDoc{Names: []string{"PASSWORD", "TOKEN", "KEY"}, Literals: "hidden"}
	app := func(env string) *model.Application {
		return &model.Application{ID: model.AppID{Tenant: "acme", Name: "shop"}, Components: []model.Component{
			{Name: "web", Type: "webservice", OS: "linux", Properties: json.RawMessage(`{"env":{` + env + `},"image":"web:1"}`)},
			{Name: "zebra", Type: "config", Properties: json.RawMessage(`{"data":{"PASSWORD":"public"}}`)},
		}}
	}
	a := app(`"API_KEY":"hunter2","API_KEY_ID":"7","LOG_LEVEL":"debug","PGPASSWORD":"hunter3","TOKEN":{"field":"metadata.name"},"db.token":"","keys":"x","DB":"postgres://app:hunter4@db/shop","AT":"postgres://app:$(PGPASSWORD)@db/shop","WEB":"https://example.com:443/@a:b@"`)
	require.Empty(t, d.secrets(a, &layer.Layer{}))
	require.Len(t, a.Components, 3)
	require.JSONEq(t, `{"image":"web:1","env":{"API_KEY":{"secret":{"name":"web-env","key":"API_KEY"}},"API_KEY_ID":{"secret":{"name":"web-env","key":"API_KEY_ID"}},"LOG_LEVEL":"debug",
		"PGPASSWORD":{"secret":{"name":"web-env","key":"PGPASSWORD"}},"TOKEN":{"field":"metadata.name"},"db.token":"","keys":"x","DB":{"secret":{"name":"web-env","key":"DB"}},"AT":"postgres://app:$(PGPASSWORD)@db/shop","WEB":"https://example.com:443/@a:b@"}}`, string(a.Components[0].Properties))
	hidden := a.Components[1]
	require.Equal(t, "web-env", hidden.Name)
	require.JSONEq(t, `{"data":{"DB":"postgres://app:hunter4@db/shop","API_KEY":"hunter2","API_KEY_ID":"7","PGPASSWORD":"hunter3"}}`, string(hidden.Properties))
	record, err := json.Marshal(a.Seal().Redact())
	require.NoError(t, err)
	require.NotContains(t, string(record), "hunter")
	require.Equal(t, a.Seal().Digest, a.Seal().Redact().Seal().Digest)

	a = app(`"LOG_LEVEL":"debug"`)
	require.Empty(t, d.secrets(a, &layer.Layer{}))
	require.Equal(t, app(`"LOG_LEVEL":"debug"`), a, "nothing is hidden, nothing changes")
}
