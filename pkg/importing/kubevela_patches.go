package importing

import (
	"slices"
	"strings"
)

// patches reads patches of the workload of a component.
type patches struct{}

var patch patches

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
func (p patches) operations(s *scope, n *node) (any, error) {
	object := doc{}
	s.each(n.items(), func(s *scope, e *node) (any, error) {
		return nil, keeping(p.operation(s, e, object), e.at("op"), e.at("path"))
	})
	p.patch(s, object)
	return nil, nil
}

// operation takes one operation. Labels and annotations of the object itself go into object.
func (patches) operation(s *scope, e *node, object doc) error {
	op, path, value := e.at("op").string(), e.at("path").string(), e.at("value")
	switch {
	case path == "/spec/replicas" && op != "remove":
		s.take(e, []row{{"value", "replicas", whole(1, 1_000_000)}})
		return nil
	case strings.HasPrefix(path, "/spec/template/spec/containers/") && op == "add" && strings.Count(path, "/") == 5:
		pod.addExtra(s, value, true)
		return nil
	}
	for _, to := range patched {
		name, ok := strings.CutPrefix(path, to.path)
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		if !ok || !labelPattern.MatchString(name) || systemPattern.MatchString(name) {
			continue
		}
		into, own := s.c.doc, strings.HasPrefix(to.field, "properties.")
		if !own {
			into = object
		}
		if op == "remove" && own {
			if all, ok := into.get(to.field).(doc); ok {
				delete(all, name)
			}
			return nil
		}
		if (op == "add" || op == "replace") && value != nil && value.kind == scalar {
			into.merge(to.field, doc{name: value.text})
			mark(kept, value)
			return nil
		}
	}
	return because("changes what no patch does", "fields of the component: sidecars, security, placement")
}

// merged takes a merge patch.
func (p patches) merged(s *scope, n *node) (any, error) {
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
		p.instead(s, list)
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
	p.patch(s, object)
	return nil, nil
}

// besideContainer are traits that are about the container of a component, whatever its image.
var besideContainer = []string{"storage", "sidecars", "probes", "lifecycle", "envFrom", "security", "imagePull"}

// instead takes the container of a merge patch, whose list takes the place of all containers: nothing of the one before is left.
func (patches) instead(s *scope, list *node) {
	if len(list.items()) != 1 || slices.ContainsFunc(besideContainer, func(trait string) bool { return s.c.doc.get("traits."+trait) != nil }) {
		s.lose(list, because("a list of containers takes the place of all", "properties of the component"))
		return
	}
	for _, field := range []string{"image", "command", "args", "env"} {
		delete(s.c.doc.sub("properties"), field)
	}
	delete(s.c.doc, "resources")
	container := list.items()[0]
	s.take(container, mainRows)
	pod.mountAll(s, nil, container)
	s.note("%s: its patch takes the place of its container, whose image, command, variables and resources are not written", s.c.name)
}

// pods takes a patch of a workload that a definition makes: its lists of containers and volumes add to those that are there.
func (p patches) pods(s *scope, n *node) {
	s.take(n, []row{{"spec.replicas", "replicas", whole(1, 1_000_000)}})
	s.take(n.at("spec.template.metadata"), []row{{"labels", "properties.labels", to.labels}, {"annotations", "properties.annotations", to.annotations}})
	spec := n.at("spec.template.spec")
	pod.declareVolumes(s, spec.at("volumes"), nil)
	for i, c := range spec.at("containers").items() {
		name := c.at("name").string()
		switch {
		case name == s.c.name, i == 0 && (name == "" || c.at("image") == nil):
			s.take(c, mainRows)
			pod.mountAll(s, nil, c)
		case s.container(name) == nil:
			pod.addExtra(s, c, true)
		}
	}
	for _, c := range spec.at("initContainers").items() {
		pod.addExtra(s, c, false)
	}
	s.take(spec, podRows)
	object := doc{}
	for _, field := range []string{"labels", "annotations"} {
		if v, _ := to.named(s.translation, n.at("metadata."+field), field == "labels"); v != nil {
			object[field] = v
		}
	}
	p.patch(s, object)
}

// patch adds labels and annotations of the component's workload as a patch of it.
func (patches) patch(s *scope, metadata doc) {
	if len(metadata) == 0 {
		return
	}
	s.c.doc.add("traits.patches", doc{"merge": doc{"metadata": metadata}}) // its kind follows from the type at the end
	s.note("%s: the patch of its workload needs policy: kinds", s.c.name)
}
