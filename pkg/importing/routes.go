package importing

import "regexp"

// routes reads HTTPRoutes of the Gateway API.
type routes struct{}

var route routes

// behind returns the component behind a backend, and its port.
func (o *objects) behind(t *translation, backend *node) (*component, int64) {
	port, ok := backend.at("port").number()
	for _, s := range o.services {
		if c := o.made[selected(s, o.workloads)]; ok && c != nil && t.there(c) && s.at("metadata.name").string() == backend.at("name").string() && backend.at("namespace").null() {
			mark(kept, backend.at("name"), backend.at("port"))
			return c, port
		}
	}
	return nil, 0
}

// read makes routes of the gateway trait of the rules of an HTTPRoute: each is one of the component that it leads to first.
func (r routes) read(t *translation, d *node, o *objects) error {
	parents := d.at("spec.parentRefs").items()
	if len(parents) != 1 || !objectPattern.MatchString(parents[0].at("name").string()) || !objectPattern.MatchString(parents[0].at("namespace").string()) {
		return because("is not for one Gateway that is named with its namespace", "traits: gateway")
	}
	var hosts []any
	for _, h := range d.at("spec.hostnames").items() {
		if hostPattern.MatchString(h.string()) && len(h.string()) <= 253 {
			hosts = append(hosts, h.string())
			mark(kept, h)
		}
	}
	if hosts == nil {
		return because("has no host, and a component serves hosts that its allotment names", "traits: gateway: hosts")
	}
	some := false
	for _, rule := range d.at("spec.rules").items() {
		c, entry, err := r.rule(t, rule, o)
		if err != nil {
			t.lose(rule, err)
			continue
		}
		through := c.doc.sub("traits").sub("gateway")
		through["name"], through["hosts"] = parents[0].at("namespace").string()+"/"+parents[0].at("name").string(), hosts
		if name := parents[0].at("sectionName").string(); objectPattern.MatchString(name) {
			through["listener"] = name
			mark(kept, parents[0].at("sectionName"))
		}
		c.doc.add("traits.gateway.routes", entry)
		some = true
	}
	if !some {
		return because("leads to no component of the file", "traits: gateway")
	}
	t.note("Gateway %s is to be one that policy allows (existing.gateways)", parents[0].at("name").string())
	identity(d)
	mark(kept, parents[0].at("name"), parents[0].at("namespace"), parents[0].at("kind"), parents[0].at("group"))
	return nil
}

// rule returns the component that a rule leads to, and the route that it becomes.
func (r routes) rule(t *translation, n *node, o *objects) (*component, doc, error) {
	backends, matches := n.at("backendRefs").items(), n.at("matches").items()
	if len(backends) == 0 || len(matches) > 1 {
		return nil, nil, because("leads nowhere, or is for several sorts of requests", "traits: gateway: one route for each")
	}
	c, port := o.behind(t, backends[0])
	if c == nil {
		return nil, nil, because("leads to no component of the file", "traits: gateway")
	}
	s := t.scope(c).into(doc{"port": port})
	s.take(backends[0], []row{{"weight", "weight", whole(0, 1_000_000)}})
	s.each(backends[1:], func(s *scope, b *node) (any, error) {
		other, port := o.behind(t, b)
		weight, ok := b.at("weight").number()
		if other == nil || other == c {
			return nil, because("leads to no other component of the file", "traits: gateway: beside")
		}
		if !ok {
			weight = 1
		}
		s.d.add("beside", doc{"component": other.name, "port": port, "weight": weight})
		mark(kept, b.at("weight"))
		return nil, nil
	})
	if len(matches) == 1 {
		s.take(matches[0], []row{
			{"path.value", "path", matching(pathPattern, "has a path with characters that a path does not have")},
			{"path.type", "pathType", route.pathType},
			{"method", "method", matching(regexp.MustCompile("^(GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH)$"), "is no method")},
			{"headers", "matches", route.headers},
		})
	}
	for _, f := range n.at("filters").items() {
		s.take(f, []row{
			{"requestHeaderModifier", "request", route.change},
			{"responseHeaderModifier", "response", route.change},
			{"urlRewrite.hostname", "rewrite.host", matching(objectPattern, "is no host")},
			{"urlRewrite.path.replacePrefixMatch", "rewrite.path", matching(pathPattern, "is no path")},
			{"urlRewrite.path.replaceFullPath", "rewrite.path", matching(pathPattern, "is no path")},
			{"urlRewrite.path.type", "", always("is no way to rewrite a path", "ReplacePrefixMatch", "ReplaceFullPath")},
			{"type", "", always("no route does this with requests", "RequestHeaderModifier", "ResponseHeaderModifier", "URLRewrite")},
		})
	}
	return c, s.d, nil
}

func (routes) pathType(_ *scope, n *node) (any, error) {
	switch n.string() {
	case "PathPrefix":
		return nil, nil
	case "Exact":
		return "Exact", nil
	}
	return nil, because("matches a path by a pattern", "traits: gateway: path")
}

// headers takes values by the names of headers. A header that is matched by a pattern is lost.
func (routes) headers(s *scope, n *node) (any, error) {
	values := doc{}
	s.each(n.items(), func(_ *scope, e *node) (any, error) {
		name, value := e.at("name").string(), e.at("value").string()
		if kind := e.at("type").string(); !headerName.MatchString(name) || !headerValue.MatchString(value) || kind != "" && kind != "Exact" {
			return nil, because("has no name and value of a header", "traits: gateway")
		}
		values[name] = value
		mark(kept, e.at("name"), e.at("value"), e.at("type"))
		return nil, nil
	})
	return some(values), nil
}

var headerValue = regexp.MustCompile("^[!-~]([ -~]{0,998}[!-~])?$")

// change takes what becomes of headers.
func (routes) change(s *scope, n *node) (any, error) {
	p := s.part()
	p.take(n, []row{{"set", "set", route.headers}, {"add", "add", route.headers}, {"remove", "remove", to.texts}})
	return some(p.d), nil
}

// istioPath returns the path of a match, and how an Ingress matches it.
func istioPath(m *node) (path *node, kind string) {
	if path = m.at("exact"); path != nil {
		return path, "Exact"
	}
	return m.at("prefix"), ""
}

// istioEntries returns the entries of an Ingress for one host, one for each match.
func istioEntries(s *scope, host *node, port any, matches []*node) (entries []any, err error) {
	for _, m := range matches {
		path, kind := istioPath(m)
		entry, err := s.entrance(host.string(), port, path.string(), kind)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// istio takes the routes of a Gateway of Istio as those of an Ingress, for each host.
func (routes) istio(s *scope, n *node) (any, error) {
	port, err := to.port(s, n.at("port"))
	if err != nil {
		return nil, err
	}
	matches, hosts := n.at("match").items(), n.at("hosts").items()
	if len(matches) == 0 || len(hosts) == 0 {
		return nil, because("has no hosts or no paths", "traits: ingress")
	}
	for _, m := range matches {
		if path, _ := istioPath(m); path.string() == "" {
			return nil, because("has a match that is no path", "traits: ingress")
		}
	}
	served := false
	for _, h := range hosts {
		entries, err := istioEntries(s, h, port, matches)
		if err != nil {
			s.lose(h, err)
			continue
		}
		served = true
		for i, m := range matches {
			s.d.add("traits.ingress", entries[i])
			path, _ := istioPath(m)
			mark(kept, path)
		}
		if h.string() == "*" {
			s.lose(h, because("is every host, and a component serves hosts that its allotment names", "traits: ingress: host"))
		}
		mark(kept, h)
	}
	if !served {
		s.lose(n.at("match"), because("are paths of hosts that are not kept", "traits: ingress, or an import with --host"))
	}
	delete(s.addPort(doc{"port": port}), "expose")
	mark(kept, n.at("port"))
	s.lose(n.at("gateway"), because("an Ingress leads to the component, not a Gateway of Istio", "traits: gateway, for one of the Gateway API"))
	return nil, nil
}
