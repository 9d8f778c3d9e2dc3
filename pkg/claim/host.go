package claim

import "strings"

// covers reports whether an entry, or a host with a wildcard, takes in a host: all hosts
// below example.com for "*.example.com", and everything for Every.
func covers(entry, host string) bool {
	if entry == host || entry == Every {
		return true
	}
	below, wild := strings.CutPrefix(entry, "*")
	return wild && strings.HasSuffix(host, below)
}

// above returns the hosts that take in a host, the longest first: the host itself, the
// wildcards above it, and Every.
func above(host string) []string {
	all := []string{host}
	for _, rest, more := strings.Cut(strings.TrimPrefix(host, "*."), "."); more; _, rest, more = strings.Cut(rest, ".") {
		all = append(all, "*."+rest)
	}
	if host != Every {
		all = append(all, Every)
	}
	return all
}
