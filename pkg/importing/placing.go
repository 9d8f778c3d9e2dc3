package importing

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// labelKey is how keys of taints are written.
var labelKey = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`)

// tolerations keeps those of one taint: there is no toleration of everything.
func (pods) tolerations(s *scope, n *node) (any, error) {
	return each(s, n, func(t *scope, e *node) error {
		t.take(e, []row{
			{"key", "key", matching(labelKey, "is no key of a taint")},
			{"value", "value", to.text},
			{"effect", "effect", matching(regexp.MustCompile("^(NoSchedule|PreferNoSchedule|NoExecute)$"), "is no effect of a taint")},
			{"tolerationSeconds", "stay", to.seconds},
			{"operator", "", always("a toleration with a value is of that value", "Equal", "Exists")},
		})
		if t.d["key"] == nil {
			return because("tolerates every taint", "traits: tolerations, one for each key")
		}
		if t.d["value"] == nil && e.at("operator").string() != "Exists" {
			t.d["value"] = "" // as Kubernetes without a word
		}
		return nil
	}), nil
}

// hostAliases keeps the names that pods know by an address.
func (pods) hostAliases(s *scope, n *node) (any, error) {
	return each(s, n, func(a *scope, e *node) error {
		a.take(e, []row{
			{"ip", "ip", matching(regexp.MustCompile("^[0-9a-fA-F:.]+$"), "is no address")},
			{"hostnames", "names", to.texts},
		})
		names := e.at("hostnames").items()
		if a.d["ip"] == nil || len(names) == 0 || slices.ContainsFunc(names, func(n *node) bool { return !IsHost(n.string()) }) {
			return because("has no address or no names", "traits: hostAliases")
		}
		return nil
	}), nil
}

// hosts keeps names with the address of each, written NAME:ADDRESS or NAME=ADDRESS.
func (composeFile) hosts(s *scope, n *node) (any, error) {
	return each(s, n, func(h *scope, e *node) error {
		name, address, _ := strings.Cut(e.string(), "=")
		if address == "" {
			name, address, _ = strings.Cut(e.string(), ":")
		}
		ip, err := netip.ParseAddr(strings.Trim(address, "[]"))
		if err != nil || ip.Zone() != "" || !IsHost(name) {
			return because("is no name with an address, such as legacy:10.0.0.5", "traits: hostAliases")
		}
		mark(kept, e)
		h.d["ip"], h.d["names"] = ip.String(), []any{name}
		return nil
	}), nil
}

// IsHost reports whether a component may serve a name: one host, and not all below a domain.
func IsHost(name string) bool {
	return len(name) <= 253 && name[:min(1, len(name))] != "*" && hostPattern.MatchString(name)
}

// each takes the entries of a list as fields of their own, and loses those that cannot be said. It returns nil for none.
func each(s *scope, n *node, take func(*scope, *node) error) any {
	var list []any
	for _, e := range n.items() {
		p := s.part()
		if err := take(p, e); err != nil {
			s.lose(e, err)
			continue
		}
		list = append(list, p.d)
	}
	return some(list)
}
