package importing

import "strings"

// runtimeClass takes the runtime class that pods run in.
func (pods) runtimeClass(s *scope, n *node) (any, error) {
	class := n.string()
	if len(class) > 63 || !objectPattern.MatchString(class) {
		return nil, because("names no runtime class", "properties: runtimeClass")
	}
	s.note("%s: its runtime class needs policy: runtimeClasses: %s", s.c.name, quoted([]string{class}))
	return class, nil
}

// nodeAccounts are the accounts of a Windows node that a process may run as, as the schema has them.
var nodeAccounts = map[string]string{
	`nt authority\system`: "system", `nt authority\local service`: "local-service", `nt authority\localservice`: "local-service", `nt authority\network service`: "network-service", `nt authority\networkservice`: "network-service",
}

// hostProcess takes a process of a Windows node, which has the network of the node.
func (pods) hostProcess(s *scope, n *node) (any, error) {
	if !n.at("hostProcess").bool() {
		mark(kept, n.at("hostProcess"))
		return nil, nil
	}
	account := nodeAccounts[strings.ToLower(n.at("runAsUserName").string())]
	if account == "" {
		return nil, because("is a process of a Windows node as an account that no component has", "properties: hostProcess: system, local-service or network-service")
	}
	mark(kept, n.at("hostProcess"), n.at("runAsUserName"))
	s.c.doc["os"] = "windows"
	s.note("%s: is a process of its Windows node, which needs policy: hostProcess: true", s.c.name)
	return account, nil
}

// hostNetwork keeps the network of a node for what is a process of it.
func (pods) hostNetwork(s *scope, n *node) (any, error) {
	if n.bool() && s.c.doc.get("properties.hostProcess") == nil {
		return nil, because("pods have a network of their own", "ports and traits: ingress")
	}
	return nil, nil
}

// system takes the system of the nodes that pods run on.
func (pods) system(s *scope, n *node) (any, error) {
	switch n.string() {
	case "linux":
	case "windows":
		s.c.doc["os"] = "windows"
	default:
		return nil, because("is neither linux nor windows", "os")
	}
	return nil, nil
}

// nodeSelector keeps labels that nodes need to have. The system of a node says what the component is for.
func (pods) nodeSelector(s *scope, n *node) (any, error) {
	s.fields(n, func(name string, v *node) (any, error) {
		switch value := v.string(); {
		case name == "kubernetes.io/os":
			if _, err := pod.system(s, v); err != nil {
				return nil, err
			}
		case labelPattern.MatchString(name) && labelValue.MatchString(value) && value != "":
			s.c.doc.add("traits.affinity.nodes", doc{"label": name, "values": []any{value}})
			s.note("%s: nodes of its pool need the label %s", s.c.name, name)
		default:
			return nil, because("names no label of a node", "")
		}
		mark(kept, v)
		return nil, nil
	})
	return nil, nil
}

// nonRoot keeps that no container runs as user 0. Whether one may is said by the Pod Security Standard of the tenant.
func (pods) nonRoot(_ *scope, n *node) (any, error) {
	if n.bool() {
		return true, nil
	}
	return nil, because("the Pod Security Standard of the tenant says who may be root", "")
}

// groups takes further groups of the pod.
func (pods) groups(s *scope, n *node) (any, error) {
	var list []any
	for _, e := range n.items() {
		g, err := whole(0, 1<<31-1)(s, e)
		if err != nil {
			return nil, err
		}
		list = append(list, g)
	}
	return some(list), nil
}
