package importing

// container takes what traits say of one of several containers: of the component's own, which has its name, or of one
// beside it.
func (vela) container(s *scope, n *node) (any, error) {
	name := n.at("containerName")
	into, prefix := s.container(name.string()), ""
	if name.string() == s.c.name {
		into, prefix = s.c.doc, "properties."
	}
	if into == nil {
		return nil, because("names no container of the component", "traits: sidecars")
	}
	s.into(into).take(n, append(program("", prefix, "env", pod.variables), row{"imagePullPolicy", "", always("the pull policy is that of all containers", "IfNotPresent")}))
	mark(kept, name)
	return nil, nil
}

// container returns the container of a name beside the component's own, nil if there is none.
func (s *scope) container(name string) doc {
	for _, where := range []string{"sidecars", "init"} {
		for _, e := range s.c.doc.list("traits." + where) {
			if e := e.(doc); e["name"] == dnsName(name) && name != "" {
				return e
			}
		}
	}
	return nil
}

// severalPorts takes the ports of one of several containers: those of a pod are one list.
func (vela) severalPorts(s *scope, n *node) (any, error) {
	s.each(n.at("ports").items(), pod.containerPort)
	mark(kept, n.at("containerName"))
	return nil, nil
}

// startup takes the startup probe of a container: of the component's own, or of a sidecar.
func (vela) startup(s *scope, n *node) (any, error) {
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
