package apply

import (
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// fields is one level of a managed-fields tree: f:name, k:{keys}, v:value and
// i:index lead to the next level, "." stands for the level itself.
type fields = map[string]any

// claim is what one field manager holds of an object.
type claim struct {
	manager string
	ours    bool
	fields  fields
}

// claims reads the managed fields of an object. Ours is what manager applied.
func claims(u *unstructured.Unstructured, manager string) []claim {
	entries, _, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", "managedFields")
	list, _ := entries.([]any)
	var all []claim
	for _, e := range list {
		m, _ := e.(map[string]any)
		tree, _ := m["fieldsV1"].(map[string]any)
		if tree == nil {
			continue
		}
		c := claim{fields: tree}
		c.manager, _ = m["manager"].(string)
		sub, _ := m["subresource"].(string)
		c.ours = c.manager == manager && m["operation"] == "Apply" && sub == ""
		all = append(all, c)
	}
	return all
}

// step finds the level of the list item below f.
func step(f fields, item any, index int) (fields, bool) {
	for key, next := range f {
		if len(key) < 2 || key[1] != ':' {
			continue
		}
		var want any
		if utiljson.Unmarshal([]byte(key[2:]), &want) != nil {
			continue
		}
		found := false
		switch key[0] {
		case 'k':
			found = hasKeys(item, want)
		case 'v':
			found = equality.Semantic.DeepEqual(want, item)
		case 'i':
			n, ok := want.(int64)
			found = ok && int(n) == index
		}
		if found {
			sub, _ := next.(map[string]any)
			return sub, true
		}
	}
	return nil, false
}

func hasKeys(item, keys any) bool {
	m, ok := item.(map[string]any)
	want, isMap := keys.(map[string]any)
	if !ok || !isMap {
		return false
	}
	for k, v := range want {
		if m[k] != v {
			return false
		}
	}
	return true
}

// holds returns the manager other than us that holds a field at any of the
// given levels; the first by name if there are several.
func holds(levels []level) string {
	if len(levels) == 0 {
		return ""
	}
	return slices.MinFunc(levels, func(a, b level) int { return strings.Compare(a.manager, b.manager) }).manager
}

// level is the level of one manager's fields at the present place in an object.
type level struct {
	manager string
	fields  fields
}

// othersOf returns the levels of the managers of an object but ours.
func othersOf(u *unstructured.Unstructured, ours string) (others []level) {
	for _, c := range claims(u, ours) {
		if !c.ours {
			others = append(others, level{c.manager, c.fields})
		}
	}
	return others
}

// below returns the levels of the managers that hold something at the step.
func below(levels []level, next func(fields) (fields, bool)) []level {
	var under []level
	for _, l := range levels {
		if len(l.fields) == 0 { // holds everything from here on
			under = append(under, l)
		} else if f, ok := next(l.fields); ok {
			under = append(under, level{l.manager, f})
		}
	}
	return under
}

// encode is the canonical form of a projected value: map keys are sorted.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("apply: encode what was decoded from JSON: " + err.Error())
	}
	return b
}
