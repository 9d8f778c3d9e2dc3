package importing

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A taking makes a value of the schema of one of a file.
type taking = func(*scope, *node) (any, error)

// A row says where a field of a file stands in the schema and how its value becomes one of it. A new
// trait is a row. Without a place the field says what every component has, or the value sets it itself.
type row struct {
	from, to string
	as       taking
}

// A scope is the component that a field belongs to, and where its values go.
type scope struct {
	*translation
	c       *component
	d       doc
	volumes map[string]*volume // of the pod, by name
}

// part is the scope of a part of the component, with a doc of its own.
func (s *scope) part() *scope { return s.into(doc{}) }

// into is the scope of a part of the component, whose values go into a doc.
func (s *scope) into(d doc) *scope { return &scope{s.translation, s.c, d, s.volumes} }

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

// each takes elements, and loses those that cannot be said. It returns what they come to, nil for nothing.
func (s *scope) each(elements []*node, as taking) any {
	var list []any
	for _, e := range elements {
		if v, err := as(s, e); err != nil {
			s.lose(e, err)
		} else if v != nil {
			list = append(list, v)
		}
	}
	return some(list)
}

// each takes the elements of a list so.
func each(as taking) taking {
	return func(s *scope, n *node) (any, error) { return s.each(n.items(), as), nil }
}

// fields takes the fields of a mapping so, by their names.
func (s *scope) fields(n *node, as func(name string, v *node) (any, error)) any {
	all := doc{}
	for _, k := range n.fields() {
		if v, err := as(k.name, k.node); err != nil {
			s.lose(k.node, err)
		} else if v != nil {
			all[k.name] = v
		}
	}
	return some(all)
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
	list := []any{}
	for _, e := range n.elements() {
		if e.kind != scalar || e.fate == lost {
			return nil, because("is no list of texts that are known", "")
		}
		list = append(list, e.text)
	}
	return list, nil
}

// matching takes a text of some form.
func matching(pattern *regexp.Regexp, reason string) taking {
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
func whole(least, most int64) taking {
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

// given returns a value, nil for the one that says what holds without a word.
func given[T comparable](v T) any {
	if v == *new(T) {
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
func always(reason string, values ...string) taking {
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
		into := out
		switch {
		case k.name == "cpu":
			v, err = asCPU(s, k.node)
		case k.name == "memory":
			v, err = asMemory(s, k.node)
		case devicePattern.MatchString(k.name):
			if v, err = whole(0, 1_000_000)(s, k.node); err == nil {
				into = out.sub("devices")
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
		into[k.name] = v
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
		{"httpGet.httpHeaders", "http.headers", each(to.header)},
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
	grpc, isGRPC := p.d["grpc"].(doc)
	commands, isExec := p.d.get("exec.command").([]any)
	ways := slices.DeleteFunc([]string{"http", "tcp", "grpc", "exec"}, func(way string) bool { return p.d[way] == nil })
	if isHTTP && http["port"] == nil || isGRPC && grpc["port"] == nil || isExec && len(commands) == 0 || len(ways) != 1 {
		return nil, because("asks neither by http, nor by tcp, nor by grpc, nor by exec", "traits: probes")
	}
	return p.d, nil
}

// header takes a header of a request.
func (conversion) header(_ *scope, n *node) (any, error) {
	name, value := n.at("name"), n.at("value")
	if !headerName.MatchString(name.string()) {
		return nil, because("has no name of a header", "")
	}
	mark(kept, name, value)
	return doc{"name": name.string(), "value": value.string()}, nil
}

var headerName = regexp.MustCompile("^[-A-Za-z0-9]+$")

// port takes a port, or the name of one of the component.
func (conversion) port(s *scope, n *node) (any, error) {
	if i, ok := n.number(); ok {
		if i < 1 || i > 65535 {
			return nil, because("is no port", "")
		}
		return i, nil
	}
	for _, p := range s.c.doc.list("properties.ports") {
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

func (conversion) capability(_ *scope, n *node) (any, error) {
	name := strings.TrimPrefix(n.string(), "CAP_")
	if !slices.Contains(capabilities, name) {
		return nil, because("policy does not let containers add this capability", "")
	}
	mark(kept, n)
	return name, nil
}
