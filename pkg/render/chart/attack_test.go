package chart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/test/silent"
)

// TestAttack01ChartSymlink: no link is followed, wherever it stands and leads.
func TestAttack01ChartSymlink(t *testing.T) {
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "Chart.yaml"), []byte("{apiVersion: v2, name: canary, version: 1.0.0}"), 0o644))
	for _, name := range []string{"web", "web/Chart.yaml", "web/templates", "web/templates/a.yaml", "web/charts", "web/charts/more", "web/values.yaml", "web/.helmignore"} {
		for target, to := range map[string]string{"file": filepath.Join(outside, "Chart.yaml"), "absolute": outside, "relative": "../outside", "dangling": "nothing", "loop": filepath.Base(name)} {
			root := t.TempDir()
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
			require.NoError(t, os.Symlink(to, filepath.Join(root, name)))
			if name != "web" && name != "web/Chart.yaml" {
				require.NoError(t, os.WriteFile(filepath.Join(root, "web", "Chart.yaml"), []byte("{apiVersion: v2, name: web, version: 1.0.0}"), 0o644))
			}
			files, err := NewReader(os.DirFS(root)).Read("web")
			require.Error(t, err, "%s %s", name, target)
			require.Empty(t, files)
			require.NotContains(t, err.Error(), "canary")
		}
	}
}

// TestAttack02ChartPathTraversal: a chart is a directory of the application, and its templates read the files of the chart alone.
func TestAttack02ChartPathTraversal(t *testing.T) {
	tree := fstest.MapFS{"web/Chart.yaml": {Data: []byte("{apiVersion: v2, name: web, version: 1.0.0}")}, "other/canary.txt": {Data: []byte("canary")}}
	for _, dir := range []string{"..", "../web", "/web", "web/../other", `web\..\other`, "", "nothing", "web/Chart.yaml", "./web"} {
		_, err := NewReader(tree).Read(dir)
		require.Error(t, err, dir)
	}
	t.Setenv("CANARY", "canary")
	for _, read := range []string{`.Files.Get "/etc/passwd"`, `.Files.Get "../other/canary.txt"`, `.Files.Get "../../etc/passwd"`, `(.Files.Glob "/etc/*").AsConfig`, `.Files.Lines "/etc/passwd"`} {
		b := build.Follow(of(t, "-- templates/a.yaml --\n"+fmt.Sprintf(configMap, "{{ "+read+" | quote }}")))
		require.Empty(t, b.Failed, read)
		require.NotContains(t, string(b.Objects[0]), "root:")
		require.NotContains(t, string(b.Objects[0]), "canary")
	}
	for _, gone := range []string{`env "CANARY"`, `expandenv "$CANARY"`} {
		b := build.Follow(of(t, "-- templates/a.yaml --\n"+fmt.Sprintf(configMap, "{{ "+gone+" }}")))
		require.Contains(t, b.Failed, "not defined", gone)
		require.Equal(t, "web/templates/a.yaml:4", b.Place)
	}
	for _, name := range []string{"../../etc/Chart.yaml", "x//etc/Chart.yaml", "more/../../Chart.yaml", `more\..\..\Chart.yaml`, "Chart.yaml"} {
		tree["web/charts/more.tgz"] = &fstest.MapFile{Data: archived1(t, name, "name: canary")}
		b := build.Follow(in(t, tree, "web"))
		require.Contains(t, b.Failed, "cannot be unpacked", name)
	}
}

// archived1 is an archive of one file.
func archived1(t testing.TB, name, text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}))
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	return b.Bytes()
}

// TestAttack04ChartFetches: nothing that a chart names is asked for.
func TestAttack04ChartFetches(t *testing.T) {
	at := silent.Address(t)
	for _, schema := range []string{"http://" + at + "/a.json", "https://" + at + "/a.json", "file:///etc/passwd", "urn:a:b", "other.json"} {
		b := build.Follow(of(t, "-- values.schema.json --\n{\"properties\": {\"a\": {\"$ref\": \""+schema+"\"}}}\n-- values.yaml --\na: 1\n"))
		require.Contains(t, b.Failed, "nothing is fetched", schema)
		require.NotContains(t, b.Failed, "root:")
	}
	for _, ask := range []string{`getHostByName "` + at + `"`, `getHostByName "localhost"`, `lookup "v1" "Namespace" "" "kube-system"`} {
		b := build.Follow(of(t, "-- templates/a.yaml --\n"+fmt.Sprintf(configMap, "{{ "+ask+" | toString | quote }}")))
		require.Empty(t, b.Failed, ask)
		require.Contains(t, []string{`{"apiVersion":"v1","data":{"v":""},"kind":"ConfigMap","metadata":{"name":"a"}}`, `{"apiVersion":"v1","data":{"v":"map[]"},"kind":"ConfigMap","metadata":{"name":"a"}}`}, string(b.Objects[0]))
	}
	b := build.Follow(of(t, "-- Chart.yaml --\n{apiVersion: v2, name: web, version: 1.0.0, dependencies: [{name: more, version: 1.0.0, repository: \"http://"+at+"\"}]}\n"))
	require.Contains(t, b.Failed, "depends on more, which is not in charts/")
}

// TestAttack08ChartArchives: an archive that unpacks to more than a chart may have, or to itself, is refused.
func TestAttack08ChartArchives(t *testing.T) {
	large := strings.Repeat("x", 4<<20)
	nested := archived1(t, "more/charts/more.tgz", "no archive")
	for range maxNested + 2 {
		nested = archived1(t, "more/charts/more.tgz", string(nested))
	}
	several := fstest.MapFS{"web/Chart.yaml": {Data: []byte("{apiVersion: v2, name: web, version: 1.0.0}")}}
	for i := range 10 {
		several[fmt.Sprintf("web/charts/a%d.tgz", i)] = &fstest.MapFile{Data: archived1(t, "a/values.yaml", large)}
	}
	require.Contains(t, in(t, several, "web").Build().Failed, "files or 32 MiB")
	for name, data := range map[string][]byte{
		"cannot be unpacked": archived1(t, "more/values.yaml", strings.Repeat("x", 20<<20)), "more than 5 archives": nested,
		"gzip: invalid header": []byte("no archive"), "unexpected EOF": nested[:len(nested)/2],
	} {
		b := build.Follow(in(t, fstest.MapFS{"web/Chart.yaml": several["web/Chart.yaml"], "web/charts/more.tgz": {Data: data}}, "web"))
		require.Contains(t, b.Failed, name)
	}
	tree := fstest.MapFS{}
	for i := range 9 {
		tree[fmt.Sprintf("web/files/%d", i)] = &fstest.MapFile{Data: bytes.Repeat([]byte("x"), 1<<20)}
	}
	_, err := NewReader(tree).Read("web")
	require.EqualError(t, err, "web/files/8 is not read: a chart has at most 8 MiB")
	tree["web/files/0"] = &fstest.MapFile{Data: bytes.Repeat([]byte("x"), 1<<20+1)}
	_, err = NewReader(tree).Read("web")
	require.EqualError(t, err, "web/files/0 has 1048577 bytes, at most 1048576 are read")
	delete(tree, "web/files/0")
	reader := NewReader(tree)
	_, err = reader.Read("web")
	require.NoError(t, err)
	_, err = reader.Read("web")
	require.NoError(t, err)
	_, err = reader.Read("web")
	require.ErrorContains(t, err, "the charts of the application have more than 16 MiB together")
}

// TestAttack18ChartSecretLeak: what Helm says of a chart that makes a Secret may repeat it, and is not repeated.
func TestAttack18ChartSecretLeak(t *testing.T) {
	const secret = "-- values.yaml --\npassword: canary\n-- templates/s.yaml --\n{kind: Secret, metadata: {name: a}, stringData: {a: \"{{ .Values.password }}\"}}\n# kind: Secret\n"
	for _, bad := range []string{
		`{{ fail .Values.password }}`, `{{ .Values.password | atoi | until | index 5 }}`, `{{ tpl .Values.password . | int | fail }}`, `{{ tpl (printf "{{ %s }}" .Values.password) . }}`, `{{ .Values.password.x }}`,
		`{{ fromJson .Values.password | toYaml }}: [`, `{{ mustFromJson .Values.password }}`, `{{ semver .Values.password }}`, `{{ .Values.password | b32dec | fail }}`, `a: {{ .Values.password }}: [`,
	} {
		b := build.Follow(of(t, secret+"-- templates/z.yaml --\n\n"+bad+"\n"))
		require.NotEmpty(t, b.Failed, bad)
		require.NotContains(t, b.Failed+b.Place, "canary", bad)
		require.Contains(t, b.Place, "web/templates/z.yaml", bad)
	}
	for _, values := range []string{"password: !!int canary\n", "canary\n", "[canary]\n", "a: {b: canary\n"} {
		b := build.Follow(of(t, secret+"-- values.yaml --\n"+values))
		require.NotEmpty(t, b.Failed, values)
		require.NotContains(t, b.Failed, "canary", values)
	}
	said := build.Follow(of(t, secret+"-- templates/z.yaml --\n{{ required \"name the Secret with the password\" .Values.existingSecret }}\n"))
	require.Equal(t, "helm: name the Secret with the password", said.Failed, "what a template says in so many words is no secret")
	require.Equal(t, "web/templates/z.yaml:1", said.Place)
}

// TestAttack25ChartPanic: a panic in a library is the failure of this chart.
func TestAttack25ChartPanic(t *testing.T) {
	for _, text := range []string{"-- templates/a.yaml --\n{{ repeat -1 \"a\" }}", "-- templates/a.yaml --\n{{ mustToYaml (dict \"a\" (genCA \"a\" 1)) }}{{ slice \"a\" 5 }}", "-- Chart.yaml --\nnull\n", "-- values.yaml --\n[]\n", "-- templates/a.yaml --\n{{ div 1 0 }}"} {
		require.NotEmpty(t, build.Follow(of(t, text)).Failed, text)
	}
}
