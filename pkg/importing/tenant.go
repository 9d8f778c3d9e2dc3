package importing

import "strings"

// tenant returns the tenant of an application: the one that the person who imports names, or else the one whose namespace the
// objects of the file stand in. A tenant has the namespace of its name. It returns the fields that name that namespace, too.
func (f Format) tenant(docs []*node, named string) (tenant string, namespaces []*node) {
	if f != KubeVela && f != Kubernetes {
		return named, nil
	}
	tenant = named
	for _, d := range unlisted(docs) {
		n := d.at("metadata.namespace")
		if f == KubeVela && !isApplication(d) || n.string() == "" || n.string() == "default" {
			continue
		}
		if name := n.string(); tenant == "" && dnsName(name) == name && !strings.HasPrefix(name, "kube-") && !strings.HasPrefix(name, "daros-") {
			tenant = name // which has one that can be its own
		}
		if n.string() != tenant { // of several tenants, or of another one
			return named, nil
		}
		namespaces = append(namespaces, n)
	}
	return tenant, namespaces
}
