package model

import (
	"slices"
	"strings"
)

// Pinned names files outside the fleet repo by what they are: a commit of a Git repository, or
// an artefact in a registry. What it names never changes.
type Pinned struct {
	Repository string `json:"repository"` // https://host/path of Git, or Registry and host/path
	Version    string `json:"version"`    // a commit of 40 digits, or a digest: sha256:…
}

// Registry is what the name of a repository in a registry of artefacts begins with.
const Registry = "oci://"

// Host returns the host that has the files, without its port.
func (p Pinned) Host() string {
	_, rest, _ := strings.Cut(p.Repository, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, ":")
	return strings.ToLower(host)
}

// String names the files for people: git.example.com/acme/bases@8f3c….
func (p Pinned) String() string {
	_, rest, _ := strings.Cut(p.Repository, "://")
	return rest + "@" + p.Version
}

// CoversHost reports whether a list has a host, or *.example.com for a host below example.com.
func CoversHost(hosts []string, host string) bool {
	return slices.ContainsFunc(hosts, func(h string) bool {
		below, wide := strings.CutPrefix(h, "*")
		return host == h || wide && strings.HasPrefix(below, ".") && len(host) > len(below) && strings.HasSuffix(host, below)
	})
}
