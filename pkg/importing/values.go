package importing

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A row says where a field of a file stands in the schema and how its value becomes one of it. A new
// trait is a row. Without a place the field says what every component has, or the value sets it itself.
type row struct {
	from, to string
	as       func(*scope, *node) (any, error)
}

// A scope is the component that a field belongs to, and where its values go.
type scope struct {
	*translation
	c       *component
	d       doc
	volumes map[string]*volume // of the pod, by name
}

// part is the scope of a part of the component, with a doc of its own.
func (s *scope) part() *scope { return &scope{s.translation, s.c, doc{}, s.volumes} }

func (t *translation) scope(c *component) *scope {
	return &scope{t, c, c.doc, map[string]*volume{}}
}

// take carries out rows: it keeps the fields that they name, and loses those that cannot be said. A row
// that takes a field apart says itself what became of each part.
func (s *scope) take(from *node, rows []row) {
	for _, r := range rows {
		n := from.at(r.from)
		if n.null() {
			mark(kept, n)
			continue
		}
		if n.kind == scalar && n.fate == lost {
			continue
		}
		v, err := r.as(s, n)
		switch {
		case err != nil:
			s.lose(n, err)
			continue
		case v != nil && r.to != "":
			s.d.merge(r.to, v)
		}
		if n.open() {
			mark(kept, n)
		}
	}
}

// conversion has what makes a value of the schema of one of a file, for rows.
type conversion struct{}

var to conversion

// text takes a scalar as a text.
func (conversion) text(_ *scope, n *node) (any, error) {
	if n.kind != scalar {
		return nil, because("is no text", "")
	}
	return n.text, nil
}

// name takes a name of DNS.
func (conversion) name(_ *scope, n *node) (any, error) {
	if n.string() == "" || dnsName(n.string()) != n.string() {
		return nil, because("is no name of small letters, digits and dashes", "")
	}
	return n.text, nil
}

// texts takes a list of scalars as texts, and a text as a list of itself.
func (conversion) texts(_ *scope, n *node) (any, error) {
	if n.kind == scalar {
		return []any{n.text}, nil
	}
	list := []any{}
	for _, e := range n.list {
		if e.kind != scalar || e.fate == lost {
			return nil, because("is no list of texts that are known", "")
		}
		list = append(list, e.text)
	}
	return list, nil
}

// matching takes a text of some form.
func matching(pattern *regexp.Regexp, reason string) func(*scope, *node) (any, error) {
	return func(_ *scope, n *node) (any, error) {
		if n.kind != scalar || !pattern.MatchString(n.text) {
			return nil, because(reason, "")
		}
		return n.text, nil
	}
}

var (
	asCPU    = matching(cpuPattern, "is no amount of CPU such as 500m or 2")
	asMemory = matching(memoryPattern, "is no amount of memory such as 256Mi or 2Gi")
)

// whole takes a whole number within bounds.
func whole(least, most int64) func(*scope, *node) (any, error) {
	return func(_ *scope, n *node) (any, error) {
		i, ok := n.number()
		if !ok || i < least || i > most {
			return nil, because(fmt.Sprintf("is no whole number from %d to %d", least, most), "")
		}
		return i, nil
	}
}

// some returns a list or a doc, nil for an empty one.
func some[T []any | doc](v T) any {
	if len(v) == 0 {
		return nil
	}
	return v
}

// seconds takes a number of seconds as a duration. Zero says what holds without it.
func (conversion) seconds(_ *scope, n *node) (any, error) {
	i, ok := n.number()
	if !ok || i < 0 || i > 999_999 {
		return nil, because("is no number of seconds", "")
	}
	if i == 0 {
		return nil, nil
	}
	return strconv.FormatInt(i, 10) + "s", nil
}

// always keeps a field if it says what holds for every component.
func always(reason string, values ...string) func(*scope, *node) (any, error) {
	return func(_ *scope, n *node) (any, error) {
		ok := true
		n.leaves(func(s *node) { ok = ok && slices.Contains(values, s.text) })
		if !ok {
			return nil, because(reason, "")
		}
		return nil, nil
	}
}

// boolean takes true, and false as what holds without it.
func (conversion) boolean(_ *scope, n *node) (any, error) {
	switch n.string() {
	case "true":
		return true, nil
	case "false":
		return nil, nil
	}
	return nil, because("is neither true nor false", "")
}

// image takes an image, with its registry.
func (conversion) image(_ *scope, n *node) (any, error) {
	full, ok := fullImage(n.string())
	if !ok {
		return nil, because("is no name of an image", "properties: image")
	}
	return full, nil
}

// labels takes labels that the schema allows, one by one.
func (conversion) labels(s *scope, n *node) (any, error) { return to.named(s.translation, n, true) }

// annotations takes annotations that the schema allows, one by one.
func (conversion) annotations(s *scope, n *node) (any, error) {
	return to.named(s.translation, n, false)
}

func (conversion) named(t *translation, n *node, labels bool) (any, error) {
	out := doc{}
	for _, k := range n.fields() {
		v := k.node
		switch {
		case v.null(): // takes one away that stands elsewhere
			out[k.name] = nil
			mark(kept, v)
		case !labelPattern.MatchString(k.name) || systemPattern.MatchString(k.name):
			t.lose(v, because("is no name that labels and annotations may have", ""))
		case v.kind != scalar || labels && !labelValue.MatchString(v.text) || len(v.text) > 65536:
			t.lose(v, because("is no value that it may have", ""))
		default:
			out[k.name] = v.text
			mark(kept, v)
		}
	}
	return some(out), nil
}

// resources takes amounts of CPU, memory and devices.
func (conversion) resources(s *scope, n *node) (any, error) {
	out := doc{}
	for _, k := range n.fields() {
		var v any
		var err error
		switch {
		case k.name == "cpu":
			v, err = asCPU(s, k.node)
		case k.name == "memory":
			v, err = asMemory(s, k.node)
		case devicePattern.MatchString(k.name):
			if v, err = whole(0, 1_000_000)(s, k.node); err == nil {
				out.sub("devices")[k.name] = v
				mark(kept, k.node)
				continue
			}
		case k.name == "ephemeral-storage":
			err = because("room on a node's disk is not arbitrated", "traits: storage with type ephemeral and a size")
		default:
			err = because("is no resource that can be asked for", "")
		}
		if err != nil {
			s.lose(k.node, err)
			continue
		}
		out[k.name] = v
		mark(kept, k.node)
	}
	return some(out), nil
}

// probe takes a probe of Kubernetes.
func (conversion) probe(s *scope, n *node) (any, error) {
	if !n.at("httpGet.host").null() || !n.at("tcpSocket.host").null() {
		return nil, because("asks another host than the pod", "traits: probes")
	}
	p := s.part()
	p.take(n, []row{
		{"httpGet.path", "http.path", matching(regexp.MustCompile("^/"), "is no path")},
		{"httpGet.port", "http.port", to.port},
		{"httpGet.scheme", "http.scheme", matching(regexp.MustCompile("^HTTPS?$"), "is neither HTTP nor HTTPS")},
		{"httpGet.httpHeaders", "http.headers", to.headers},
		{"tcpSocket.port", "tcp.port", to.port},
		{"grpc.port", "grpc.port", whole(1, 65535)},
		{"grpc.service", "grpc.service", to.text},
		{"exec.command", "exec.command", to.texts},
		{"initialDelaySeconds", "initialDelay", to.seconds},
		{"periodSeconds", "period", to.seconds},
		{"timeoutSeconds", "timeout", to.seconds},
		{"failureThreshold", "failureThreshold", whole(1, 1_000_000)},
		{"successThreshold", "successThreshold", whole(1, 1_000_000)},
	})
	http, isHTTP := p.d["http"].(doc)
	if isHTTP && http["path"] == nil {
		http["path"] = "/"
	}
	_, isTCP := p.d["tcp"]
	grpc, isGRPC := p.d["grpc"].(doc)
	commands, isExec := p.d.get("exec.command").([]any)
	switch {
	case isHTTP && http["port"] == nil, isGRPC && grpc["port"] == nil, isExec && len(commands) == 0, count(isHTTP, isTCP, isGRPC, isExec) != 1:
		return nil, because("asks neither by http, nor by tcp, nor by grpc, nor by exec", "traits: probes")
	}
	return p.d, nil
}

// headers takes the headers of a request.
func (conversion) headers(s *scope, n *node) (any, error) {
	var list []any
	for _, e := range n.items() {
		if !headerName.MatchString(e.at("name").string()) {
			s.lose(e, because("has no name of a header", ""))
			continue
		}
		list = append(list, doc{"name": e.at("name").string(), "value": e.at("value").string()})
		mark(kept, e.at("name"), e.at("value"))
	}
	return some(list), nil
}

var headerName = regexp.MustCompile("^[-A-Za-z0-9]+$")

func count(all ...bool) (n int) {
	for _, b := range all {
		if b {
			n++
		}
	}
	return n
}

// port takes a port, or the name of one of the component.
func (conversion) port(s *scope, n *node) (any, error) {
	if i, ok := n.number(); ok {
		if i < 1 || i > 65535 {
			return nil, because("is no port", "")
		}
		return i, nil
	}
	ports, _ := s.c.doc.get("properties.ports").([]any)
	for _, p := range ports {
		if p := p.(doc); p["name"] == n.string() && n.string() != "" {
			if target, ok := p["targetPort"]; ok {
				return target, nil
			}
			return p["port"], nil
		}
	}
	return nil, because("is no port that the component has", "")
}

// hook takes a hook of the lifecycle of a container.
func (conversion) hook(s *scope, n *node) (any, error) {
	if !n.at("httpGet.host").null() {
		return nil, because("asks another host than the pod", "traits: lifecycle")
	}
	h := s.part()
	h.take(n, []row{
		{"exec.command", "exec.command", to.texts},
		{"httpGet.path", "http.path", matching(regexp.MustCompile("^/"), "is no path")},
		{"httpGet.port", "http.port", to.port},
		{"sleep.seconds", "sleep", to.seconds},
	})
	commands, isExec := h.d.get("exec.command").([]any)
	http, isHTTP := h.d["http"].(doc)
	if isHTTP && (http["path"] == nil || http["port"] == nil) || isExec && len(commands) == 0 || len(h.d) != 1 {
		return nil, because("is neither a command, nor a request, nor a pause", "traits: lifecycle")
	}
	return h.d, nil
}

// capabilities are those that the schema lets containers add.
var capabilities = strings.Fields("AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT")

func (conversion) capabilities(s *scope, n *node) (any, error) {
	list := []any{}
	for _, e := range n.items() {
		if name := strings.TrimPrefix(e.string(), "CAP_"); slices.Contains(capabilities, name) {
			list = append(list, name)
			mark(kept, e)
			continue
		}
		s.lose(e, because("policy does not let containers add this capability", ""))
	}
	return some(list), nil
}
