package importing

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

var concurrencyPattern = regexp.MustCompile(`^(Forbid|Allow|Replace)$`)

// selected returns the workload whose pods a Service or a budget selects, nil if there is none.
func selected(s *node, workloads []*node) *node {
	selector := cmp.Or(s.at("spec.selector.matchLabels"), s.at("spec.selector"))
	if len(selector.fields()) == 0 {
		return nil
	}
	for _, d := range workloads {
		_, meta := podOf(d)
		all := true
		for _, k := range selector.fields() {
			value := meta.at("labels").field(k.name)
			all = all && value != nil && value.text == k.node.text
		}
		if all {
			return d
		}
	}
	return nil
}

var noWorkload = because("selects the pods of no workload of the file", "")

// readService reads a Service: its ports are those of the component.
func (o *objects) readService(t *translation, n *node) error {
	c := o.made[selected(n, o.workloads)]
	if c == nil || !t.there(c) {
		return noWorkload
	}
	if c.doc["type"] == "worker" {
		c.doc["type"] = "webservice"
	}
	s := t.scope(c)
	s.each(n.at("spec.ports").items(), manifest.servicePort)
	identity(n)
	manifest.sameLabels(n, c)
	mark(kept, n.at("spec.selector"))
	s.take(n.at("spec"), []row{
		{"type", "", to.serviceType},
		{"clusterIP", "", always("addresses are given by the cluster", "None")},
		{"sessionAffinity", "", always("requests go to any replica", "None")},
	})
	if object := t.objectName(c.name); n.at("metadata.name").string() != object {
		t.note("%s: is reached as %s, not as %s", c.name, object, n.at("metadata.name").string())
	}
	return nil
}

// serviceType takes how clients outside the cluster reach a component without an ingress. A store has no such way.
func (conversion) serviceType(s *scope, n *node) (any, error) {
	switch kind := n.string(); kind {
	case "ClusterIP":
	case "NodePort", "LoadBalancer":
		if s.persistent() || s.c.doc["type"] != "webservice" && s.c.doc["type"] != "worker" {
			return nil, because("each replica of a store has a name of its own, and no entrance from outside", "traits: ingress")
		}
		s.c.doc.set("traits.service.type", kind)
		s.note("%s: its Service is a %s, which the allotment of the tenant has to list (services)", s.c.name, kind)
	default:
		return nil, because("leads to another name", "an external component")
	}
	return nil, nil
}

// there reports whether a component was not dropped.
func (t *translation) there(c *component) bool {
	return slices.Contains(t.app.components, c)
}

// servicePort joins a port of a Service with that of the container behind it.
func (manifests) servicePort(s *scope, p *node) (any, error) {
	number, ok := p.at("port").number()
	if !ok || number < 1 || number > 65535 {
		return nil, because("is no port", "")
	}
	target := number
	behind := p.at("targetPort")
	if !behind.null() {
		v, err := to.port(s, behind)
		if err != nil {
			return nil, err
		}
		target = v.(int64)
	}
	protocol := strings.ToUpper(p.at("protocol").string())
	if protocol != "" && protocol != "TCP" && protocol != "UDP" {
		return nil, because("a protocol is TCP or UDP", "")
	}
	mark(kept, p.at("port"), behind, p.at("protocol"))
	name := p.at("name").string()
	list := s.c.doc.list("properties.ports")
	for _, have := range list {
		have := have.(doc)
		same := (have["protocol"] == "UDP") == (protocol == "UDP")
		if same && (have["port"] == target || have["targetPort"] == target && have["port"] == number) {
			if have["port"] != number && have["targetPort"] == nil {
				have["port"], have["targetPort"] = number, target
			}
			if have["name"] == nil || have["port"] == number {
				manifest.namePort(have, name, list)
				mark(kept, p.at("name"))
			}
			return nil, nil
		}
	}
	entry := doc{"port": number}
	if target != number {
		entry["targetPort"] = target
	}
	if protocol == "UDP" {
		entry["protocol"] = protocol
	}
	manifest.namePort(entry, name, list)
	mark(kept, p.at("name"))
	s.c.doc.add("properties.ports", entry)
	return nil, nil
}

// namePort gives a port a name that no other has.
func (manifests) namePort(entry doc, name string, list []any) {
	if portName.MatchString(name) && !slices.ContainsFunc(list, func(have any) bool { return have.(doc)["name"] == name }) {
		entry["name"] = name
	}
}

// readIngress reads an Ingress: each of its paths is one of the component behind it.
func (o *objects) readIngress(t *translation, n *node) error {
	annotations, _ := to.named(t, n.at("metadata.annotations"), false)
	some := false
	for _, rule := range n.at("spec.rules").items() {
		host := rule.at("host")
		for _, p := range rule.at("http.paths").items() {
			entry, c, err := o.routeOf(t, n, host, p)
			if err != nil {
				t.lose(p, err)
				continue
			}
			entry["annotations"] = annotations
			c.doc.add("traits.ingress", entry)
			some = true
			mark(kept, host, p.at("path"), p.at("pathType"), p.at("backend"))
		}
	}
	if !some {
		return because("leads to no component of the file", "traits: ingress")
	}
	identity(n)
	mark(kept, n.at("spec.ingressClassName"), n.at("spec.tls"))
	return nil
}

// routeOf is one path of an Ingress, and the component that it leads to.
func (o *objects) routeOf(t *translation, n, host, p *node) (doc, *component, error) {
	name := cmp.Or(p.at("backend.service.name").string(), p.at("backend.serviceName").string()) // as v1 and v1beta1 have it
	for _, s := range o.services {
		if s.at("metadata.name").string() != name {
			continue
		}
		c := o.made[selected(s, o.workloads)]
		if c == nil || !t.there(c) {
			break
		}
		sc := t.scope(c)
		number := p.at("backend.service.port.number")
		if number.null() {
			number = p.at("backend.servicePort")
		}
		port, err := to.port(sc, number)
		if number.null() {
			port, err = manifest.portNamed(s, p.at("backend.service.port.name").string())
		}
		if err != nil {
			return nil, nil, err
		}
		entry, err := t.entrance(host.string(), port, p.at("path").string(), p.at("pathType").string())
		if err != nil {
			return nil, nil, err
		}
		if class := n.at("spec.ingressClassName").string(); dnsName(class) == class && class != "" {
			entry["className"] = class
		}
		for _, tls := range n.at("spec.tls").items() {
			for _, h := range tls.at("hosts").items() {
				if secret := tls.at("secretName").string(); h.text == host.string() && objectPattern.MatchString(secret) {
					entry["tls"] = secret
				}
			}
		}
		return entry, c, nil
	}
	return nil, nil, because("leads to no component of the file", "traits: ingress")
}

func (manifests) portNamed(s *node, name string) (any, error) {
	for _, p := range s.at("spec.ports").items() {
		if i, ok := p.at("port").number(); ok && p.at("name").string() == name && name != "" {
			return i, nil
		}
	}
	return nil, because("is no port of the Service", "")
}

// entrance is an entry of the ingress trait. One for every host is for the host that the person who imports says.
func (t *translation) entrance(host string, port any, path, pathType string) (doc, error) {
	if (host == "" || host == "*") && t.host != "" {
		t.note("an entrance for every host is for %s, which was said with the import", t.host)
		host = t.host
	}
	if len(host) > 253 || !hostPattern.MatchString(host) {
		return nil, because("has no host, and a component serves hosts that its allotment names", "traits: ingress: host, or an import with --host")
	}
	entry := doc{"host": host, "port": port}
	if path != "" && path != "/" {
		if !pathPattern.MatchString(path) || len(path) > 4096 {
			return nil, because("has a path with characters that a path does not have", "traits: ingress: path")
		}
		entry["path"] = path
	}
	switch pathType {
	case "", "Prefix":
	case "Exact", "ImplementationSpecific":
		entry["pathType"] = pathType
	default:
		return nil, because("has a type of path that is neither Prefix, nor Exact, nor ImplementationSpecific", "")
	}
	return entry, nil
}
