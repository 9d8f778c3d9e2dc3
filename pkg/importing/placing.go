package importing

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// labelKey is how keys of taints are written.
var labelKey = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`)

// toleration keeps that of one taint: there is no toleration of everything.
func (pods) toleration(s *scope, n *node) (any, error) {
	t := s.part()
	t.take(n, []row{
		{"key", "key", matching(labelKey, "is no key of a taint")},
		{"value", "value", to.text},
		{"effect", "effect", matching(regexp.MustCompile("^(NoSchedule|PreferNoSchedule|NoExecute)$"), "is no effect of a taint")},
		{"tolerationSeconds", "stay", to.seconds},
		{"operator", "", always("a toleration with a value is of that value", "Equal", "Exists")},
	})
	if t.d["key"] == nil {
		return nil, because("tolerates every taint", "traits: tolerations, one for each key")
	}
	if t.d["value"] == nil && n.at("operator").string() != "Exists" {
		t.d["value"] = "" // as Kubernetes without a word
	}
	return t.d, nil
}

// hostAlias keeps the names that pods know by an address.
func (pods) hostAlias(s *scope, n *node) (any, error) {
	a := s.part()
	a.take(n, []row{{"ip", "ip", matching(addressPattern, "is no address")}, {"hostnames", "names", to.texts}})
	names := n.at("hostnames").items()
	if a.d["ip"] == nil || len(names) == 0 || slices.ContainsFunc(names, func(n *node) bool { return !IsHost(n.string()) }) {
		return nil, because("has no address or no names", "traits: hostAliases")
	}
	return a.d, nil
}

// host keeps a name with its address, written NAME:ADDRESS or NAME=ADDRESS.
func (composeFile) host(_ *scope, n *node) (any, error) {
	name, address, _ := strings.Cut(n.string(), "=")
	if address == "" {
		name, address, _ = strings.Cut(n.string(), ":")
	}
	ip, err := netip.ParseAddr(strings.Trim(address, "[]"))
	if err != nil || ip.Zone() != "" || !IsHost(name) {
		return nil, because("is no name with an address, such as legacy:10.0.0.5", "traits: hostAliases")
	}
	mark(kept, n)
	return doc{"ip": ip.String(), "names": []any{name}}, nil
}

// IsHost reports whether a component may serve a name: one host, and not all below a domain.
func IsHost(name string) bool {
	return len(name) <= 253 && name[:min(1, len(name))] != "*" && hostPattern.MatchString(name)
}
