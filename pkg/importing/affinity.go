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
			s.each(n.at(to.from+"."+required).items(), func(s *scope, e *node) (any, error) { return nil, affine.pods(s, e, nil, to.field) })
			s.each(n.at(to.from+"."+preferred).items(), func(s *scope, e *node) (any, error) {
				return nil, affine.pods(s, e.at("podAffinityTerm"), e.at("weight"), to.field)
			})
		}
		return nil, nil
	}
}

// nodes takes labels that nodes need to have, or had better have.
func (affinities) nodes(s *scope, n *node, required, preferred string) {
	if terms := n.at(required + ".nodeSelectorTerms").items(); len(terms) == 1 {
		s.each(terms[0].at("matchExpressions").items(), func(s *scope, e *node) (any, error) { return nil, affine.node(s, e, nil) })
	}
	s.each(n.at(preferred).items(), func(s *scope, e *node) (any, error) {
		all := e.at("preference.matchExpressions").items()
		if len(all) != 1 || e.at("preference.matchFields") != nil {
			return nil, because("wants several things of a node at once", "traits: affinity: nodes, one for each")
		}
		return nil, affine.node(s, all[0], e.at("weight"))
	})
}

// node takes one label of a node.
func (affinities) node(s *scope, e, weight *node) error {
	label, operator, values := e.at("key"), e.at("operator"), e.at("values")
	entry := doc{"label": label.string()}
	var texts []any
	for _, v := range values.items() {
		if !labelValue.MatchString(v.string()) {
			return because("names no value of a label", "")
		}
		texts = append(texts, v.string())
	}
	switch kind := operator.string(); {
	case !labelPattern.MatchString(label.string()):
		return because("names no label of a node", "")
	case (kind == "In" || kind == "") && texts != nil:
		entry["values"] = texts
	case kind == "NotIn" && texts != nil:
		entry["except"] = texts
	case kind == "Exists" && texts == nil:
	default:
		return because("compares a label in a way that no placement has", "traits: affinity: nodes")
	}
	if err := affine.weigh(entry, weight); err != nil {
		return err
	}
	s.c.doc.add("traits.affinity.nodes", entry)
	mark(kept, label, operator, values)
	return nil
}

// pods takes pods to be near to or apart from, if they are those of components of the file.
func (affinities) pods(s *scope, term, weight *node, field string) error {
	over := domains[term.at("topologyKey").string()]
	list := s.labelled(term.at("labelSelector"))
	switch {
	case over == "":
		return because("is about domains that no placement has", "traits: affinity, over node, rack or zone")
	case len(list) == 0 || len(list) > 1 && field == "near" || term.at("namespaces") != nil || term.at("namespaceSelector") != nil:
		return because("is about pods that are not those of one component of the file", "traits: affinity, with the name of a component")
	}
	for _, c := range list {
		entry := doc{"component": c.name}
		if over != "node" {
			entry["over"] = over
		}
		if err := affine.weigh(entry, weight); err != nil {
			return err
		}
		s.c.doc.add("traits.affinity."+field, entry)
	}
	mark(kept, term.at("topologyKey"), term.at("labelSelector"))
	return nil
}

// weigh takes how much something is preferred.
func (affinities) weigh(entry doc, weight *node) error {
	if weight == nil {
		return nil
	}
	i, ok := weight.number()
	if !ok || i < 1 || i > 100 {
		return because("has a weight that is no whole number from 1 to 100", "")
	}
	entry["weight"] = i
	mark(kept, weight)
	return nil
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
