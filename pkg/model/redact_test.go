package model_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

func TestRedact(t *testing.T) {
	app := model.Application{ID: model.AppID{Tenant: "acme", Name: "shop"}, Components: []model.Component{
		{Name: "keys", Type: "secret", Properties: json.RawMessage(`{"data":{"password":"CANARY"},"note":"CANARY"}`)},
		{Name: "web", Type: "webservice", Properties: json.RawMessage(`{"image":"x"}`)},
	}}.Seal()
	redacted := app.Redact()

	require.Equal(t, app.Digest, redacted.Digest)
	text, err := json.Marshal(redacted)
	require.NoError(t, err)
	require.NotContains(t, string(text), "CANARY")
	require.Contains(t, string(redacted.Components[0].Properties), `"password":"sha256:`)
	require.True(t, redacted.Components[0].Redacted())
	require.False(t, redacted.Components[1].Redacted())

	require.False(t, app.Components[0].Redacted(), "the original is untouched")
	require.Contains(t, string(app.Components[0].Properties), "CANARY")
	require.Equal(t, redacted, redacted.Redact(), "redacting twice changes nothing")

	other := app
	other.ID.Name = "blog"
	require.NotEqual(t, redacted.Components[0].Properties, other.Redact().Components[0].Properties,
		"equal values elsewhere do not look equal")

	encrypted := model.Component{Type: "secret", Properties: json.RawMessage(`{"sops":"db.enc.yaml"}`), Source: "1"}
	require.Equal(t, "db.enc.yaml", encrypted.Encrypted())
	kept := model.Application{ID: app.ID, Components: []model.Component{encrypted}}
	require.Equal(t, kept, kept.Redact(), "there is nothing to hide")
	require.Same(t, &kept.Components[0], &kept.Redact().Components[0], "so nothing is copied")
	both := model.Component{Name: "db", Type: "secret", Properties: json.RawMessage(`{"sops":"db.enc.yaml","data":{"k":"CANARY"}}`)}
	require.Empty(t, both.Encrypted())
	text, err = json.Marshal(model.Application{Components: []model.Component{both}}.Redact())
	require.NoError(t, err)
	require.NotContains(t, string(text), "CANARY")

	lookalike := model.Component{Type: "secret", Properties: json.RawMessage(`{"data":{"k":"sha256:0000"}}`)}
	require.False(t, lookalike.Redacted())
}
