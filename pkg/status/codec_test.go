package status_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
)

// canonicalJSON is b with keys sorted and values written in one way, numbers as
// far as a float tells them apart.
func canonicalJSON(t require.TestingT, b []byte) string {
	var v any
	require.NoError(t, json.Unmarshal(b, &v), "%s", b)
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return strings.ReplaceAll(string(out), "-0", "0")
}

// mergeKey is what the library takes for an order to merge mappings.
var mergeKey = []byte(`"<<"`)

// checkAgainstLibrary demands that what is read without the YAML library is
// what the library reads. It returns whether it was read.
func checkAgainstLibrary(t require.TestingT, file []byte) bool {
	got, ok := status.DecodeSubset(file)
	if !ok || bytes.Contains(file, mergeKey) {
		return ok
	}
	want, err := yaml.YAMLToJSONStrict(file)
	require.NoError(t, err, "the library refuses\n%s", file)
	require.Equal(t, canonicalJSON(t, want), canonicalJSON(t, got), "%s", file)
	return true
}

// TestWritingStaysReadable: any value is read back as it was, without the library.
func TestWritingStaysReadable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := map[string]any{"value": genJSON(t, 4)}
		file, err := status.Encode("a value", v)
		require.NoError(t, err)
		want, err := json.Marshal(v)
		require.NoError(t, err)

		var back json.RawMessage
		require.NoError(t, status.Decode(file, &back))
		require.Equal(t, canonicalJSON(t, want), canonicalJSON(t, back), "%s", file)
		require.True(t, checkAgainstLibrary(t, file), "left to the library:\n%s", file)
	})
}

// checkInto demands that a file that is read into a value of its type without
// the library gives the value that the library gives.
func checkInto[T any](t require.TestingT, file []byte) bool {
	var got, want T
	if ok := status.DecodeFast(file, &got); !ok || bytes.Contains(file, mergeKey) {
		return ok
	}
	require.NoError(t, yaml.UnmarshalStrict(file, &want), "the library refuses\n%s", file)
	require.Equal(t, want, got, "%s", file)
	return true
}

// kinds are the types of the records, by file.
var kinds = map[string]func(require.TestingT, []byte) bool{
	"instance.yaml": checkInto[model.Instance],
	"spec.yaml":     checkInto[model.Application],
	"previous.yaml": checkInto[model.Application],
	"workflow.yaml": checkInto[model.Run],
	"decision.yaml": checkInto[model.Decision],
	"tenant.yaml":   checkInto[model.Tenant],
	"platform.yaml": checkInto[*model.Platform],
	"capacity.yaml": checkInto[[]model.Pool],
	"errors.yaml":   checkInto[[]model.Problem],
}

// checkRecords demands that the records among files need no library.
func checkRecords(t require.TestingT, files fstest.MapFS) {
	for name, file := range files {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		fast := checkAgainstLibrary(t, file.Data)
		if check, ok := kinds[path.Base(name)]; ok {
			fast = check(t, file.Data) && fast
		}
		require.True(t, fast, "%s:\n%s", name, file.Data)
	}
}

// TestRecordsNeedNoLibrary: the records of a fleet are read the fast way, and
// the library reads the same.
func TestRecordsNeedNoLibrary(t *testing.T) {
	files, _, err := status.Written(busyFleet())
	require.NoError(t, err)
	checkRecords(t, files)
	rapid.Check(t, func(t *rapid.T) {
		files, _, err := status.Written(genLedger(t))
		require.NoError(t, err)
		checkRecords(t, files)
	})
}

// TestEncode shows the part of YAML that records are written in.
func TestEncode(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/encode.txtar")
	require.NoError(t, err)
	for i := 0; i+1 < len(archive.Files); i += 2 {
		in, want := archive.Files[i], &archive.Files[i+1]
		got, err := status.Encode("a value", json.RawMessage(bytes.TrimSpace(in.Data)))
		require.NoError(t, err, in.Name)
		if *update {
			want.Data = got
		}
		require.Equal(t, string(want.Data), string(got), in.Name)
		checkAgainstLibrary(t, got)
	}
	if *update {
		require.NoError(t, os.WriteFile("testdata/encode.txtar", txtar.Format(archive), 0o644))
	}
}

// TestSubset: what is read without the library, and what is left to it.
func TestSubset(t *testing.T) {
	for file, fast := range map[string]bool{
		"a: b\n":                   true,
		"a: \"b\"\n":               true,
		"a:\n- b\n":                true,
		"a:\n  - b\n":              true, // by hand, and allowed
		"a: b":                     false,
		"a: b # why\n":             false,
		"# why\na: b\n":            true,
		"a:\n\n  b: c\n":           false,
		"a:\n   b: c\n":            false,
		"a: 'b'\n":                 false,
		"a: &x b\nc: *x\n":         false,
		"a: yes\n":                 false,
		"a: 010\n":                 false,
		"a: 1e3\n":                 true,
		"a: 1e999\n":               false,
		"a: 1_000\n":               false,
		"a: 9223372036854775807\n": true,
		"\"<<\": 1\n":              true,
		"a: .5\n":                  false,
		"a: ~\n":                   false,
		"a: null\n":                true,
		"a:\n":                     false,
		"a: b\na: c\n":             false,
		"a: b\nA: c\n":             true,
		"a: {b: c}\n":              false,
		"a: b\n c\n":               false,
		"a: b\n---\na: c\n":        false,
		"a: |\n  x\n  y\n":         true,
		"a: |\n  x\n\n  y\n":       true,
		"a: |2\n  x\n":             false,
		"a: |+\n  x\n  y\n":        false,
		"a: >\n  x\n  y\n":         false,
		"a: |\n   x\n  y\n":        false,
		"a: !!str 1\n":             false,
		"a: \"\\x41\"\n":           false,
		"a: \"\\ud83d\"\n":         false,
		"a: \"\\\n  b\"\n":         false,
		"\ufeffa: b\n":             false,
		"%YAML 1.1\n":              false,
		"- a: b\n  c: d\n":         true,
		"- - a\n  - b\n":           true,
		"- a\nb: c\n":              false,
	} {
		require.Equal(t, fast, checkAgainstLibrary(t, []byte(file)), "%q", file)
	}
}

// FuzzDecode: what the fast way reads of foreign bytes, the library reads too,
// and the same.
func FuzzDecode(f *testing.F) {
	files, _, err := status.Written(busyFleet())
	require.NoError(f, err)
	for name, file := range files {
		if strings.HasSuffix(name, ".yaml") {
			f.Add(file.Data)
		}
	}
	f.Add([]byte("a: |\n  x\n\n  y\nb:\n- c: \"\\u00e9\"\n  d: []\n- - e\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		checkAgainstLibrary(t, b)
		for _, check := range kinds {
			check(t, b)
		}
	})
}
