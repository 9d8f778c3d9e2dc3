package importing_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/importing"
	"github.com/d-aros/d-aros/test/inprocess"
)

// TestTextsDoNotBecomeCUE: whatever names, values and comments a file brings, what is written is one package
// with one field that says nothing but data, and the values of variables are those of the file.
func TestTextsDoNotBecomeCUE(t *testing.T) {
	hostile := rapid.OneOf(
		rapid.StringOf(rapid.RuneFrom([]rune("\\(\"'#\n\r\t{}[]:,|&_.?!@/* ab0-\u2028\u0085"))),
		rapid.SampledFrom([]string{
			"\"\n}\nplatform: policy: {}\napplication: {name: \"", `\(platform.name)`, "\"\"\"\n\\(1)", "x\n// y\nplatform: {}", "_", "#Def", "__x", "*1|2",
			"@if(prod)", "\U0001f600", "a: b", "import \"x\"", "\u2028platform: {}", "# }", `"#`,
		}),
	)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) string { return hostile.Draw(t, label) }
		name, value := draw("name"), draw("value")
		file, err := json.Marshal(map[string]any{
			"name": draw("application"), "description": draw("description"), "version": draw("version"),
			"component": []any{
				map[string]any{"name": name, "type": "config", "properties": map[string]any{"conf": map[string]any{draw("key"): value, "plain": value}}},
				map[string]any{
					"name": draw("component"), "type": "webservice", "image": "nginx", draw("field"): value,
					"properties": map[string]any{"env": map[string]any{"PLAIN": value, draw("variable"): value}, "command": []any{value}, "labels": map[string]any{draw("label"): value}},
				},
			},
			"workflow": []any{map[string]any{"name": draw("step"), "mode": "DAG", "components": []any{name}}},
		})
		require.NoError(t, err)
		result, err := importing.Import(file, importing.Options{File: draw("file")})
		if err != nil {
			return // a key twice
		}
		v := cuecontext.New().CompileBytes(result.CUE)
		require.NoError(t, v.Validate(), "%s", result.CUE)
		var got map[string]any
		require.NoError(t, v.Decode(&got), "%s", result.CUE)
		require.Len(t, got, 1)
		components := got["application"].(map[string]any)["components"].(map[string]any)
		for _, c := range components {
			c := c.(map[string]any)
			if env, ok := c["properties"].(map[string]any)["env"].(map[string]any); ok {
				if plain, ok := env["PLAIN"].(string); ok {
					require.Equal(t, value, plain, "%s", result.CUE)
				}
			}
		}
	})
}

// TestSecretsAreNotWritten: no value that is to be secret is in what comes out.
func TestSecretsAreNotWritten(t *testing.T) {
	for _, i := range ownFiles(t) {
		result, err := importing.Import(i, importing.Options{Expand: evaluate.Through(inprocess.By[evaluate.Worker]()).Template})
		require.NoError(t, err)
		report, err := json.Marshal(result.Report)
		require.NoError(t, err)
		for _, secret := range []string{"hunter2", "correct-horse", "very-secret", "leaked", "picture-key"} {
			require.NotContains(t, string(result.CUE), secret)
			require.NotContains(t, string(report), secret)
		}
	}
}

func ownFiles(t testing.TB) (files [][]byte) {
	names, err := filepath.Glob("testdata/*/*.*")
	require.NoError(t, err)
	for _, name := range names {
		if filepath.Ext(name) == ".golden" {
			continue
		}
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		files = append(files, data)
	}
	return files
}

// TestLimits: what is too large, too deep or stands for too much is refused, and says why.
func TestLimits(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 9; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	for want, file := range map[string]string{
		"more than 4 MiB": "name: " + strings.Repeat("x", importing.MaxBytes),
		"values, with those that aliases stand for": bomb,
		"MiB of texts":          "a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a, ", 100) + "]\n",
		"deep in each other":    strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
		"1000 elements":         "services: {" + strings.Repeat("web: {image: nginx}, ", 1001) + "}",
		"1000 objects":          strings.Repeat("---\nkind: List\napiVersion: v1\nitems: ["+strings.Repeat("{kind: Pod, apiVersion: v1}, ", 20)+"]\n", 60),
		"documents":             strings.Repeat("---\na: b\n", 1001),
		"twice":                 "services: {}\nservices: {}\n",
		"is no YAML":            "a: [",
		"in no format":          "a: b\n",
		"several Applications":  strings.Repeat("---\napiVersion: core.oam.dev/v1beta1\nkind: Application\nspec: {}\n", 2),
		"has no component that": "services: {web: {build: .}}\n",
	} {
		_, err := importing.Import([]byte(file), importing.Options{})
		require.ErrorContains(t, err, want)
	}
}

// fuzz imports anything as a file of a format. What comes out is CUE.
func fuzz(f *testing.F, format importing.Format) {
	for _, data := range ownFiles(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		result, err := importing.Import(data, importing.Options{Format: format, File: "x.yaml", Host: "x.example.com"})
		if err != nil {
			return
		}
		require.NoError(t, cuecontext.New().CompileBytes(result.CUE).Validate(), "%s", result.CUE)
		lost := 0
		for _, l := range result.Report.Lost {
			lost += l.Fields
		}
		require.Equal(t, result.Report.Fields, result.Report.Kept+result.Report.Withheld+lost)
	})
}

func FuzzCompose(f *testing.F)    { fuzz(f, importing.Compose) }
func FuzzKubeVela(f *testing.F)   { fuzz(f, importing.KubeVela) }
func FuzzKubeMin(f *testing.F)    { fuzz(f, importing.KubeMin) }
func FuzzScore(f *testing.F)      { fuzz(f, importing.Score) }
func FuzzKubernetes(f *testing.F) { fuzz(f, importing.Kubernetes) }

// TestManyBadDefinitions: definitions that cannot be evaluated, each of which may take until a limit ends it, are soon left alone.
func TestManyBadDefinitions(t *testing.T) {
	var file strings.Builder
	file.WriteString("apiVersion: core.oam.dev/v1beta1\nkind: Application\nmetadata: {name: x}\nspec:\n  components:\n")
	for i := range 500 {
		fmt.Fprintf(&file, "  - {name: c%d, type: bad, properties: {a: %d}}\n", i, i)
	}
	file.WriteString("---\napiVersion: core.oam.dev/v1beta1\nkind: ComponentDefinition\nmetadata: {name: bad}\nspec: {schematic: {cue: {template: 'output: {'}}}\n")
	evaluated, evaluator := 0, evaluate.Through(inprocess.By[evaluate.Worker]())
	result, err := importing.Import([]byte(file.String()), importing.Options{Expand: func(template string, values []byte) ([]byte, error) {
		evaluated++
		return evaluator.Template(template, values)
	}})
	require.ErrorContains(t, err, "its template is no CUE")
	require.Equal(t, 10, evaluated)
	require.Len(t, result.Report.Lost, 500)
}
