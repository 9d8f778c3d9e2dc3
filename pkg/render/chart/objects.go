package chart

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// separator is what Helm takes for the end of a document.
var separator = regexp.MustCompile(`(?m)^---[ \t]*`)

// head is what tells what becomes of an object.
type head struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name        string         `json:"name"`
		Annotations map[string]any `json:"annotations"`
	} `json:"metadata"`
	Items []json.RawMessage `json:"items"`
}

// split takes the objects out of what a template came to.
func (c Chart) split(r *rendered, chart, template, text string) error {
	for _, doc := range separator.Split(text, -1) {
		if strings.TrimSpace(doc) == "" {
			continue
		}
		encoded, err := yaml.YAMLToJSON([]byte(doc))
		if err != nil {
			return &fault{"", c.file(chart, template), fmt.Errorf("does not come to YAML: %w", err), true}
		}
		if err := c.object(r, chart, template, encoded); err != nil {
			return err
		}
	}
	return nil
}

// object takes an object, or each of a list. Tests of Helm are left out: nobody runs them.
func (c Chart) object(r *rendered, chart, template string, encoded json.RawMessage) error {
	if string(encoded) == "null" {
		return nil
	}
	var h head
	if err := json.Unmarshal(encoded, &h); err != nil || h.Kind == "" {
		return &fault{"", c.file(chart, template), fmt.Errorf("comes to what is no object: it has no kind, or is no mapping"), false}
	}
	if strings.HasSuffix(h.Kind, "List") && h.Items != nil {
		for _, item := range h.Items {
			if err := c.object(r, chart, template, item); err != nil {
				return err
			}
		}
		return nil
	}
	hook, hooked := h.Metadata.Annotations["helm.sh/hook"]
	switch events := fmt.Sprint(hook); {
	case hooked && onlyTests(events):
		return nil
	case hooked:
		return &fault{declared.CodeHook, c.line(chart, template, "helm.sh/hook"), fmt.Errorf(
			"makes %s %.80s a hook (%.80s), which Helm runs beside the objects; switch it off in the values or take it out, and write a component of type job that a step of the workflow runs",
			h.Kind, h.Metadata.Name, events), false}
	}
	r.objects = append(r.objects, encoded)
	r.written = append(r.written, build.Written{Kind: h.Kind, Name: h.Metadata.Name, At: c.line(chart, template, "kind: "+h.Kind)})
	return nil
}

// onlyTests reports whether a hook is only for helm test.
func onlyTests(events string) bool {
	return !slices.ContainsFunc(strings.Split(events, ","), func(event string) bool {
		return !slices.Contains([]string{"test", "test-success", "test-failure"}, strings.ToLower(strings.TrimSpace(event)))
	})
}
