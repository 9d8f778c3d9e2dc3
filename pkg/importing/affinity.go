package importing

import "slices"

// affinities reads which nodes pods want, and which pods they want to be near to or apart from.
type affinities struct{}

var affine affinities

// domains are what pods share or do not share, by the labels of nodes that Kubernetes has for it.
var domains = map[string]string{"kubernetes.io/hostname": "node", "topology.kubernetes.io/zone": "zone", "failure-domain.beta.kubernetes.io/zone": "zone"}

// kubernetes and KubeVela say the same with other names.
var (
	podAffinity  = affinities{}.row("requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution")
	velaAffinity = affinities{}.row("required", "preferred")
)

// row takes what says where pods want to be, with the names of what they need and of what they prefer.
func (affinities) row(required, preferred string) taking {
	return func(s *scope, n *node) (any, error) {
		affine.nodes(s, n.at("nodeAffinity"), required, preferred)
		for _, to := range []struct{ from, field string }{{"podAffinity", "near"}, {"podAntiAffinity", "apart"}} {
			for _, e := range n.at(to.from + "." + required).items() {
				affine.pods(s, e, e, nil, to.field)
			}
			for _, e := range n.at(to.from + "." + preferred).items() {
				affine.pods(s, e, e.at("podAffinityTerm"), e.at("weight"), to.field)
			}
		}
		return nil, nil
	}
}

// nodes takes labels that nodes need to have, or had better have.
func (affinities) nodes(s *scope, n *node, required, preferred string) {
	terms := n.at(required + ".nodeSelectorTerms").items()
	if len(terms) == 1 {
		for _, e := range terms[0].at("matchExpressions").items() {
			affine.node(s, e, e, nil)
		}
	}
	for _, e := range n.at(preferred).items() {
		if all := e.at("preference.matchExpressions").items(); len(all) == 1 && e.at("preference.matchFields") == nil {
			affine.node(s, e, all[0], e.at("weight"))
			continue
		}
		s.lose(e, because("wants several things of a node at once", "traits: affinity: nodes, one for each"))
	}
}

// node takes one label of a node.
func (affinities) node(s *scope, whole, e, weight *node) {
	label, operator, values := e.at("key"), e.at("operator"), e.at("values")
	entry := doc{"label": label.string()}
	var texts []any
	for _, v := range values.items() {
		if !labelValue.MatchString(v.string()) {
			s.lose(whole, because("names no value of a label", ""))
			return
		}
		texts = append(texts, v.string())
	}
	switch kind := operator.string(); {
	case !labelPattern.MatchString(label.string()):
		s.lose(whole, because("names no label of a node", ""))
		return
	case (kind == "In" || kind == "") && texts != nil:
		entry["values"] = texts
	case kind == "NotIn" && texts != nil:
		entry["except"] = texts
	case kind == "Exists" && texts == nil:
	default:
		s.lose(whole, because("compares a label in a way that no placement has", "traits: affinity: nodes"))
		return
	}
	if !affine.weigh(s, whole, entry, weight) {
		return
	}
	s.c.doc.add("traits.affinity.nodes", entry)
	mark(kept, label, operator, values)
}

// pods takes pods to be near to or apart from, if they are those of components of the file.
func (affinities) pods(s *scope, whole, term, weight *node, field string) {
	over := domains[term.at("topologyKey").string()]
	list := s.labelled(term.at("labelSelector"))
	switch {
	case over == "":
		s.lose(whole, because("is about domains that no placement has", "traits: affinity, over node, rack or zone"))
		return
	case len(list) == 0 || len(list) > 1 && field == "near" || term.at("namespaces") != nil || term.at("namespaceSelector") != nil:
		s.lose(whole, because("is about pods that are not those of one component of the file", "traits: affinity, with the name of a component"))
		return
	}
	for _, c := range list {
		entry := doc{"component": c.name}
		if over != "node" {
			entry["over"] = over
		}
		if !affine.weigh(s, whole, entry, weight) {
			return
		}
		s.c.doc.add("traits.affinity."+field, entry)
	}
	mark(kept, term.at("topologyKey"), term.at("labelSelector"))
}

// weigh takes how much something is preferred, and reports whether it could.
func (affinities) weigh(s *scope, whole *node, entry doc, weight *node) bool {
	if weight == nil {
		return true
	}
	i, ok := weight.number()
	if !ok || i < 1 || i > 100 {
		s.lose(whole, because("has a weight that is no whole number from 1 to 100", ""))
		return false
	}
	entry["weight"] = i
	mark(kept, weight)
	return true
}

// labelled returns the components whose pods have the labels that a selector asks for, none for a selector that asks for other things.
func (s *scope) labelled(selector *node) (list []*component) {
	wants := map[string][]string{}
	for _, k := range selector.at("matchLabels").fields() {
		wants[k.name] = []string{k.node.string()}
	}
	for _, e := range selector.at("matchExpressions").items() {
		if operator := e.at("operator").string(); operator != "In" && operator != "" {
			return nil
		}
		for _, v := range e.at("values").items() {
			wants[e.at("key").string()] = append(wants[e.at("key").string()], v.string())
		}
	}
	for _, c := range s.app.components {
		all := len(wants) > 0
		for label, values := range wants {
			has, known := s.podLabels[c][label]
			all = all && known && slices.Contains(values, has)
		}
		if all {
			list = append(list, c)
		}
	}
	return list
}

// label notes labels that the pods of a component have in the file.
func (affinities) label(t *translation, c *component, labels *node) {
	all := map[string]string{}
	for _, k := range labels.fields() {
		all[k.name] = k.node.string()
	}
	t.podLabels[c] = all
}
