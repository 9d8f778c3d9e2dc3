package importing

import (
	"errors"
	"strings"
)

// vela reads Applications of KubeVela.
type vela struct{}

var kubevela vela

// read reads an Application of KubeVela. Definitions and other objects beside it are not part of it.
func (vela) read(t *translation, docs []*node) error {
	var app *node
	for _, d := range docs {
		switch {
		case !isApplication(d):
			mark(ignored, d)
		case app != nil:
			return errors.New("has several Applications; import one file for each")
		default:
			app = d
		}
	}
	if app == nil {
		return errors.New("has no Application of KubeVela")
	}
	t.called(app.at("metadata.name"))
	identity(app)
	if labels, _ := to.named(t, app.at("metadata.labels"), true); labels != nil {
		t.app.labels = labels.(doc)
	}
	for _, step := range app.at("spec.workflow.steps").items() {
		if v := step.at("properties.value"); step.at("type").string() == "apply-object" && v.at("kind").string() == "PersistentVolumeClaim" {
			t.claims[v.at("metadata.name").string()] = v
		}
	}
	made := map[*node]*component{}
	list := app.at("spec.components").items()
	for _, n := range list {
		name := n.at("name").string()
		kind, known := velaTypes[n.at("type").string()]
		switch {
		case n.at("type").string() == "k8s-objects":
			kubevela.objects(t, n)
		case velaCharts[n.at("type").string()] != nil:
			if c := helm.component(t, n); c != nil {
				made[n] = c
				t.steps[name] = c.name
			}
		case t.defined.templates[definesResource+" "+n.at("type").string()] != "":
			if c := t.defined.resource(t, n); c != nil {
				made[n] = c
				t.steps[name] = c.name
			}
		case !known && t.defined.has(definesComponent, n.at("type").string()):
			if c := t.defined.component(t, n); c != nil {
				made[n] = c
				t.use(name, c.name)
				t.steps[name] = c.name
			}
		case !known:
			t.lose(n, because("is of a type that KubeVela's platform defined", "a type that the platform defines (definitions: components)"))
		case n.at("properties.image").null():
			t.lose(n, because("has no image", "properties: image"))
		default:
			made[n] = t.component(name, kind)
			t.use(name, made[n].name)
			t.steps[name] = made[n].name
		}
	}
	for _, n := range list {
		if c := made[n]; c != nil {
			kubevela.component(t, n, c)
		}
	}
	kubevela.workflow(t, app.at("spec.workflow"))
	rollout.place(t)
	for _, p := range app.at("spec.policies").items() {
		if !velaClusters[p.at("type").string()] {
			t.lose(p, because("what becomes of objects is said by policy, and what an application is by its components", "policy: deletion, conflicts"))
		}
	}
	return nil
}

// objects reads objects of Kubernetes that are a component.
func (vela) objects(t *translation, n *node) {
	before := len(t.app.components)
	manifest.objects(t, n.at("properties.objects").items())
	if len(t.app.components) > before {
		mark(kept, n.at("name"), n.at("type"))
		t.steps[n.at("name").string()] = t.app.components[before].name
	}
}

// velaClusters are the policies and steps that are about several clusters.
var velaClusters = map[string]bool{
	"topology": true, "override": true, "env-binding": true, "envbinding": true, "replication": true,
	"deploy2env": true, "deploy2runtime": true, "share-cloud-resource": true, "deploy-cloud-resource": true,
}

// velaSteps are the types of steps that KubeVela has, but for those that can be said.
var velaSteps = map[string]bool{
	"apply-deployment": true, "read-object": true, "export2secret": true, "export2config": true, "list-config": true, "read-config": true,
	"create-config": true, "delete-config": true, "webhook": true, "request": true, "notification": true, "depends-on-app": true, "read-app": true,
	"generate-jdbc-connection": true, "apply-terraform-config": true, "apply-terraform-provider": true, "collect-service-endpoints": true, "addon-operation": true,
	"build-push-image": true, "vela-cli": true, "export-data": true, "export-service": true, "print-message-in-status": true, "check-metrics": true, "clean-jobs": true,
	"restart-workflow": true, "predownloadimage": true,
}

// unsaidStep is why a step of a type is not kept.
func unsaidStep(kind string) error {
	if velaSteps[kind] {
		return because("is a step that D-AROS does not have, or says another way", "workflow: steps with type job, check, notify or canary")
	}
	return because("is a step that KubeVela's platform defined", "a step that the platform defines (definitions: steps)")
}

// velaTypes are the types of components that can be said.
var velaTypes = map[string]string{
	"webservice": "webservice", "worker": "worker", "daemon": "daemon", "statefulset": "store", "task": "job", "cron-task": "cron",
}

// velaRows are the properties of the types that every KubeVela has.
var velaRows = []row{
	{"ports", "", kubevela.ports},
	{"port", "", kubevela.port},
	{"image", "properties.image", to.image},
	{"cmd", "properties.command", to.texts},
	{"args", "properties.args", to.texts},
	{"env", "properties.env", pod.environment},
	{"labels", "properties.labels", to.labels},
	{"annotations", "properties.annotations", to.annotations},
	{"cpu", "", velaAmount("cpu", asCPU)},
	{"memory", "", velaAmount("memory", asMemory)},
	{"limit.cpu", "resources.limits.cpu", asCPU},
	{"limit.memory", "resources.limits.memory", asMemory},
	{"livenessProbe", "traits.probes.liveness", to.probe},
	{"readinessProbe", "traits.probes.readiness", to.probe},
	{"imagePullPolicy", "", always("the runtime pulls an image that a node does not have", "IfNotPresent")},
	{"imagePullSecrets", "properties.pullSecrets", kubevela.pullSecrets},
	{"exposeType", "", always("a component has no entrance of its own from outside", "ClusterIP")},
	{"count", "replicas", whole(1, 1_000_000)},
	{"schedule", "properties.schedule", matching(schedulePattern, "is no schedule with five fields")},
	{"concurrencyPolicy", "properties.concurrency", matching(concurrencyPattern, "is neither Forbid, nor Allow, nor Replace")},
	{"backoffLimit", "properties.backoffLimit", whole(0, 1_000_000)},
	{"activeDeadlineSeconds", "properties.deadline", to.seconds},
	{"restart", "", always("a job does not start again what has ended well", "Never", "OnFailure")},
	{"volumeMounts", "", kubevela.mounts},
}

func (vela) component(t *translation, n *node, c *component) {
	s := t.scope(c)
	objects := c.doc["type"] == "raw" || c.doc["type"] == "helm"
	if t.defined.workloads[c] == nil && !objects {
		kubevela.properties(s, n)
	}
	for _, e := range n.at("dependsOn").items() {
		if name := t.steps[e.string()]; name != "" {
			c.doc.add("dependsOn", name)
			mark(kept, e)
		}
	}
	for _, last := range []bool{false, true} { // what Nocalhost is told follows from the other traits
		for _, trait := range n.at("traits").items() {
			if objects {
				s.lose(trait, because("a component of objects has no traits", "fields of the objects"))
			} else if (trait.at("type").string() == "nocalhost") == last {
				kubevela.trait(s, trait)
			}
		}
	}
	unscaled(s, n)
	if c.doc.get("properties.image") == nil && !objects {
		t.lose(n, because("has no image that can be pulled", "properties: image"))
		t.drop(c)
		t.steps[n.at("name").string()] = ""
	}
}

// properties reads those of a type that KubeVela has.
func (vela) properties(s *scope, n *node) {
	mark(kept, n.at("name"), n.at("type"))
	for _, trait := range n.at("traits").items() {
		if trait.at("type").string() == "volumes" {
			kubevela.declare(s, trait)
		}
	}
	s.take(n.at("properties"), velaRows)
	if _, err := kubevela.volumes(s, n.at("properties.volumes")); err != nil {
		s.lose(n.at("properties.volumes"), err)
	}
}

func (vela) workflow(t *translation, w *node) {
	parallel := strings.EqualFold(w.at("mode.steps").string(), "DAG")
	made := map[string]string{} // steps by their names in the file
	for _, n := range w.at("steps").items() {
		step := kubevela.step(t, n)
		if step == nil {
			continue
		}
		for _, e := range n.at("dependsOn").items() {
			if before := made[e.string()]; before != "" {
				mark(kept, e)
				step.add("dependsOn", before)
			}
		}
		if !parallel {
			delete(step, "dependsOn") // each waits for the one before it anyhow
		}
		made[n.at("name").string()] = t.step(n.at("name").string(), step)
	}
	arrangeSteps(t, parallel)
	if t.app.workflow == nil {
		t.lose(w, because("has no step that deploys a component", "workflow: steps"))
		return
	}
	mark(kept, w.at("mode.steps"))
	if sub := w.at("mode.subSteps"); strings.EqualFold(sub.string(), "DAG") {
		mark(kept, sub)
	}
}

// step returns what a step becomes, nil if it is not kept.
func (vela) step(t *translation, n *node) doc {
	step := doc{}
	properties := n.at("properties")
	switch n.at("type").string() {
	case "apply-component":
		components := deployedBy(t, []*node{properties.at("component")})
		if len(components) == 0 {
			t.lose(n, because("names no component that was kept", ""))
			return nil
		}
		step["type"], step["components"] = "deploy", components
	case "step-group":
		var names []*node
		for _, sub := range n.at("subSteps").items() {
			if sub.at("type").string() == "apply-component" {
				names = append(names, sub.at("properties.component"))
				mark(kept, sub.at("name"), sub.at("type"))
			}
		}
		components := deployedBy(t, names)
		if len(components) == 0 {
			t.lose(n, because("is a group without a step that deploys a component", "workflow: steps"))
			return nil
		}
		step["type"], step["components"] = "deploy", components
	case "apply-remaining", "apply-application", "deploy":
		step["type"] = "deploy"
		var rest []any
		left := deployedBy(t, properties.at("exceptions").items())
		for _, c := range t.app.components {
			skip := false
			for _, l := range left {
				skip = skip || l == c.name
			}
			if !skip {
				rest = append(rest, c.name)
			}
		}
		if len(rest) == 0 {
			t.lose(n, because("deploys nothing that was kept", ""))
			return nil
		}
		step["components"] = rest
		if auto := properties.at("auto"); auto.string() == "false" {
			step.add("dependsOn", t.step(n.at("name").string()+"-approval", doc{"type": "approval"}))
			mark(kept, auto)
		}
	case "rollout-wait-succeed":
		names := deployedBy(t, []*node{properties.at("component")})
		if len(names) == 0 {
			return nil
		}
		step["type"], step["components"] = "deploy", names
		for _, c := range t.app.components {
			if c.name == names[0] {
				if canary := rollout.canary(t, c); canary != nil {
					step = canary
				}
			}
		}
		if properties.at("appName").string() == n.root().at("metadata.name").string() {
			mark(kept, properties.at("appName"))
		}
	case "apply-object":
		components := manifest.applied(t, n)
		if len(components) == 0 {
			return nil
		}
		step["type"], step["components"] = "deploy", components
	case "suspend":
		step["type"] = "approval"
		if d := properties.at("duration"); durationPattern.MatchString(d.string()) {
			step["type"], step["properties"] = "wait", doc{"for": d.string()}
			mark(kept, d)
		}
	default:
		if velaClusters[n.at("type").string()] {
			t.lose(n, &severalClusters)
			return nil
		}
		if !t.defined.has(definesStep, n.at("type").string()) {
			t.lose(n, unsaidStep(n.at("type").string()))
			return nil
		}
		x, err := t.defined.expanded(t, definesStep, n, n.at("name").string(), nil)
		if err != nil {
			t.lose(n, err)
			return nil
		}
		components := deployedBy(t, []*node{properties.at("component")})
		if len(components) == 0 || !x.deploys {
			t.lose(n, because("deploys no component that was kept", ""))
			return nil
		}
		step["type"], step["components"] = "deploy", components
	}
	s := &scope{translation: t, d: step}
	s.take(n, []row{{"timeout", "timeout", matching(durationPattern, "is no duration")}})
	mark(kept, n.at("name"), n.at("type"))
	return step
}
