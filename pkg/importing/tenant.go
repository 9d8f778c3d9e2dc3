package importing

import "strings"

// belong finds the tenant of the application: the one that the person who imports names, or else the one whose namespace the
// objects of the file stand in. A tenant has the namespace of its name, so a namespace that is the tenant's is kept.
func (t *translation) belong(docs []*node, tenant string) {
	t.tenant = tenant
	var named []*node
	for _, d := range unlisted(docs) {
		n := d.at("metadata.namespace")
		if t.report.Format == KubeVela && !isApplication(d) || t.report.Format != KubeVela && t.report.Format != Kubernetes {
			continue
		}
		if n.string() != "" && n.string() != "default" {
			named = append(named, n)
		}
	}
	for _, n := range named {
		if n.string() != named[0].string() || !isTenant(n.string()) || tenant != "" && n.string() != tenant {
			return
		}
	}
	if len(named) == 0 {
		return
	}
	if mark(kept, named...); tenant == "" {
		t.tenant = named[0].string()
		t.note("stands in namespace %s, so it is for tenant %s; --tenant names another", t.tenant, t.tenant)
	}
}

// isTenant reports whether a namespace can be that of a tenant.
func isTenant(namespace string) bool {
	return dnsName(namespace) == namespace && !strings.HasPrefix(namespace, "kube-") && !strings.HasPrefix(namespace, "daros-")
}
