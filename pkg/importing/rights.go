package importing

import (
	"regexp"
	"slices"
)

// rights reads what pods may do on the API server.
type rights struct{}

var rbac rights

// How verbs, resources and groups of rights are written.
var (
	verbPattern     = regexp.MustCompile("^[a-z]+$")
	resourcePattern = regexp.MustCompile("^[a-z]+(/[a-z]+)?$")
)

// outside is why a right is not kept that is not one in the namespace of the application, by names.
var outside = because("is about the whole cluster, or about all verbs, resources or addresses", "traits: rights, with verbs and resources by name")

// privileges takes the rights of the service-account trait of KubeVela in a namespace.
func (r rights) privileges(s *scope, n *node) (any, error) {
	var all []any
	for _, e := range n.items() {
		if e.at("scope").string() == "cluster" {
			s.lose(e, outside)
			continue
		}
		mark(kept, e.at("scope"))
		all = append(all, r.rule(s, e)...)
	}
	return some(all), nil
}

// trait takes the rights of the rbac trait of KubeMin in a namespace. The account and what binds it have names of their own.
func (r rights) trait(s *scope, n *node) (any, error) {
	var all []any
	for _, e := range n.items() {
		if e.at("clusterScope").bool() || !e.at("namespace").null() {
			s.lose(e, outside)
			continue
		}
		rules := r.rules(s, e.at("rules"))
		if rules == nil {
			s.lose(e, because("gives no rights by name", "traits: rights"))
			continue
		}
		all = append(all, rules...)
		mark(kept, e.at("serviceAccount"), e.at("roleName"), e.at("bindingName"), e.at("clusterScope"), e.at("automountServiceAccountToken"))
	}
	return some(all), nil
}

// rules takes the rules of a Role.
func (r rights) rules(s *scope, n *node) (all []any) {
	for _, e := range n.items() {
		all = append(all, r.rule(s, e)...)
	}
	return all
}

// rule takes one rule, an entry for each group of the API.
func (rights) rule(s *scope, n *node) (all []any) {
	verbs, resources, names := words(n.at("verbs"), verbPattern), words(n.at("resources"), resourcePattern), words(n.at("resourceNames"), objectPattern)
	groups := n.at("apiGroups").items()
	bad := verbs == nil || resources == nil || len(groups) == 0 || names == nil && len(n.at("resourceNames").items()) > 0 || n.at("nonResourceURLs") != nil
	for _, g := range groups {
		bad = bad || g.string() != "" && !objectPattern.MatchString(g.string())
	}
	if bad {
		s.lose(n, outside)
		return nil
	}
	for _, g := range groups {
		entry := doc{"verbs": verbs, "resources": resources}
		if g.string() != "" {
			entry["group"] = g.string()
		}
		if names != nil {
			entry["names"] = names
		}
		all = append(all, entry)
	}
	mark(kept, n.at("verbs"), n.at("resources"), n.at("resourceNames"), n.at("apiGroups"))
	s.note("%s: what its pods may do on the API server needs policy: rights", s.c.name)
	return all
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

// some returns a list, nil for an empty one.
func some(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list
}
