package jsonschema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// exported returns a layer's schema as tools read it.
func exported(t *testing.T, layer string) (doc map[string]any) {
	text, err := Of(layer)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &doc))
	return doc
}

// at returns what stands at a path, written with slashes.
func at(t *testing.T, doc any, path string) any {
	for name := range strings.SplitSeq(path, "/") {
		below, ok := doc.(map[string]any)[name]
		require.True(t, ok, "no %s in %s", name, path)
		doc = below
	}
	return doc
}

// A form can say what a field is for, offer its values, and knows its bounds and default.
func TestFormsHaveWhatTheySay(t *testing.T) {
	doc := exported(t, "application")
	component := "$defs/Component/properties/"
	for path, want := range map[string]any{
		"$defs/Application/properties/budget/description":                      "The most that the application may cost, by the prices of the pools.",
		"$defs/Container/description":                                          nil, // it stands in those that embed it
		"$defs/Service/description":                                            "Service is a container that keeps running.",
		"$defs/Service/properties/image/description":                           "such as ghcr.io/acme/shop:1.4.2, with or without a digest",
		component + "os/default":                                               "linux",
		component + "os/enum":                                                  []any{"linux", "windows"},
		component + "os/description":                                           "an operating system is linux or windows",
		component + "critical/default":                                         true,
		component + "critical/type":                                            "boolean",
		component + "replicas/type":                                            "integer",
		component + "replicas/minimum":                                         0.0,
		component + "replicas/maximum":                                         10000.0,
		component + "replicas/default":                                         1.0,
		component + "runtime/enum":                                             []any{"container", "virtual-machine", "process", "wasm", "nomad"},
		component + "runtime/default":                                          "container",
		component + "qos/$ref":                                                 "#/$defs/Name",
		component + "qos/default":                                              "burstable",
		component + "degrade/properties/minReplicas/type":                      "integer",
		"$defs/Application/properties/priority/type":                           "integer",
		"$defs/Application/properties/priority/maximum":                        10000.0,
		"$defs/Application/properties/policy/properties/preemption/enum":       []any{"none", "within-tenant", "reclaim", "any"},
		"$defs/Application/properties/policy/properties/strategy/enum":         []any{"bin-pack", "spread", "sla-aware", "cost-aware"},
		"$defs/Application/properties/policy/properties/ladder/items/enum":     []any{"qos", "optional", "replicas"},
		"$defs/Application/properties/policy/properties/ladder/uniqueItems":    true,
		"$defs/Application/properties/policy/properties/unreadyAfter/type":     "string",
		"$defs/Lifecycle/properties/deletion/enum":                             []any{"keep-data", "delete-data"},
		"$defs/ServiceTraits/properties/ingress/items/properties/path/default": "/",
	} {
		if want == nil {
			require.NotContains(t, at(t, doc, "$defs"), strings.Split(path, "/")[1], path)
			continue
		}
		require.Equal(t, want, at(t, doc, path), path)
	}
	types := at(t, doc, component+"type/anyOf").([]any)
	require.Equal(t, []any{"webservice", "worker", "store", "daemon", "vm", "windows-service", "job", "cron", "config", "secret", "external-secret", "raw", "kustomize", "helm", "external"},
		types[0].(map[string]any)["enum"])
	require.Contains(t, types[1], "$ref", "the platform may define others")
	require.NotContains(t, at(t, doc, component+"resources"), "required", "only some fleets require requests")
}

// Each default is a value that its own schema accepts.
func TestDefaultsAreAccepted(t *testing.T) {
	for _, layer := range []string{"platform", "tenant", "application"} {
		doc, c := exported(t, layer), jsonschema.NewCompiler()
		require.NoError(t, c.AddResource(layer, doc))
		defaults := 0
		var visit func(v any, pointer string)
		visit = func(v any, pointer string) {
			switch v := v.(type) {
			case []any:
				for i, below := range v {
					visit(below, fmt.Sprint(pointer, "/", i))
				}
			case map[string]any:
				if preferred, ok := v["default"]; ok {
					if _, property := preferred.(map[string]any); !property {
						defaults++
						s, err := c.Compile(layer + "#" + pointer)
						require.NoError(t, err)
						require.NoError(t, s.Validate(preferred), pointer)
					}
				}
				for name, below := range v {
					visit(below, pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1", "%", "%25", "^", "%5E").Replace(name))
				}
			}
		}
		visit(doc, "")
		t.Logf("%s: %d defaults", layer, defaults)
		require.NotZero(t, defaults, layer)
	}
}

// Every field that a form shows says what it is for. What a union has inline is told by the sentence of the union.
func TestEveryFieldHasWords(t *testing.T) {
	unions := map[string]bool{
		"Component/properties": true, "Component/traits": true, "Step/properties": true, // by type
		"Variable/config": true, "Variable/field": true, "Variable/secret": true, "Step/inputs/from": true,
		"ContainerTraits/envFrom/secret": true, "ServiceTraits/envFrom/secret": true,
		"Platform/policy/images": true, "Platform/policy/images/registries": true, // of the policy, here only required
	}
	for _, layer := range []string{"application", "tenant", "platform"} {
		doc := exported(t, layer)
		defs := at(t, doc, "$defs").(map[string]any)
		var look func(shape any, path string)
		look = func(shape any, path string) {
			node, ok := shape.(map[string]any)
			if !ok {
				return
			}
			fields, _ := node["properties"].(map[string]any)
			for name, of := range fields {
				field, _ := of.(map[string]any)
				_, constant := field["const"]
				ref, _ := field["$ref"].(string)
				referred, _ := defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
				here := path + "/" + name
				if of != true && !constant && field["description"] == nil && referred["description"] == nil && !unions[here] {
					t.Errorf("%s of layer %s says nothing", here, layer)
				}
				look(field, here)
			}
			for _, word := range []string{"anyOf", "allOf"} {
				list, _ := node[word].([]any)
				for _, one := range list {
					look(one, path)
				}
			}
			for _, word := range []string{"then", "items", "additionalProperties"} {
				look(node[word], path)
			}
			patterns, _ := node["patternProperties"].(map[string]any)
			for _, of := range patterns {
				look(of, path)
			}
		}
		for name, of := range defs {
			look(of, name)
		}
	}
}
