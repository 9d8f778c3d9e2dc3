package importing

import "errors"

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
			t.defined.beside = append(t.defined.beside, d)
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
	flow.prepare(t, app.at("spec.workflow.steps").items())
	flow.resolve(app.at("spec.components").items())
	made := map[*node]*component{}
	list := app.at("spec.components").items()
	for _, n := range list {
		var c *component
		name, of := n.at("name").string(), n.at("type").string()
		kind, known := velaTypes[of]
		switch {
		case of == "k8s-objects":
			kubevela.objects(t, n)
		case velaCharts[of] != nil, t.defined.charts[of] != nil:
			c = helm.component(t, n)
		case t.defined.describes(of) != nil:
			c = t.defined.resource(t, n)
		case !known && t.defined.has(definesComponent, of):
			if c = t.defined.component(t, n); c != nil {
				t.use(name, c.name)
			}
		case !known:
			t.lose(n, because("is of a type that KubeVela's platform defined", "a type that the platform defines (definitions: components)"))
		case n.at("properties.image").null():
			t.lose(n, because("has no image", "properties: image"))
		default:
			c = t.component(name, kind)
			affine.label(t, c, n.at("properties.labels"))
			t.podLabels[c]["app.oam.dev/component"] = name
			t.use(name, c.name)
		}
		if c != nil {
			made[n], t.steps[name] = c, c.name
		}
	}
	for _, n := range list {
		if c := made[n]; c != nil {
			kubevela.component(t, n, c)
		}
	}
	flow.workflow(t, app.at("spec.workflow"))
	flow.place(t)
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

// velaTypes are the types of components that can be said.
var velaTypes = map[string]string{
	"webservice": "webservice", "worker": "worker", "daemon": "daemon", "statefulset": "store", "task": "job", "cron-task": "cron",
}

// velaRows are the properties of the types that every KubeVela has.
var velaRows = []row{
	{"ports", "", ports(false)},
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
	{"imagePullSecrets", "properties.pullSecrets", each(pullSecret(""))},
	{"exposeType", "", to.serviceType},
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
	s.each(n.at("properties.volumes").items(), kubevela.mounted)
}
