package importing

import "regexp"

var dnsPolicyPattern = regexp.MustCompile("^(ClusterFirst|Default|None)$")

// dnsPolicy takes whose name server pods ask.
func (pods) dnsPolicy(_ *scope, n *node) (any, error) {
	if n.string() == "ClusterFirst" { // as without a word
		return nil, nil
	}
	if !dnsPolicyPattern.MatchString(n.string()) {
		return nil, because("asks for names in a way that no pod has", "traits: pod: dnsPolicy")
	}
	return n.text, nil
}

// dnsConfig takes how pods look up names.
func (pods) dnsConfig(s *scope, n *node) (any, error) {
	d := s.part()
	d.take(n, []row{{"nameservers", "nameservers", pod.addresses}, {"searches", "searches", to.texts}, {"options", "options", each(func(s *scope, n *node) (any, error) {
		o := s.part()
		o.take(n, []row{{"name", "name", to.text}, {"value", "value", to.text}})
		if o.d["name"] == nil {
			return nil, because("has no name", "")
		}
		return o.d, nil
	})}})
	return some(d.d), nil
}

var addressPattern = regexp.MustCompile("^[0-9a-fA-F:.]+$")

func (pods) addresses(s *scope, n *node) (any, error) {
	for _, e := range n.items() {
		if !addressPattern.MatchString(e.string()) {
			return nil, because("has no addresses", "traits: pod: dnsConfig")
		}
	}
	return to.texts(s, n)
}

// places are fields of a container that the trait pod has.
var places = []row{
	{"workingDir", "workingDir", matching(mountPattern, "is no directory")},
	{"stdin", "stdin", to.boolean},
	{"stdinOnce", "stdinOnce", to.boolean},
	{"tty", "tty", to.boolean},
	{"terminationMessagePath", "terminationMessagePath", matching(mountPattern, "is no file")},
	{"terminationMessagePolicy", "terminationMessagePolicy", matching(regexp.MustCompile("^(File|FallbackToLogsOnError)$"), "is neither File nor FallbackToLogsOnError")},
}

// shape takes fields of a container that stand in the trait pod, in a list of containers, for the one of a name.
func (pods) shape(s *scope, n *node, rows []row, list, name string) {
	p := s.part()
	p.take(n, rows)
	if len(p.d) > 0 {
		p.d["name"] = name
		s.c.doc.add("traits.pod."+list, p.d)
	}
}
