package importing

// readOther reads an object that is a trait of a workload, or says why it is not kept.
func (manifests) readOther(t *translation, d *node, workloads []*node, made map[*node]*component) {
	switch d.at("kind").string() {
	case "HorizontalPodAutoscaler":
		manifest.readAutoscaler(t, d, workloads, made)
	case "PodDisruptionBudget":
		manifest.readBudget(t, d, made[selected(d, workloads)])
	case "Namespace":
		t.lose(d, because("the namespace follows from the tenant", ""))
	case "ServiceAccount":
		manifest.readAccount(t, d, workloads, made)
	case "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding":
		t.lose(d, because("pods run without rights on the API server", ""))
	case "NetworkPolicy":
		t.lose(d, because("who reaches whom follows from connects", "connects"))
	default:
		t.lose(d, because("is of a kind that no type of component becomes", "a component of type raw, where policy.kinds allows the kind"))
	}
}

// readAutoscaler reads an autoscaler by the use of CPU.
func (manifests) readAutoscaler(t *translation, d *node, workloads []*node, made map[*node]*component) {
	target := d.at("spec.scaleTargetRef")
	for _, w := range workloads {
		c := made[w]
		if w.at("metadata.name").string() != target.at("name").string() || w.at("kind").string() != target.at("kind").string() || !t.there(c) {
			continue
		}
		most, ok := d.at("spec.maxReplicas").number()
		cpu := d.at("spec.targetCPUUtilizationPercentage")
		for _, m := range d.at("spec.metrics").items() {
			if m.at("resource.name").string() == "cpu" {
				cpu = m.at("resource.target.averageUtilization")
				mark(kept, m.at("type"), m.at("resource.name"), m.at("resource.target"))
			}
		}
		if percent, isPercent := cpu.number(); ok && most >= 1 && isPercent && percent >= 1 && percent <= 100 {
			least, ok := d.at("spec.minReplicas").number()
			if !ok || least < 1 {
				least = 1
			}
			c.doc.set("traits.autoscale", doc{"min": least, "max": most, "cpu": percent})
			identity(d)
			mark(kept, target, d.at("spec.minReplicas"), d.at("spec.maxReplicas"), cpu)
			return
		}
		t.lose(d, because("follows something else than the use of CPU", "traits: autoscale"))
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
	if least, isLeast := d.at("spec.minAvailable").number(); !ok && isLeast {
		if replicas, _ := c.doc["replicas"].(int64); replicas > least {
			most, ok = replicas-least, true
		}
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
