package declared

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
