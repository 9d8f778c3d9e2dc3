package kubernetes

import (
	"testing"
	"unique"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestExternalSecret: it is current when the operator says so of its present spec. Without a
// Secret of that it failed, and with one it is not ready.
func TestExternalSecret(t *testing.T) {
	const head = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: shop-db, generation: 2}\nspec: {target: {name: shop-db}}\n"
	missing := model.Failure{Class: model.ClassApplication, Reason: SecretMissing,
		Message: "Secret shop-db is not made: SecretSyncedError: could not get secret data from provider"}
	failed := "conditions: [{type: Ready, status: 'False', reason: SecretSyncedError, message: could not get secret data from provider}]"
	for status, want := range map[string]summary{
		"": {why: "External Secrets Operator has not looked at it"},
		"status: {syncedResourceVersion: 2-abc, conditions: [{type: Ready, status: 'True', reason: SecretSynced}]}": {current: true},
		"status: {syncedResourceVersion: 1-abc, conditions: [{type: Ready, status: 'True', reason: SecretSynced}]}": {},
		"status: {" + failed + "}":                               {failure: missing},
		"status: {syncedResourceVersion: 1-abc, " + failed + "}": {failure: missing},
		"status: {syncedResourceVersion: 2-abc, " + failed + "}": {why: "SecretSyncedError: could not get secret data from provider"},
	} {
		var u unstructured.Unstructured
		require.NoError(t, yaml.Unmarshal([]byte(head+status), &u.Object))
		require.Equal(t, unique.Make(want), summarize(numbers(t, &u)), status)
	}
}

// numbers returns an object as it is decoded from the API server.
func numbers(t *testing.T, u *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	encoded, err := u.MarshalJSON()
	require.NoError(t, err)
	var decoded unstructured.Unstructured
	require.NoError(t, decoded.UnmarshalJSON(encoded))
	return &decoded
}
