package importing

import (
	"cmp"
	"errors"
	"strings"
)

// kubeMin reads applications of KubeMin.
type kubeMin struct{}

var kubemin kubeMin

// read reads an application of KubeMin, or an update of one, with keys in either style.
func (kubeMin) read(t *translation, docs []*node) error {
	if len(docs) != 1 {
		return errors.New("has several documents, and an application of KubeMin is one")
	}
	d := docs[0]
	styles := map[string]bool{}
	oneStyle(d, styles)
	for _, style := range []string{"snake_case", "camelCase"} {
		if styles[style] {
			t.note("the keys of the file are in %s", style)
		}
	}
	list := d.at("component").items()
	if list == nil {
		list = d.at("components").items()
	}
	t.called(d.at("name"))
	if about := d.at("description"); about.string() != "" {
		t.app.comment = append(t.app.comment, strings.Split(about.text, "\n")...)
		mark(kept, about)
	}
	if v := d.at("version"); v.string() != "" && labelValue.MatchString(v.string()) {
		t.app.labels["app.kubernetes.io/version"] = v.string() // for people: what runs is the commit
		mark(kept, v)
	}
	t.app.name = cmp.Or(t.app.name, dnsName(baseName(t.file)))
	// Configs and names first: variables refer to them.
	made := map[*node]*component{}
	for _, n := range list {
		kubemin.declare(t, n, made)
	}
	for _, n := range list {
		if c := made[n]; c != nil {
			kubemin.component(t, n, c)
		}
	}
	for _, n := range d.at("workflow").items() {
		kubemin.step(t, n)
	}
	arrangeSteps(t, false)
	return nil
}

// oneStyle names the keys of a file in camelCase, but those that people choose, and ignores remarks.
func oneStyle(n *node, styles map[string]bool) {
	for i, k := range n.fields() {
		switch {
		case strings.HasPrefix(k.name, "_"):
			mark(ignored, k.node)
			continue
		case k.name == "resource":
			n.keys[i].name = "resources"
			styles["camelCase"] = true
		case strings.Contains(k.name, "_"):
			parts := strings.Split(k.name, "_")
			for j, p := range parts[1:] {
				if p != "" {
					parts[j+1] = strings.ToUpper(p[:1]) + p[1:]
				}
			}
			n.keys[i].name = strings.Join(parts, "")
			styles["snake_case"] = true
		case strings.ToLower(k.name) != k.name:
			styles["camelCase"] = true
		}
		switch k.name {
		case "env", "conf", "secret", "labels", "label", "annotations":
			continue
		}
		oneStyle(k.node, styles)
	}
	for _, e := range n.items() {
		oneStyle(e, styles)
	}
}

var kubeMinTypes = map[string]string{"webservice": "webservice", "store": "store", "worker": "worker", "job": "job"}

func (kubeMin) declare(t *translation, n *node, made map[*node]*component) {
	name, kind := n.at("name"), n.at("type").string()
	switch action := n.at("action").string(); {
	case action == "remove":
		t.lose(n, because("takes a component out of an application that is elsewhere", "take it out of the files of the application"))
	case action == "update" && kind == "":
		t.lose(n, because("changes a component of an application that is elsewhere", "change it in the files of the application"))
	case n.at("template") != nil:
		t.lose(n, because("is made of another application, which is not in the file", "a type that the platform defines"))
	case kind == "config":
		t.config(name.string(), n.at("properties.conf"))
		t.steps[name.string()] = t.configs[name.string()]
		mark(kept, name, n.at("type"))
		kubemin.single(n)
	case kind == "secret":
		t.keep(dnsName(name.string()), n.at("properties.secret"))
		t.steps[name.string()] = ""
		mark(kept, name, n.at("type"))
		kubemin.single(n)
	case kubeMinTypes[kind] == "":
		t.lose(n, because("is of a type that KubeMin does not have", "type"))
	default:
		c := t.component(name.string(), kubeMinTypes[kind])
		t.use(name.string(), c.name)
		t.steps[name.string()] = c.name
		made[n] = c
	}
}

// single keeps replicas of what has none.
func (kubeMin) single(n *node) {
	if n.at("replicas").string() == "1" {
		mark(kept, n.at("replicas"))
	}
}

var kubeMinRows = append(program("properties.", "properties.", "env", pod.variables), []row{
	{"properties.ports", "", ports(true)},
	{"image", "properties.image", to.image},
	{"replicas", "replicas", whole(1, 1_000_000)},
	{"properties.labels", "properties.labels", to.labels},
	{"traits.envs", "", each(kubemin.env)},
	{"traits.envFrom", "traits.envFrom", each(kubemin.envFrom)},
	{"traits.resources", "", kubemin.resources},
	{"traits.probes", "", each(kubemin.probe)},
	{"traits.storage", "", each(kubemin.storage)},
	{"traits.init", "", kubemin.extras("init")},
	{"traits.sidecar", "", kubemin.extras("sidecars")},
	{"traits.ingress", "", kubemin.ingress},
	{"traits.rbac", "traits.rights", rbac.trait},
}...)

func (kubeMin) component(t *translation, n *node, c *component) {
	mark(kept, n.at("name"), n.at("type"), n.at("action"))
	t.scope(c).take(n, kubeMinRows)
	if c.doc.get("properties.image") == nil {
		t.lose(n, because("has no image", "properties: image"))
		t.steps[n.at("name").string()] = ""
		t.drop(c)
	}
}

func (kubeMin) step(t *translation, n *node) {
	names := n.at("components").items()
	for _, policy := range n.at("properties").items() {
		names = append(names, policy.at("policies").items()...)
	}
	names = append(names, n.at("properties.policies").items()...)
	kubemin.deploy(t, n, names)
	for _, sub := range n.at("subSteps").items() {
		kubemin.deploy(t, sub, sub.at("components").items())
	}
}

// deploy adds one step for components that start together, and one for each of those that start in turn.
func (kubeMin) deploy(t *translation, n *node, names []*node) {
	together := n.at("mode").string() == "DAG"
	name := n.at("name").string()
	components := deployedBy(t, names)
	if len(components) == 1 || together && len(components) > 0 {
		t.step(name, doc{"type": "deploy", "components": components})
	} else {
		for _, c := range components {
			t.step(name+"-"+c.(string), doc{"type": "deploy", "components": []any{c}})
		}
	}
	if len(names) > 0 {
		mark(kept, n.at("name"), n.at("mode"))
	}
}
