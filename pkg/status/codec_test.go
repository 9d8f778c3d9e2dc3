package status_test

import (
	"encoding/json"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
)

// reread decodes a record into its type, and returns what is written of that.
func reread[T any](b []byte, newer bool) (again []byte, err error) {
	var v T
	if err := status.Decode(b, &v, newer); err != nil {
		return nil, err
	}
	return status.Encode(v)
}

// kinds are the types of the records, by file.
var kinds = map[string]func(b []byte, newer bool) (again []byte, err error){
	"instance.json": reread[model.Instance],
	"spec.json":     reread[model.Application],
	"previous.json": reread[model.Application],
	"workflow.json": reread[model.Run],
	"decision.json": reread[model.Decision],
	"tenant.json":   reread[model.Tenant],
	"platform.json": reread[model.Platform],
	"format.json":   reread[status.Format],
}

// TestRecordsAreCanonical: a record that is read and written again has the same
// bytes, so that what does not change is no change on the branch.
func TestRecordsAreCanonical(t *testing.T) {
	check := func(t require.TestingT, files fstest.MapFS) {
		for name, file := range files {
			if again, ok := kinds[path.Base(name)]; ok {
				b, err := again(file.Data, false)
				require.NoError(t, err, "%s:\n%s", name, file.Data)
				require.Equal(t, string(file.Data), string(b), name)
			}
		}
	}
	files, _, err := status.Written(busyFleet())
	require.NoError(t, err)
	check(t, files)
	rapid.Check(t, func(t *rapid.T) {
		files, _, err := status.Written(genLedger(t))
		require.NoError(t, err)
		check(t, files)
	})
}

// TestOpaqueValuesKeepTheirBytes: the digest of a component follows from the bytes of
// its properties, so indentation must not stay in them.
func TestOpaqueValuesKeepTheirBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		properties, err := json.Marshal(genJSON(t, 3))
		require.NoError(t, err)
		spec := model.Application{ID: shop(), Components: []model.Component{{Name: "web", Properties: properties}}}
		b, err := status.Encode(spec)
		require.NoError(t, err)
		var back model.Application
		require.NoError(t, status.Decode(b, &back, false))
		if string(properties) == "null" {
			return
		}
		require.Equal(t, string(properties), string(back.Components[0].Properties))
		require.Equal(t, spec.Seal().Digest, back.Seal().Digest)
	})
}

// TestRepeatedKeys: a key that an object has twice is found at every depth, however
// it is written, and nothing else is taken for one.
func TestRepeatedKeys(t *testing.T) {
	for text, twice := range map[string]bool{
		`{"a": 1, "a": 2}`:                true,
		`{"a": 1, "\u0061": 2}`:           true,
		`{"x": [{"b": {"a": 1, "a":2}}]}`: true,
		`{"a": {"a": 1}, "b": {"a": 1}}`:  false,
		`{"a": "a", "b": "a"}`:            false,
		`{"a": "\"a\": {", "b": "}"}`:     false,
		`["a", "a"]`:                      false,
		`{"a": "\\", "a": 1}`:             true,
		`{"a\\": 1, "a": 2}`:              false,
		`{"a": "\\\"", "b": ", \"a"}`:     false,
		`{"": 1, "a": "", "": 2}`:         true,
		`{"a" : 1, "b" :"a", "a"	: 2}`:    true,
	} {
		var into any
		err := status.Decode([]byte(text), &into, false)
		require.Equal(t, twice, err != nil, "%s: %v", text, err)
	}
}

// TestFieldsOfNewerFormats: a field that this program does not know is damage, unless
// the branch has a newer minor format; below the top level it always is.
func TestFieldsOfNewerFormats(t *testing.T) {
	record := []byte(`{"application": "acme/shop", "newField": {"a": [1]}, "instance": 1, "phase": "Running"}`)
	var in model.Instance
	require.ErrorContains(t, status.Decode(record, &in, false), "newField")
	require.NoError(t, status.Decode(record, &in, true))
	require.Equal(t, model.PhaseRunning, in.Phase)
	for _, wrong := range []string{
		`{"application": "acme/shop", "refused": {"newField": 1}}`,
		`{"newField": 1, "history": [{"other": 1}]}`,
		`{"newField": 1, "newField": 2}`,
	} {
		require.Error(t, status.Decode([]byte(wrong), &in, true), wrong)
	}
}

// FuzzDecode: of foreign bytes a record is read as it stands, or not at all.
func FuzzDecode(f *testing.F) {
	files, _, err := status.Written(busyFleet())
	require.NoError(f, err)
	for name, file := range files {
		if strings.HasSuffix(name, ".json") {
			f.Add(file.Data, false)
		}
	}
	f.Add([]byte(`{"application": "acme/shop", "newField": 1}`), true)
	f.Fuzz(func(t *testing.T, b []byte, newer bool) {
		for name, again := range kinds {
			once, err := again(b, newer)
			if err != nil {
				continue
			}
			twice, err := again(once, false)
			if err != nil && strings.Contains(err.Error(), "does not name an application") {
				continue // nothing named one: the reader of the whole branch refuses it
			}
			require.NoError(t, err, "%s: %s", name, once)
			require.Equal(t, string(once), string(twice))
		}
	})
}
