package importing

// containers reads what traits of KubeVela say of several containers of a component.
type containers struct{}

var several containers

// containers takes what traits say of several containers: of the component's own, which has its name, and of those
// beside it.
func (containers) containers(s *scope, n *node) (any, error) {
	for _, e := range n.items() {
		name := e.at("containerName")
		into, prefix := s.container(name.string()), ""
		if name.string() == s.c.name {
			into, prefix = s.c.doc, "properties."
		}
		if into == nil {
			s.lose(e, because("names no container of the component", "traits: sidecars"))
			continue
		}
		part := &scope{s.translation, s.c, into, s.volumes}
		part.take(e, []row{
			{"image", prefix + "image", to.image},
			{"command", prefix + "command", to.texts},
			{"args", prefix + "args", to.texts},
			{"env", prefix + "env", pod.variables},
			{"imagePullPolicy", "", always("the pull policy is that of all containers", "IfNotPresent")},
		})
		mark(kept, name)
	}
	return nil, nil
}

// container returns the container of a name beside the component's own, nil if there is none.
func (s *scope) container(name string) doc {
	for _, where := range []string{"sidecars", "init"} {
		list, _ := s.c.doc.get("traits." + where).([]any)
		for _, e := range list {
			if e := e.(doc); e["name"] == dnsName(name) && name != "" {
				return e
			}
		}
	}
	return nil
}

// ports takes the ports of several containers: those of a pod are one list.
func (containers) ports(s *scope, n *node) (any, error) {
	for _, e := range n.items() {
		if _, err := pod.containerPorts(s, e.at("ports")); err != nil {
			return nil, err
		}
		mark(kept, e.at("containerName"))
	}
	return nil, nil
}

// startup takes the startup probe of a container: of the component's own, or of a sidecar.
func (containers) startup(s *scope, n *node) (any, error) {
	probe, err := to.probe(s, n)
	if err != nil {
		return nil, err
	}
	name := n.at("containerName")
	if name.null() || name.string() == s.c.name {
		s.c.doc.set("traits.probes.startup", probe)
	} else if c := s.container(name.string()); c != nil {
		c.set("probes.startup", probe)
	} else {
		return nil, because("names no container of the component", "traits: sidecars")
	}
	mark(kept, name)
	return nil, nil
}
