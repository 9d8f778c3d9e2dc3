package importing

import (
	"regexp"
	"slices"
	"strings"
)

// sequences reads workflows of KubeVela, what their steps and its components make for others, and rollouts.
type sequences struct{}

var flow sequences

// velaClusters are the policies and steps that are about several clusters.
var velaClusters = map[string]bool{
	"topology": true, "override": true, "env-binding": true, "envbinding": true, "replication": true,
	"deploy2env": true, "deploy2runtime": true, "share-cloud-resource": true, "deploy-cloud-resource": true,
}

// workflow reads the steps of a workflow.
func (sequences) workflow(t *translation, w *node) {
	parallel := strings.EqualFold(w.at("mode.steps").string(), "DAG")
	made := map[string]string{} // steps by their names in the file
	list := w.at("steps").items()
	for len(list) > 0 {
		n, next := list[0], 1
		condition, known := flow.condition(n.at("if").string(), made)
		var steps []doc
		switch {
		case !known:
			t.lose(n, because("has a condition on something else than how a step ended", "workflow: steps: if"))
		case n.at("type").string() == "canary-rollout":
			steps, next = flow.parts(t, list)
		default:
			steps = flow.steps(t, n)
		}
		for i, step := range steps {
			if i > 0 {
				step["dependsOn"] = []any{made[n.at("name").string()]}
			}
			for _, e := range n.at("dependsOn").items() {
				if before := made[e.string()]; before != "" && i == 0 {
					mark(kept, e)
					step.add("dependsOn", before)
				}
			}
			if !parallel {
				delete(step, "dependsOn") // each waits for the one before it anyhow
			}
			if condition != "" {
				step["if"] = condition
				mark(kept, n.at("if"))
			}
			name := n.at("name").string()
			if suffix, _ := step["name"].(string); suffix != "" {
				name += "-" + suffix
			}
			made[n.at("name").string()] = t.step(name, step)
		}
		for _, folded := range list[1:next] {
			made[folded.at("name").string()] = made[n.at("name").string()]
		}
		list = list[next:]
	}
	arrangeSteps(t, parallel)
	if t.app.workflow == nil {
		t.lose(w, because("has no step that deploys a component", "workflow: steps"))
		t.app.components = slices.DeleteFunc(t.app.components, func(c *component) bool {
			if c.ofStep {
				delete(t.secrets, t.app.name+"-"+c.name)
			}
			return c.ofStep
		})
		return
	}
	mark(kept, w.at("mode.steps"))
	if sub := w.at("mode.subSteps"); strings.EqualFold(sub.string(), "DAG") {
		mark(kept, sub)
	}
}

var conditionPattern = regexp.MustCompile(`^status(?:\.([A-Za-z0-9_-]+)|\["([^"]+)"\])\.(failed|succeeded|skipped)$`)

// condition returns the condition of a step, and whether it can be said.
func (sequences) condition(text string, made map[string]string) (string, bool) {
	if text == "" || text == "always" {
		return text, true
	}
	m := conditionPattern.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || made[m[1]+m[2]] == "" {
		return "", false
	}
	return m[3] + `["` + made[m[1]+m[2]] + `"]`, true
}

// rest are the names of the components that are not left out and that no step runs as its job.
func (sequences) rest(t *translation, left []any) (names []any) {
	for _, c := range t.app.components {
		if !c.ofStep && !slices.Contains(left, any(c.name)) {
			names = append(names, c.name)
		}
	}
	return names
}

// steps returns what a step becomes, one after the other; each is called like the step, with its name behind if it has one.
func (sequences) steps(t *translation, n *node) (list []doc) {
	properties := n.at("properties")
	switch kind := n.at("type").string(); kind {
	case "notification":
		list = call.notify(t, n)
	case "webhook":
		list = call.post(t, n)
	case "request":
		list = call.request(t, n)
	case "check-metrics":
		list = call.metrics(t, n)
	case "export2config", "export2secret":
		return flow.write(t, n)
	case "generate-jdbc-connection":
		flow.connection(t, n)
		return nil
	case "suspend":
		step := doc{"type": "approval"}
		if d := properties.at("duration"); durationPattern.MatchString(d.string()) {
			step["type"], step["properties"] = "wait", doc{"for": d.string()}
			mark(kept, d)
		}
		list = []doc{step}
	default:
		step := flow.deploying(t, n)
		if step == nil {
			return nil
		}
		if auto := properties.at("auto"); kind == "deploy" && auto.string() == "false" {
			list = append(list, doc{"type": "approval", "name": "approval"})
			mark(kept, auto)
		}
		list = append(list, step)
	}
	if len(list) == 0 {
		t.lose(n, because("sends nothing that a step can send", "workflow: steps with type job, check or notify"))
		return nil
	}
	s := &scope{translation: t, d: list[len(list)-1]}
	s.take(n, []row{{"timeout", "timeout", matching(durationPattern, "is no duration")}})
	mark(kept, n.at("name"), n.at("type"))
	return list
}

// deploying returns the step that a step which deploys components becomes, nil if it is not kept.
func (sequences) deploying(t *translation, n *node) doc {
	properties := n.at("properties")
	deploy := func(names []any, why error) doc {
		if len(names) == 0 {
			t.lose(n, why)
			return nil
		}
		flow.inputs(t, n, names)
		return doc{"type": "deploy", "components": names}
	}
	nothing := because("names no component that was kept", "")
	switch kind := n.at("type").string(); kind {
	case "apply-component":
		return deploy(deployedBy(t, []*node{properties.at("component")}), nothing)
	case "step-group":
		var names []*node
		for _, sub := range n.at("subSteps").items() {
			if sub.at("type").string() == "apply-component" {
				names = append(names, sub.at("properties.component"))
				mark(kept, sub.at("name"), sub.at("type"))
			}
		}
		return deploy(deployedBy(t, names), because("is a group without a step that deploys a component", "workflow: steps"))
	case "apply-remaining", "apply-application", "apply-application-in-parallel", "deploy":
		return deploy(flow.rest(t, deployedBy(t, properties.at("exceptions").items())), because("deploys nothing that was kept", ""))
	case "rollout-wait-succeed":
		names := deployedBy(t, []*node{properties.at("component")})
		step := deploy(names, nothing)
		for _, c := range t.app.components {
			if step != nil && c.name == names[0] {
				if canary := flow.canary(t, c); canary != nil {
					step = canary
				}
			}
		}
		if properties.at("appName").string() == n.root().at("metadata.name").string() && step != nil {
			mark(kept, properties.at("appName"))
		}
		return step
	case "apply-deployment":
		c := t.component(n.at("name").string(), "worker")
		t.scope(c).take(properties, []row{{"image", "properties.image", to.image}, {"cmd", "properties.command", to.texts}, {"replicas", "replicas", whole(1, 1_000_000)}})
		if c.doc.get("properties.image") == nil {
			t.drop(c)
			return deploy(nil, because("has no image that can be pulled", "properties: image"))
		}
		return deploy([]any{c.name}, nothing)
	case "predownloadimage":
		return deploy(flow.pulled(t, n), because("names no image", ""))
	case "apply-object":
		names := manifest.applied(t, n)
		if len(names) == 0 {
			return nil
		}
		return deploy(names, nothing)
	default:
		if velaClusters[kind] {
			t.lose(n, &severalClusters)
			return nil
		}
		if !t.defined.has(definesStep, kind) {
			unsaid, known := unsaidSteps[kind]
			if !known {
				unsaid = why{"is a step that KubeVela's platform defined", "a step that the platform defines (definitions: steps)"}
			}
			t.lose(n, &unsaid)
			return nil
		}
		x, err := t.defined.expanded(t, definesStep, n, n.at("name").string(), nil)
		if err != nil {
			t.lose(n, err)
			return nil
		}
		names := deployedBy(t, []*node{properties.at("component")})
		if !x.deploys {
			names = nil
		}
		return deploy(names, because("deploys no component that was kept", ""))
	}
}
