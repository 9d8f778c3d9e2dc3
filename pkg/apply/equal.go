package apply

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// A comparison finds the fields in which live differs from wanted. Only wanted fields
// are compared: other fields belong to other managers or are defaults.
type comparison struct {
	exact bool // lists must have the same length: live is projected on our own fields
	found []finding
}

// finding is a field that differs, with both values: nil where it is not there.
type finding struct {
	Difference
	want, live any
}

// compare returns the wanted fields that live does not hold, with the manager that holds
// them instead.
func compare(want, live map[string]any, others []level) []finding {
	c := comparison{}
	c.object(want, live, others)
	return c.found
}

// differences is compare without the values.
func differences(want, live map[string]any, others []level) (list []Difference) {
	for _, f := range compare(want, live, others) {
		list = append(list, f.Difference)
	}
	return list
}

// within reports whether own, an object projected on our own fields, holds
// everything that is wanted and nothing that only a list could add.
func within(want, own map[string]any) bool {
	c := comparison{exact: true}
	c.object(want, own, nil)
	return len(c.found) == 0
}

func (c *comparison) object(want, live map[string]any, others []level) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch name {
		case "apiVersion", "kind", "status":
			continue
		case "metadata":
			w, _ := want[name].(map[string]any)
			l, _ := live[name].(map[string]any)
			under := below(others, member(name))
			for _, part := range []string{"annotations", "finalizers", "labels", "ownerReferences"} {
				c.value(part, w[part], l[part], "metadata."+part, below(under, member(part)))
			}
		default:
			c.value(name, want[name], live[name], name, below(others, member(name)))
		}
	}
}

func member(name string) func(fields) (fields, bool) {
	return func(f fields) (fields, bool) {
		next, ok := f["f:"+name]
		sub, _ := next.(map[string]any)
		return sub, ok
	}
}

// value compares at one path; name is the last field name on it.
func (c *comparison) value(name string, want, live any, path string, others []level) {
	switch w := want.(type) {
	case map[string]any:
		l, ok := live.(map[string]any)
		if !ok && !(live == nil && len(w) == 0) {
			c.differs(path, want, live, others)
			return
		}
		for _, key := range slices.Sorted(maps.Keys(w)) {
			inner := key
			if amounts[name] {
				inner = "quantity"
			}
			c.value(inner, w[key], l[key], path+"."+key, below(others, member(key)))
		}
	case []any:
		l, ok := live.([]any)
		if !ok && !(live == nil && len(w) == 0) {
			c.differs(path, want, live, others)
			return
		}
		c.list(name, w, l, path, others)
	default:
		if !sameScalar(name, want, live) {
			c.differs(path, want, live, others)
		}
	}
}

func (c *comparison) list(name string, want, live []any, path string, others []level) {
	if c.exact && len(want) != len(live) {
		c.differs(path, want, live, others)
		return
	}
	used := make([]bool, len(live))
	for i, w := range want {
		at := match(w, live, used, i)
		if at < 0 {
			c.differs(path+item(w, i), w, nil, others)
			continue
		}
		used[at] = true
		under := below(others, func(f fields) (fields, bool) { return step(f, live[at], at) })
		c.value(name, w, live[at], path+item(w, i), under)
	}
}

// itemKeys identify the items of the lists that the API merges by key.
var itemKeys = [][]string{{"name"}, {"containerPort", "protocol"}, {"port", "protocol"}, {"mountPath"},
	{"devicePath"}, {"topologyKey"}, {"key"}, {"uid"}, {"ip"}, {"type"}}

// match returns the index of the live item for w: by its key if it has one, by value,
// else at the same place. It returns -1 if there is none.
func match(w any, live []any, used []bool, place int) int {
	if m, ok := w.(map[string]any); ok {
		for _, keys := range itemKeys {
			if m[keys[0]] == nil {
				continue
			}
			for i, l := range live {
				if l, ok := l.(map[string]any); ok && !used[i] && sameKeys(keys, m, l) {
					return i
				}
			}
			return -1
		}
	} else {
		for i, l := range live {
			if !used[i] && sameScalar("", w, l) {
				return i
			}
		}
		return -1
	}
	if place < len(live) && !used[place] {
		return place
	}
	return -1
}

func sameKeys(keys []string, want, live map[string]any) bool {
	return !slices.ContainsFunc(keys, func(k string) bool { return want[k] != nil && !sameScalar(k, want[k], live[k]) })
}

// item writes a list item as part of a path.
func item(w any, place int) string {
	if m, ok := w.(map[string]any); ok {
		for _, keys := range itemKeys {
			if v := m[keys[0]]; v != nil {
				return fmt.Sprintf("[%s=%v]", keys[0], v)
			}
		}
	}
	return fmt.Sprintf("[%d]", place)
}

func (c *comparison) differs(path string, want, live any, others []level) {
	c.found = append(c.found, finding{Difference{Path: path, Manager: holds(others)}, want, live})
}

// amounts are the fields whose members are quantities.
var amounts = map[string]bool{"limits": true, "requests": true, "hard": true, "default": true, "defaultRequest": true,
	"min": true, "max": true, "maxLimitRequestRatio": true, "capacity": true}

// sameScalar compares two values as the API does: numbers by value, quantities
// by amount, and an absent field as its zero value.
func sameScalar(name string, want, live any) bool {
	n, isNumber := number(want)
	switch m, both := number(live); {
	case want == live, both && isNumber && n == m:
		return true
	case live == nil:
		return want == "" || want == false || isNumber && n == 0
	case name == "quantity" || name == "sizeLimit" || name == "averageValue" || name == "divisor":
		a, errA := resource.ParseQuantity(fmt.Sprint(want))
		b, errB := resource.ParseQuantity(fmt.Sprint(live))
		return errA == nil && errB == nil && a.Cmp(b) == 0
	}
	return false
}

// number returns the value of a number, as JSON and the converter of objects decode it.
func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}
