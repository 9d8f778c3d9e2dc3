package layer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
)

// TestValuesDoNotBecomeCUE: whatever a value holds, a template gets it as it is.
func TestValuesDoNotBecomeCUE(t *testing.T) {
	hostile := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("\\(\"'#\n\r\t{}[]:,|&_.?!@/* ab0-\u2028\u0085"))),
		rapid.SampledFrom([]string{"\"\n}\noutput: {v: 1}", `\(context.name)`, "\"\"\"\n\\(1)", "@if(x)", `"#`, "\ufeff", "*1|2"}))
	rapid.Check(t, func(t *rapid.T) {
		name, value := hostile.Draw(t, "name"), hostile.Draw(t, "value")
		values, err := json.Marshal(map[string]any{"parameter": map[string]any{"all": map[string]string{name: value}}, "context": map[string]string{"name": value}})
		require.NoError(t, err)
		said, err := layer.Template("parameter: all: {...}\noutput: {all: parameter.all, name: context.name}", values)
		require.NoError(t, err)
		var got struct {
			Output struct {
				All  map[string]string
				Name string
			}
		}
		require.NoError(t, json.Unmarshal(said, &got))
		require.Len(t, got.Output.All, 1) // CUE writes its name in the form NFC
		for _, v := range got.Output.All {
			require.Equal(t, value, v)
		}
		require.Equal(t, value, got.Output.Name)
	})
}

// TestTemplate: a template of KubeVela comes to objects, or to a sentence that quotes no value.
func TestTemplate(t *testing.T) {
	const values = `{"parameter": {"image": "nginx", "port": 80, "more": {"a": "hunter2"}}, "context": {"name": "web"}}`
	const declared = "parameter: {image: string, port: *8080 | int, cpu?: string}\n"
	for _, c := range []struct{ name, template, want, why string }{
		{name: "output", template: declared + `output: {kind: "Pod", metadata: name: context.name, if parameter["cpu"] != _|_ {cpu: parameter.cpu}, spec: {image: parameter.image, port: parameter.port}}`,
			want: `{"output":{"kind":"Pod","metadata":{"name":"web"},"spec":{"image":"nginx","port":80}},"unused":["more"]}`},
		{name: "a kind of the cluster", template: "import (\n apps \"kube/apps/v1\"\n \"strings\"\n)\n" + declared + `output: apps.#Deployment & {spec: {image: strings.ToUpper(parameter.image), of: parameter}}`,
			want: `{"output":{"apiVersion":"apps/v1","kind":"Deployment","spec":{"image":"NGINX","of":{"image":"nginx","port":80,"more":{"a":"hunter2"}}}},"unused":[]}`},
		{name: "a kind without a name of its own", template: "import \"kube/v1\"\n" + `outputs: service: v1.#Service`,
			want: `{"outputs":{"service":{"apiVersion":"v1","kind":"Service"}},"unused":["image","port","more"]}`},
		{name: "a patch", template: `patch: spec: replicas: parameter.port`, want: `{"patch":{"spec":{"replicas":80}},"unused":["image","more"]}`},
		{name: "a step that deploys", template: "import \"vela/op\"\nparameter: component: string\nload: op.#Load\napply: op.#ApplyComponent & {value: load.value[parameter.component]}\n" +
			`wait: op.#ConditionalWait & {continue: apply.output.status.phase == "Running"}`, want: `{"deploys": true}`},
		{name: "a step that applies the workload", template: "import (\"vela/op\")\nparameter: {\n\tcomponent: string\n}\njob: op.#Load & {\n\tcomponent: parameter.component\n}\n" +
			"apply: op.#Apply & {\n\tvalue: {\n\t\tjob.value.workload\n\t\tmetadata: {\n\t\t\tname: parameter.component\n\t\t}\n\t}\n}\n", want: `{"deploys": true}`},
		{name: "a step that applies another object", template: "import \"vela/op\"\nparameter: component: string\njob: op.#Load\n" +
			`apply: op.#Apply & {value: {job.value.workload, metadata: name: "other"}}`, why: "its template needs a package that only KubeVela has"},
		{name: "a step that changes what it deploys", template: "import \"vela/op\"\nparameter: {component: string, ip: string}\nload: op.#Load\n" +
			`apply: op.#ApplyComponent & {value: load.value[parameter.component] & {properties: ip: parameter.ip}}`, why: "its template needs a package that only KubeVela has"},
		{name: "a step that patches what it deploys", template: "import \"vela/op\"\nparameter: component: string\nload: op.#Load\n" +
			`apply: op.#ApplyComponent & {value: load.value[parameter.component], patch: workload: spec: replicas: 2}`, why: "its template needs a package that only KubeVela has"},
		{name: "a step that does more", template: "import \"vela/op\"\nparameter: component: string\nload: op.#Load\n" +
			"apply: op.#ApplyComponent & {value: load.value[parameter.component]}\nask: op.#HTTPPost & {url: \"x\"}", why: "its template needs a package that only KubeVela has"},
		{name: "no CUE", template: "output: {", why: "its template is no CUE"},
		{name: "steps", template: "import \"vela/op\"\napply: op.#Apply", why: "its template needs a package that only KubeVela has"},
		{name: "what is not there", template: declared + `output: key: secret.password`, why: "its template refers to what is not there"},
		{name: "conflict", template: declared + `output: image: parameter.more.a & "correct"`, why: "what it says in output is not known with these properties alone"},
		{name: "a parameter that is missing", template: `parameter: must: string` + "\n" + `output: x: parameter.must`, why: "what it says in output is not known with these properties alone"},
		{name: "nothing", template: declared, why: "its template has neither output, nor outputs, nor a patch"},
		{name: "a large one", template: strings.Repeat("// nothing\n", 30_000), why: "its template has more than 256 KiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := layer.Template(c.template, []byte(values))
			if c.why != "" {
				require.ErrorContains(t, err, c.why)
				require.NotContains(t, err.Error(), "hunter2")
				return
			}
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(got))
		})
	}
}
