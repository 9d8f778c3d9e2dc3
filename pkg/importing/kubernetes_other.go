package importing

import "cmp"

// read reads an object that belongs to workloads, or returns why it is not kept.
func (o *objects) read(t *translation, d *node) error {
	switch d.at("kind").string() {
	case "Service":
		return o.readService(t, d)
	case "Ingress":
		return o.readIngress(t, d)
	case "HTTPRoute":
		return route.read(t, d, o)
	case "HorizontalPodAutoscaler":
		return o.readAutoscaler(t, d)
	case "PodDisruptionBudget":
		return o.readBudget(t, d)
	case "Namespace":
		if name := d.at("metadata.name"); t.tenant == "" || name.string() != t.tenant {
			return because("the namespace follows from the tenant", "")
		}
		identity(d) // D-AROS makes it
	case "ServiceAccount":
		return o.readAccount(t, d)
	case "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding": // read together
	case "NetworkPolicy":
		return because("who reaches whom follows from connects", "connects")
	default:
		if c := manifest.raw(t, d); c != nil {
			o.made[d] = c
		}
	}
	return nil
}

// readAutoscaler reads an autoscaler, which becomes a trait of what it scales.
func (o *objects) readAutoscaler(t *translation, d *node) error {
	target := d.at("spec.scaleTargetRef")
	for _, w := range o.workloads {
		c := o.made[w]
		if w.at("metadata.name").string() != target.at("name").string() || w.at("kind").string() != target.at("kind").string() || !t.there(c) {
			continue
		}
		into := t.scope(c).part()
		scale.spec(into, d.at("spec"))
		if into.d["max"] == nil || into.d["cpu"] == nil && into.d["memory"] == nil && into.d["metrics"] == nil {
			return because("follows nothing that autoscale does, or has no maximum", "traits: autoscale")
		}
		into.d["min"] = cmp.Or(into.d["min"], any(int64(1))) // as Kubernetes without a word
		c.doc.set("traits.autoscale", into.d)
		identity(d)
		mark(kept, target)
		return nil
	}
	return noWorkload
}

// readBudget reads how many pods may be down at a time.
func (o *objects) readBudget(t *translation, d *node) error {
	c := o.made[selected(d, o.workloads)]
	most, ok := d.at("spec.maxUnavailable").number()
	if c == nil || !t.there(c) {
		return noWorkload
	}
	if least, isLeast := d.at("spec.minAvailable").number(); !ok && isLeast && c.replicas() > least {
		most, ok = c.replicas()-least, true
	}
	if !ok || most < 1 {
		return because("says no number of pods that may be down", "traits: disruption: maxUnavailable")
	}
	c.doc.set("traits.disruption.maxUnavailable", most)
	identity(d)
	mark(kept, d.at("spec.selector"), d.at("spec.maxUnavailable"), d.at("spec.minAvailable"))
	return nil
}

// readAccount reads an account, which a component has for itself: the token is not mounted.
func (o *objects) readAccount(t *translation, d *node) error {
	annotations, _ := to.named(t, d.at("metadata.annotations"), false)
	for _, w := range o.workloads {
		spec, _ := podOf(w)
		name := spec.at("serviceAccountName")
		if name.string() == "" || name.string() != d.at("metadata.name").string() || !t.there(o.made[w]) {
			continue
		}
		account := o.made[w].doc.sub("properties").sub("serviceAccount")
		if annotations != nil {
			account["annotations"] = annotations
		}
		mark(kept, name)
		identity(d)
		return nil
	}
	return because("pods run without rights on the API server", "properties: serviceAccount: annotations, for the identity service of a cloud")
}
