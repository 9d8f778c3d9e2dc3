package importing

import (
	"regexp"
	"slices"
	"strings"
)

// rights reads what pods may do on the API server.
type rights struct{}

var rbac rights

// How verbs, resources and groups of rights are written.
var (
	verbPattern     = regexp.MustCompile("^[a-z]+$")
	resourcePattern = regexp.MustCompile("^[a-z]+(/[a-z]+)?$")
)

// outside is why a right is not kept that is not one by names, or one of the whole cluster to do more than read.
var outside = because("is about all verbs, resources or addresses, or changes what the whole cluster has", "traits: rights, with verbs and resources by name")

// privileges takes the rights of the service-account trait of KubeVela in a namespace.
func (r rights) privileges(s *scope, n *node) (any, error) {
	var all []any
	for _, e := range n.items() {
		if rules := r.rule(s, e, e.at("scope").string() == "cluster"); rules != nil {
			mark(kept, e.at("scope"))
			all = append(all, rules...)
		}
	}
	return some(all), nil
}

// trait takes the rights of the rbac trait of KubeMin in a namespace. The account and what binds it have names of their own.
func (r rights) trait(s *scope, n *node) (any, error) {
	var all []any
	s.each(n.items(), func(s *scope, e *node) (any, error) {
		if !e.at("namespace").null() {
			return nil, outside
		}
		rules := r.rules(s, e.at("rules"), e.at("clusterScope").bool())
		if rules == nil {
			return nil, because("gives no rights by name", "traits: rights")
		}
		all = append(all, rules...)
		mark(kept, e.at("serviceAccount"), e.at("roleName"), e.at("bindingName"), e.at("clusterScope"), e.at("automountServiceAccountToken"))
		return nil, nil
	})
	return some(all), nil
}

// rules takes the rules of a Role, or of a ClusterRole that holds in the whole cluster.
func (r rights) rules(s *scope, n *node, cluster bool) (all []any) {
	for _, e := range n.items() {
		all = append(all, r.rule(s, e, cluster)...)
	}
	return all
}

// rule takes one rule, an entry for each group of the API.
func (rights) rule(s *scope, n *node, cluster bool) (all []any) {
	verbs, resources, names := words(n.at("verbs"), verbPattern), words(n.at("resources"), resourcePattern), words(n.at("resourceNames"), objectPattern)
	groups := n.at("apiGroups").items()
	bad := verbs == nil || resources == nil || len(groups) == 0 || names == nil && len(n.at("resourceNames").items()) > 0 || n.at("nonResourceURLs") != nil
	bad = bad || slices.ContainsFunc(groups, func(g *node) bool { return g.string() != "" && !objectPattern.MatchString(g.string()) })
	if bad || cluster && !reads(verbs, resources, groups) {
		s.lose(n, outside)
		return nil
	}
	var allowed []string
	mark(kept, n.at("verbs"), n.at("resources"), n.at("resourceNames"), n.at("apiGroups"))
	for _, g := range groups {
		all = append(all, doc{"verbs": verbs, "resources": resources, "group": given(g.string()), "names": some(names), "cluster": given(cluster)})
		allowed = append(allowed, allowing(verbs, resources, g.string())...)
	}
	s.note("%s: what its pods may do on the API server needs policy: %s: %s", s.c.name, map[bool]string{true: "clusterRights", false: "rights"}[cluster], quoted(allowed))
	return all
}

// allowing are the entries of a policy that allow verbs of resources of a group of the API.
func allowing(verbs, resources []any, group string) (list []string) {
	all := slices.Clone(verbs)
	if slices.Contains(all, any("get")) && slices.Contains(all, any("list")) && slices.Contains(all, any("watch")) {
		all = append([]any{"read"}, slices.DeleteFunc(all, func(v any) bool { return v == "get" || v == "list" || v == "watch" })...)
	}
	for _, r := range resources {
		name, part, parted := strings.Cut(r.(string), "/")
		if group != "" {
			name += "." + group
		}
		if parted {
			name += "/" + part
		}
		for _, v := range all {
			list = append(list, v.(string)+" "+name)
		}
	}
	return list
}

// quoted writes texts as a list of CUE. They have nothing that needs an escape.
func quoted(list []string) string { return `["` + strings.Join(list, `", "`) + `"]` }

// reads reports whether a right is to read what everybody may know of a cluster: no Secrets, roles and parts of objects.
func reads(verbs, resources []any, groups []*node) bool {
	for _, v := range verbs {
		if v != "get" && v != "list" && v != "watch" {
			return false
		}
	}
	for _, r := range resources {
		if r == "secrets" || strings.Contains(r.(string), "/") {
			return false
		}
	}
	return !slices.ContainsFunc(groups, func(g *node) bool { return strings.HasPrefix(g.string(), "rbac.") })
}

// words returns the texts of a list, nil if one of them is written otherwise.
func words(n *node, as *regexp.Regexp) (list []any) {
	for _, e := range n.items() {
		if !as.MatchString(e.string()) {
			return nil
		}
		if !slices.Contains(list, any(e.string())) {
			list = append(list, e.string())
		}
	}
	return list
}
