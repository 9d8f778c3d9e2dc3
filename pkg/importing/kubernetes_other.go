package importing

// readOther reads an object that is a trait of a workload, or says why it is not kept.
func (manifests) readOther(t *translation, d *node, workloads []*node, made map[*node]*component) {
	switch d.at("kind").string() {
	case "HorizontalPodAutoscaler":
		manifest.readAutoscaler(t, d, workloads, made)
	case "PodDisruptionBudget":
		manifest.readBudget(t, d, made[selected(d, workloads)])
	case "Namespace":
		if name := d.at("metadata.name"); t.tenant != "" && name.string() == t.tenant {
			identity(d) // D-AROS makes it
			break
		}
		t.lose(d, because("the namespace follows from the tenant", ""))
	case "ServiceAccount":
		manifest.readAccount(t, d, workloads, made)
	case "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding": // read together
	case "NetworkPolicy":
		t.lose(d, because("who reaches whom follows from connects", "connects"))
	default:
		if c := manifest.raw(t, d); c != nil {
			made[d] = c
		}
	}
}

// readAutoscaler reads an autoscaler, which becomes a trait of what it scales.
func (manifests) readAutoscaler(t *translation, d *node, workloads []*node, made map[*node]*component) {
	target := d.at("spec.scaleTargetRef")
	for _, w := range workloads {
		c := made[w]
		if w.at("metadata.name").string() != target.at("name").string() || w.at("kind").string() != target.at("kind").string() || !t.there(c) {
			continue
		}
		into := t.scope(c).part()
		scale.spec(into, d.at("spec"))
		if into.d["max"] != nil && (into.d["cpu"] != nil || into.d["memory"] != nil || into.d["metrics"] != nil) {
			if into.d["min"] == nil {
				into.d["min"] = int64(1) // as Kubernetes without a word
			}
			c.doc.set("traits.autoscale", into.d)
			identity(d)
			mark(kept, target)
			return
		}
		t.lose(d, because("follows nothing that autoscale does, or has no maximum", "traits: autoscale"))
		return
	}
	t.lose(d, noWorkload)
}

// readBudget reads how many pods may be down at a time.
func (manifests) readBudget(t *translation, d *node, c *component) {
	most, ok := d.at("spec.maxUnavailable").number()
	if c == nil || !t.there(c) {
		t.lose(d, noWorkload)
		return
	}
	if least, isLeast := d.at("spec.minAvailable").number(); !ok && isLeast && c.replicas() > least {
		most, ok = c.replicas()-least, true
	}
	if !ok || most < 1 {
		t.lose(d, because("says no number of pods that may be down", "traits: disruption: maxUnavailable"))
		return
	}
	c.doc.set("traits.disruption.maxUnavailable", most)
	identity(d)
	mark(kept, d.at("spec.selector"), d.at("spec.maxUnavailable"), d.at("spec.minAvailable"))
}

// readAccount reads an account, which a component has for itself: the token is not mounted.
func (manifests) readAccount(t *translation, d *node, workloads []*node, made map[*node]*component) {
	annotations, _ := to.named(t, d.at("metadata.annotations"), false)
	for _, w := range workloads {
		spec, _ := podOf(w)
		name := spec.at("serviceAccountName")
		if name.string() == "" || name.string() != d.at("metadata.name").string() || !t.there(made[w]) {
			continue
		}
		account := made[w].doc.sub("properties").sub("serviceAccount")
		if annotations != nil {
			account["annotations"] = annotations
		}
		mark(kept, name)
		identity(d)
		return
	}
	t.lose(d, because("pods run without rights on the API server", "properties: serviceAccount: annotations, for the identity service of a cloud"))
}
