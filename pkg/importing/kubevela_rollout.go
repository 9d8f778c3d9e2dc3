package importing

// batches notes the batches of a component's rollout, which become stages of a canary in the workflow.
func (sequences) batches(s *scope, n *node) (any, error) {
	s.batches[s.c.name] = n
	return nil, nil
}

// canary returns a step that rolls a component out in its batches, nil if it has none that can be said.
func (sequences) canary(t *translation, c *component) doc {
	n := t.batches[c.name]
	var stages []any
	sum := int64(0)
	list := n.items()
	for i, e := range list {
		replicas, ok := e.at("replicas").number()
		if !ok || replicas < 1 || replicas > 1_000_000 {
			return nil
		}
		if sum += replicas; i+1 < len(list) || len(list) == 1 { // the last one is all of it
			stages = append(stages, doc{"replicas": sum})
		}
	}
	if stages == nil || len(list) == 1 && sum > max(c.replicas(), 1) || c.doc["type"] == "store" {
		return nil
	}
	delete(t.batches, c.name)
	return doc{"type": "canary", "components": []any{c.name}, "properties": doc{"stages": stages}}
}

// place brings components with batches by a workflow where the file has none, and then the others.
func (sequences) place(t *translation) {
	if t.app.workflow == nil {
		var rest []any
		for _, c := range t.app.components {
			if step := flow.canary(t, c); step != nil {
				t.step("roll-out-"+c.name, step)
				continue
			}
			rest = append(rest, c.name)
		}
		if t.app.workflow != nil {
			if rest != nil {
				t.step("deploy", doc{"type": "deploy", "components": rest})
			}
			if len(t.app.workflow.list("steps")) > 1 {
				t.app.workflow["order"] = "parallel"
			}
		}
	}
	for _, n := range t.batches {
		t.lose(n, because("how an update goes is the business of the workflow", "workflow: steps with canary or blue-green"))
	}
}
