package importing

import (
	"fmt"
	"maps"
)

func (kubeMin) ports(s *scope, n *node) (any, error) {
	for _, e := range n.items() {
		p := s.port(doc{}, e, e.at("port"), e.at("name"), e.at("protocol"))
		if p != nil {
			mark(kept, e.at("expose"))
		}
		if p != nil && e.at("expose").string() == "false" {
			p["expose"] = false
		}
	}
	return nil, nil
}

func (kubeMin) envs(s *scope, n *node) (any, error) {
	for _, e := range n.items() {
		name, from := e.at("name"), e.at("valueFrom")
		if !variablePattern.MatchString(name.string()) {
			s.lose(e, because("is no name that a variable may have", ""))
			continue
		}
		var v any
		var err error
		switch {
		case !from.at("static").null():
			v, err = s.variable(name.string(), from.at("static"))
			mark(kept, from.at("static"))
		case !from.at("secret").null():
			v, err = s.secret(from.at("secret.name").string(), from.at("secret.key").string())
			mark(kept, from.at("secret.name"), from.at("secret.key"))
		case s.configs[from.at("config.name").string()] != "" && keyPattern.MatchString(from.at("config.key").string()):
			v = doc{"config": doc{"name": s.configs[from.at("config.name").string()], "key": from.at("config.key").string()}}
			mark(kept, from.at("config.name"), from.at("config.key"))
		case fieldPattern.MatchString(from.at("field").string()):
			v = doc{"field": from.at("field").string()}
			mark(kept, from.at("field"))
		default:
			err = because("comes from something that a variable cannot have its value from", "properties: env")
		}
		if err != nil {
			s.lose(e, err)
			continue
		}
		s.d.sub("properties").sub("env")[name.string()] = v
		mark(kept, name)
	}
	return nil, nil
}

func (kubeMin) envFrom(s *scope, n *node) (any, error) {
	var list []any
	for _, e := range n.items() {
		source := e.at("sourceName")
		switch e.at("type").string() {
		case "configMap", "config":
			config, err := s.configMap(source.string())
			if err != nil {
				s.lose(e, err)
				continue
			}
			list = append(list, doc{"config": config})
		case "secret":
			if !objectPattern.MatchString(source.string()) {
				s.lose(e, because("names no Secret", ""))
				continue
			}
			s.keep(source.string())
			list = append(list, doc{"secret": doc{"existing": source.string()}})
		default:
			s.lose(e, because("names neither a config nor a secret", ""))
			continue
		}
		mark(kept, source, e.at("type"))
	}
	return some(list), nil
}

// resources takes requests that are the limits, too.
func (kubeMin) resources(s *scope, n *node) (any, error) {
	for _, name := range []string{"requests", "limits"} {
		s.take(n, []row{
			{"cpu", "resources." + name + ".cpu", asCPU},
			{"memory", "resources." + name + ".memory", asMemory},
		})
	}
	if gpus, ok := n.at("gpu").number(); ok && gpus > 0 && gpus < 1_000_000 {
		s.d.sub("resources").sub("requests").sub("devices")["nvidia.com/gpu"] = gpus
		mark(kept, n.at("gpu"))
	}
	return nil, nil
}

func (kubeMin) probes(s *scope, n *node) (any, error) {
	for _, e := range n.items() {
		kind := e.at("type").string()
		if kind != "liveness" && kind != "readiness" && kind != "startup" {
			s.lose(e, because("is neither liveness, nor readiness, nor startup", ""))
			continue
		}
		mark(kept, e.at("type"))
		v, err := to.probe(s, e)
		if err != nil {
			s.lose(e, err)
			continue
		}
		s.d.set("traits.probes."+kind, v)
	}
	return nil, nil
}

// volume reads an entry of storage as a volume.
func (kubeMin) volume(s *scope, e *node) (*volume, error) {
	v := &volume{doc: doc{}}
	switch kind := e.at("type").string(); kind {
	case "persistent":
		if !e.at("claimName").null() && !e.at("tmpCreate").bool() {
			return v, v.existing(s.translation, e.at("claimName"))
		}
		v.doc["type"], v.doc["size"] = "persistent", "1Gi" // as KubeMin without a word
		part := &scope{s.translation, s.c, v.doc, nil}
		part.take(e, []row{{"size", "size", asMemory}, {"storageClass", "storageClass", matching(objectPattern, "is no name of a class")}})
	case "ephemeral":
		v.doc["type"] = "ephemeral"
	case "config":
		v.config(s.translation, e.at("sourceName"))
		return v, v.err
	case "secret":
		return v, v.secret(s.translation, e.at("sourceName"))
	default:
		return nil, because("is of a kind that no storage has", "traits: storage")
	}
	return v, nil
}

// kubeMinMount is where an entry of storage is mounted.
func kubeMinMount(e *node) string {
	if path := e.at("mountPath").string(); path != "" {
		return path
	}
	return "/mnt/" + e.at("name").string()
}

func keepKubeMinMount(e *node) {
	mark(kept, e.at("name"), e.at("type"), e.at("mountPath"), e.at("subPath"), e.at("readOnly"), e.at("sourceName"), e.at("tmpCreate"))
}

func (kubeMin) storage(s *scope, n *node) (any, error) {
	for _, e := range n.items() {
		v, err := kubemin.volume(s, e)
		if err == nil {
			s.volumes[e.at("name").string()] = v
			err = s.mount(e.at("name").string(), kubeMinMount(e), e.at("subPath").string(), e.at("readOnly").bool())
		}
		if err != nil {
			s.lose(e, err)
			continue
		}
		keepKubeMinMount(e)
	}
	return nil, nil
}

func (kubeMin) initial(s *scope, n *node) (any, error) { return kubemin.extras(s, n, "init") }

func (kubeMin) sidecars(s *scope, n *node) (any, error) { return kubemin.extras(s, n, "sidecars") }

// extras reads containers beside the component's own, with the traits in them.
func (kubeMin) extras(s *scope, n *node, into string) (any, error) {
	for i, e := range n.items() {
		part := s.part()
		for _, at := range []string{"", "properties."} {
			part.take(e, []row{
				{at + "image", "image", to.image},
				{at + "command", "command", to.texts},
				{at + "args", "args", to.texts},
				{at + "env", "env", pod.variables},
			})
		}
		name := dnsName(e.at("name").string())
		if name == "" {
			name = fmt.Sprintf("%s-%d", into, i)
		}
		if part.d["image"] == nil {
			s.lose(e, because("has no image", ""))
			continue
		}
		part.d["name"] = name
		mark(kept, e.at("name"))
		for _, m := range e.at("traits.storage").items() {
			if s.volumes[m.at("name").string()] == nil {
				v, err := kubemin.volume(s, m)
				if err != nil {
					v = &volume{err: err}
				}
				s.volumes[m.at("name").string()] = v
			}
			if err := pod.mountBeside(s, part.d, m.at("name").string(), kubeMinMount(m), m.at("subPath").string(), m.at("readOnly").bool()); err != nil {
				s.lose(m, err)
				continue
			}
			keepKubeMinMount(m)
		}
		if into == "sidecars" {
			part.take(e, []row{{"traits.resources", "", kubemin.resources}, {"traits.probes", "", kubemin.probes}})
			delete(part.d.sub("resources").sub("requests"), "devices")
			if probes := part.d.get("traits.probes"); probes != nil {
				part.d["probes"] = probes
				delete(part.d, "traits")
			}
		}
		part.take(e, []row{{"traits.envs", "", kubemin.envs}, {"traits.envFrom", "envFrom", kubemin.envFrom}})
		if properties, ok := part.d["properties"].(doc); ok {
			maps.Copy(part.d.sub("env"), properties.sub("env"))
			delete(part.d, "properties")
		}
		s.c.doc.add("traits."+into, part.d)
	}
	return nil, nil
}

func (kubeMin) ingress(s *scope, n *node) (any, error) {
	for _, e := range n.items() {
		for _, host := range e.at("hosts").items() {
			kubemin.routes(s, e, host.string())
		}
		for _, r := range e.at("routes").items() {
			if host := r.at("host"); !host.null() && e.at("hosts").items() == nil {
				kubemin.routes(s, e, host.string())
			}
		}
	}
	return nil, nil
}

func (kubeMin) routes(s *scope, e *node, host string) {
	class := e.at("ingressClassName")
	for _, r := range e.at("routes").items() {
		if own := r.at("host").string(); own != "" && own != host {
			continue
		}
		if to := s.hosts[r.at("backend.serviceName").string()]; to != s.c.name {
			s.lose(r, because("leads to another component", "traits: ingress, of that component"))
			continue
		}
		port, err := to.port(s, r.at("backend.servicePort"))
		var entry doc
		if err == nil {
			entry, err = s.entrance(host, port, r.at("path").string(), r.at("pathType").string())
		}
		if err != nil {
			s.lose(r, err)
			continue
		}
		if dnsName(class.string()) == class.string() && class.string() != "" {
			entry["className"] = class.string()
			mark(kept, class)
		}
		for _, tls := range e.at("tls").items() {
			if secret := tls.at("secretName"); objectPattern.MatchString(secret.string()) {
				entry["tls"] = secret.string()
				mark(kept, tls)
			}
		}
		s.d.add("traits.ingress", entry)
		mark(kept, e.at("name"), e.at("hosts"), r.at("host"), r.at("path"), r.at("pathType"), r.at("backend.serviceName"), r.at("backend.servicePort"))
	}
}
