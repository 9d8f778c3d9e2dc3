package declared

import "maps"

// Below returns a field that is an object. What is something else is refused by the API server, and
// has nothing here; so it is below.
func Below(object map[string]any, field string) map[string]any {
	m, _ := object[field].(map[string]any)
	return m
}

// Items returns a list.
func Items(v any) []any {
	all, _ := v.([]any)
	return all
}

// Elements returns the objects of a list.
func Elements(v any) (all []map[string]any) {
	for _, e := range Items(v) {
		if m, ok := e.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}

// Word returns a text.
func Word(v any) string {
	s, _ := v.(string)
	return s
}

// Walk calls do with the objects in a value, from outside to inside.
func Walk(v any, do func(object map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		do(v)
		for _, inner := range v {
			Walk(inner, do)
		}
	case []any:
		for _, inner := range v {
			Walk(inner, do)
		}
	}
}

// Given returns an object without the texts, lists and objects in it that are empty.
func Given(object map[string]any) map[string]any {
	maps.DeleteFunc(object, func(_ string, v any) bool {
		switch v := v.(type) {
		case string:
			return v == ""
		case []any:
			return len(v) == 0
		case map[string]any:
			return len(v) == 0
		}
		return false
	})
	return object
}
