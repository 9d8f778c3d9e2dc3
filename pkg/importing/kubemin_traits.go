package importing

import (
	"cmp"
	"fmt"
	"maps"
)

// env takes a variable.
func (kubeMin) env(s *scope, n *node) (any, error) {
	name, from := n.at("name"), n.at("valueFrom")
	if !variablePattern.MatchString(name.string()) {
		return nil, because("is no name that a variable may have", "")
	}
	var v any
	var err error
	config, key := s.configs[from.at("config.name").string()], from.at("config.key").string()
	switch {
	case !from.at("static").null():
		v, err = s.variable(name.string(), from.at("static"))
		mark(kept, from.at("static"))
	case !from.at("secret").null():
		v, err = s.secret(from.at("secret.name").string(), from.at("secret.key").string())
		mark(kept, from.at("secret.name"), from.at("secret.key"))
	case config != "" && keyPattern.MatchString(key):
		v = doc{"config": doc{"name": config, "key": key}}
		mark(kept, from.at("config.name"), from.at("config.key"))
	case fieldPattern.MatchString(from.at("field").string()):
		v = doc{"field": from.at("field").string()}
		mark(kept, from.at("field"))
	default:
		err = because("comes from something that a variable cannot have its value from", "properties: env")
	}
	if err == nil {
		s.d.sub("properties").sub("env")[name.string()] = v
	}
	return nil, keeping(err, name)
}

func (kubeMin) envFrom(s *scope, n *node) (any, error) {
	source := n.at("sourceName")
	entry, err := doc{}, error(nil)
	switch n.at("type").string() {
	case "configMap", "config":
		entry["config"], err = s.configMap(source.string())
	case "secret":
		if !objectPattern.MatchString(source.string()) {
			return nil, because("names no Secret", "")
		}
		s.keep(source.string())
		entry["secret"] = doc{"existing": source.string()}
	default:
		return nil, because("names neither a config nor a secret", "")
	}
	return entry, keeping(err, source, n.at("type"))
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

func (kubeMin) probe(s *scope, n *node) (any, error) {
	kind := n.at("type").string()
	if kind != "liveness" && kind != "readiness" && kind != "startup" {
		return nil, because("is neither liveness, nor readiness, nor startup", "")
	}
	mark(kept, n.at("type"))
	v, err := to.probe(s, n)
	if err == nil {
		s.d.set("traits.probes."+kind, v)
	}
	return nil, err
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
		s.into(v.doc).take(e, []row{{"size", "size", asMemory}, {"storageClass", "storageClass", matching(objectPattern, "is no name of a class")}})
	case "ephemeral":
		v.doc["type"] = "ephemeral"
	case "config":
		return v, v.config(s.translation, e.at("sourceName"), nil)
	case "secret":
		return v, v.secret(s.translation, e.at("sourceName"), nil)
	default:
		return nil, because("is of a kind that no storage has", "traits: storage")
	}
	return v, nil
}

// mount mounts a volume where an entry of storage says. Into is nil for the component's own container.
func (kubeMin) mount(s *scope, into doc, e *node) error {
	name := e.at("name").string()
	err := pod.mountBeside(s, into, name, cmp.Or(e.at("mountPath").string(), "/mnt/"+name), e.at("subPath").string(), e.at("readOnly").bool())
	return keeping(err, e.at("name"), e.at("type"), e.at("mountPath"), e.at("subPath"), e.at("readOnly"), e.at("sourceName"), e.at("tmpCreate"))
}

func (kubeMin) storage(s *scope, n *node) (any, error) {
	v, err := kubemin.volume(s, n)
	if err == nil {
		s.volumes[n.at("name").string()] = v
		err = kubemin.mount(s, nil, n)
	}
	return nil, err
}

// extras reads containers beside the component's own, with the traits in them.
func (kubeMin) extras(into string) taking {
	return func(s *scope, n *node) (any, error) {
		for i, e := range n.items() {
			if d := kubemin.extra(s, e, into, fmt.Sprintf("%s-%d", into, i)); d != nil {
				s.c.doc.add("traits."+into, d)
			}
		}
		return nil, nil
	}
}

func (kubeMin) extra(s *scope, n *node, into, unnamed string) doc {
	part := s.part()
	part.take(n, append(program("", "", "env", pod.variables), program("properties.", "", "env", pod.variables)...))
	if part.d["image"] == nil {
		s.lose(n, because("has no image", ""))
		return nil
	}
	part.d["name"] = cmp.Or(dnsName(n.at("name").string()), unnamed)
	mark(kept, n.at("name"))
	s.each(n.at("traits.storage").items(), func(s *scope, m *node) (any, error) {
		if name := m.at("name").string(); s.volumes[name] == nil {
			v, err := kubemin.volume(s, m)
			if err != nil {
				v = &volume{err: err}
			}
			s.volumes[name] = v
		}
		return nil, kubemin.mount(s, part.d, m)
	})
	if into == "sidecars" {
		part.take(n, []row{{"traits.resources", "", kubemin.resources}, {"traits.probes", "", each(kubemin.probe)}})
		delete(part.d.sub("resources").sub("requests"), "devices")
		if probes := part.d.get("traits.probes"); probes != nil {
			part.d["probes"] = probes
			delete(part.d, "traits")
		}
	}
	part.take(n, []row{{"traits.envs", "", each(kubemin.env)}, {"traits.envFrom", "envFrom", each(kubemin.envFrom)}})
	if properties, ok := part.d["properties"].(doc); ok {
		maps.Copy(part.d.sub("env"), properties.sub("env"))
		delete(part.d, "properties")
	}
	return part.d
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
	s.each(e.at("routes").items(), func(s *scope, r *node) (any, error) {
		if own := r.at("host").string(); own != "" && own != host {
			return nil, nil
		}
		if to := s.hosts[r.at("backend.serviceName").string()]; to != s.c.name {
			return nil, because("leads to another component", "traits: ingress, of that component")
		}
		port, err := to.port(s, r.at("backend.servicePort"))
		if err != nil {
			return nil, err
		}
		entry, err := s.entrance(host, port, r.at("path").string(), r.at("pathType").string())
		if err != nil {
			return nil, err
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
		return nil, nil
	})
}
