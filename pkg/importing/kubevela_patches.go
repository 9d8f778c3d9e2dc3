package importing

import "strings"

// Patches of the workload of a component become fields of the component where there are such: replicas, labels of pods
// and containers. The others become patches of the object, which policy has to allow.

// patched are where a JSON patch leads to a label or an annotation, and the fields that these become.
var patched = []struct{ path, field string }{
	{"/spec/template/metadata/labels/", "properties.labels"},
	{"/spec/template/metadata/annotations/", "properties.annotations"},
	{"/metadata/labels/", "labels"},
	{"/metadata/annotations/", "annotations"},
}

// operations takes the operations of a JSON patch.
func (v vela) operations(s *scope, n *node) (any, error) {
	object := doc{}
	for _, e := range n.items() {
		if err := v.operation(s, e, object); err != nil {
			s.lose(e, err)
			continue
		}
		mark(kept, e.at("op"), e.at("path"))
	}
	v.patch(s, object)
	return nil, nil
}

// operation takes one operation. Labels and annotations of the object itself go into object.
func (vela) operation(s *scope, e *node, object doc) error {
	op, path, value := e.at("op").string(), e.at("path").string(), e.at("value")
	switch {
	case path == "/spec/replicas" && op != "remove":
		s.take(e, []row{{"value", "replicas", whole(1, 1_000_000)}})
		return nil
	case strings.HasPrefix(path, "/spec/template/spec/containers/") && op == "add" && strings.Count(path, "/") == 5:
		pod.addExtra(s, value, true)
		return nil
	}
	for _, p := range patched {
		name, ok := strings.CutPrefix(path, p.path)
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		if !ok || !labelPattern.MatchString(name) || systemPattern.MatchString(name) {
			continue
		}
		into, own := s.c.doc, strings.HasPrefix(p.field, "properties.")
		if !own {
			into = object
		}
		if op == "remove" && own {
			if all, ok := into.get(p.field).(doc); ok {
				delete(all, name)
			}
			return nil
		}
		if (op == "add" || op == "replace") && value != nil && value.kind == scalar {
			into.merge(p.field, doc{name: value.text})
			mark(kept, value)
			return nil
		}
	}
	return because("changes what no patch does", "fields of the component: sidecars, security, placement")
}

// merged takes a merge patch.
func (v vela) merged(s *scope, n *node) (any, error) {
	s.take(n, []row{{"spec.replicas", "replicas", whole(1, 1_000_000)}})
	for _, k := range n.at("spec.template.metadata.labels").fields() {
		labels := s.c.doc.sub("properties").sub("labels")
		if k.node.null() {
			delete(labels, k.name)
			mark(kept, k.node)
		} else if labelPattern.MatchString(k.name) && k.node.kind == scalar {
			labels[k.name] = k.node.text
			mark(kept, k.node)
		}
	}
	if list := n.at("spec.template.spec.containers"); list != nil {
		s.lose(list, because("a list of containers takes the place of all", "properties of the component"))
	}
	object := doc{}
	for _, field := range []string{"labels", "annotations"} {
		for _, k := range n.at("metadata." + field).fields() {
			if labelPattern.MatchString(k.name) && !systemPattern.MatchString(k.name) && k.node.kind == scalar && !k.node.null() {
				object.sub(field)[k.name] = k.node.text
				mark(kept, k.node)
			}
		}
	}
	v.patch(s, object)
	return nil, nil
}

// patch adds labels and annotations of the component's workload as a patch of it.
func (vela) patch(s *scope, metadata doc) {
	if len(metadata) == 0 {
		return
	}
	s.c.doc.add("traits.patches", doc{"merge": doc{"metadata": metadata}}) // its kind follows from the type at the end
	s.note("%s: the patch of its workload needs policy: kinds", s.c.name)
}
