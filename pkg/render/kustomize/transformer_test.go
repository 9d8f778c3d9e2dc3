package kustomize

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: nginx, envFrom: [{configMapRef: {name: a}}], args: [--map=$(MAP)]}]
`

// transformers are configurations of all that are allowed.
var transformers = map[string]string{
	"AnnotationsTransformer":         "annotations: {a: b, version: 1.10}\nfieldSpecs: [{path: metadata/annotations, create: true}]",
	"LabelTransformer":               "labels: {stage: prod, number: 2}\nfieldSpecs: [{path: metadata/labels, create: true}, {path: spec/template/metadata/labels, kind: Deployment, create: true}]",
	"PrefixTransformer":              "prefix: b-\nfieldSpecs: [{path: metadata/name}]",
	"SuffixTransformer":              "suffix: -c\nfieldSpecs: [{path: metadata/name}]",
	"PrefixSuffixTransformer":        "prefix: b-\nsuffix: -c\nfieldSpecs: [{path: metadata/name}]",
	"NamespaceTransformer":           "unsetOnly: true\nfieldSpecs: [{path: metadata/namespace, create: true}]",
	"ImageTagTransformer":            "imageTag: {name: nginx, newTag: '1.27'}\nfieldSpecs: [{path: 'spec/template/spec/containers[]/image'}]",
	"ReplicaCountTransformer":        "replica: {name: web, count: 3}\nfieldSpecs: [{path: spec/replicas, kind: Deployment}]",
	"PatchTransformer":               "target: {kind: ConfigMap}\npath: p.yaml",
	"PatchJson6902Transformer":       "target: {group: apps, version: v1, kind: Deployment, name: web}\njsonOp: '[{\"op\": \"replace\", \"path\": \"/spec/replicas\", \"value\": 4}]'",
	"PatchStrategicMergeTransformer": "paths: [p.yaml, '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: y}}']\npatches: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {z: y}}'",
	"ReplacementTransformer":         "replacements: [{path: r.yaml}, {source: {kind: Deployment, name: web, fieldPath: spec.replicas}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.count], options: {create: true}}]}]",
}

func config(kind string) string {
	return "apiVersion: builtin\nkind: " + kind + "\nmetadata: {name: change, namespace: other}\n" + transformers[kind] + "\n"
}

// Every builtin transformer that is allowed changes what kustomize changes, from a file and
// inline, and says so where buildMetadata asks for it.
func TestBuiltinTransformers(t *testing.T) {
	require.Len(t, transformers, len(builtins))
	for kind := range builtins {
		for form, entry := range map[string]string{"file": "[t.yaml]", "inline": "\n- |-\n  " + indent(config(kind))} {
			t.Run(kind+"/"+form, func(t *testing.T) {
				requireEqual(t, written(
					"over/kustomization.yml", "resources: [../base]\nnameSuffix: -x\nbuildMetadata: [originAnnotations, transformerAnnotations, managedByLabel]\ntransformers: "+entry,
					"over/t.yaml", config(kind)+"---\n"+config("AnnotationsTransformer")[:len("apiVersion: builtin\nkind: AnnotationsTransformer\nmetadata: {name: ")]+"second}\nannotations: {second: x}\nfieldSpecs: [{path: metadata/annotations, create: true}]\n",
					"over/p.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  script: |\n    exit 0\n",
					"over/r.yaml", "source: {kind: Deployment, name: web}\ntargets: [{select: {kind: ConfigMap}, fieldPaths: [data.name], options: {create: true}}]",
					"base/kustomization.yaml", "resources: [more/d.yaml]\ncommonLabels: {team: x}\n"+generated,
					"base/more/d.yaml", deployment,
				), "over")
			})
		}
	}
}

func indent(s string) string {
	out := ""
	for _, c := range s {
		out += string(c)
		if c == '\n' {
			out += "  "
		}
	}
	return out
}

// A variable is the value of a field of another object.
func TestVariables(t *testing.T) {
	requireEqual(t, written("k/kustomization.yaml", "resources: [d.yaml]\nnamePrefix: b-\n"+generated+"vars: [{name: MAP, objref: {apiVersion: v1, kind: ConfigMap, name: a}}]",
		"k/d.yaml", deployment), "k")
}

// Any other transformer is a program or reads what it wants, and is refused where it stands.
func TestOtherTransformers(t *testing.T) {
	for entry, message := range map[string]string{
		"{apiVersion: builtin, kind: HelmChartInflationGenerator, metadata: {name: a}, repo: 'http://x'}": `k/kustomization.yaml:2: transformers.0: k/kustomization.yaml:1: has kind "HelmChartInflationGenerator", known are`,
		"{apiVersion: v1, kind: PrefixTransformer, metadata: {name: a}}":                                  `has apiVersion "v1"; only builtin transformers`,
		"{apiVersion: builtin, kind: PatchTransformer, metadata: {name: a}, Path: 'http://localhost/a'}":  `"http://localhost/a" looks like an address`,
		"{apiVersion: builtin, kind: PatchTransformer, metadata: {name: a}, path: ../a.yaml}":             `"../a.yaml" is not there`,
		"{apiVersion: builtin, kind: PrefixTransformer, metadata: {name: a}, path: a.yaml}":               "is no configuration of a PrefixTransformer",
		"{apiVersion: builtin, kind: ValueAddTransformer, metadata: {name: a}, targetFilePath: 'http:x'}": `has kind "ValueAddTransformer"`,
		"http://localhost/a": `k/kustomization.yaml:2: transformers.0: "http://localhost/a" looks like an address`,
		"sub":                `k/kustomization.yaml:2: transformers.0: "sub" is a directory`,
		"[a]":                "only builtin transformers",
		"d.yaml":             `k/kustomization.yaml:2: transformers.0: k/d.yaml:2: has apiVersion "apps/v1"`,
		"{kind: List, items: [{apiVersion: builtin, kind: PrefixTransformer}], apiVersion: v1}": "only builtin transformers",
	} {
		_, err := kustomization(written("k/kustomization.yaml", "transformers:\n- \""+entry+"\"", "k/d.yaml", deployment, "k/sub/a.yaml", ""), "k")
		require.ErrorContains(t, err, message, entry)
	}
}
