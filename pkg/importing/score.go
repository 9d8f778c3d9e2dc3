package importing

import (
	"errors"
	"regexp"
	"strings"
)

// scoreFile reads workloads of Score.
type scoreFile struct{}

var score scoreFile

// read reads workloads of Score: each is a component.
func (scoreFile) read(t *translation, docs []*node) error {
	made := map[*node]*component{}
	for _, d := range docs {
		if strings.HasPrefix(d.at("apiVersion").string(), "score.dev/") {
			name := d.at("metadata.name")
			if t.app.name == "" {
				t.called(name)
			}
			made[d] = t.component(name.string(), "webservice")
			t.use(name.string(), made[d].name)
		}
	}
	if len(made) == 0 {
		return errors.New("has no workload of Score")
	}
	for _, d := range docs {
		if c := made[d]; c != nil {
			score.workload(t, d, c)
		}
	}
	return nil
}

// placeholder matches what Score puts in from elsewhere.
var placeholder = regexp.MustCompile(`\$\{[^}]*\}`)

// unresolved loses the texts below a node that take something from a resource.
func (scoreFile) unresolved(t *translation, n *node) {
	n.leaves(func(s *node) {
		if s.tag != "!!str" || !placeholder.MatchString(strings.ReplaceAll(s.text, "$${", "")) {
			s.text = strings.ReplaceAll(s.text, "$${", "${")
			return
		}
		t.lose(s, because("takes a value from a resource, which the platform does not provide", "properties: env, with a text or secret: existing"))
	})
}

func (scoreFile) workload(t *translation, d *node, c *component) {
	s := t.scope(c)
	score.unresolved(t, d.at("containers"))
	identity(d)
	ports := d.at("service.ports").fields()
	for _, k := range ports {
		port := &node{kind: mapping, keys: append([]key{{"name", &node{text: dnsName(k.name), tag: "!!str"}}}, k.node.keys...)}
		s.each([]*node{port}, manifest.servicePort)
		mark(kept, k.node.at("port"), k.node.at("targetPort"), k.node.at("protocol"))
	}
	if len(ports) == 0 {
		c.doc["type"] = "worker"
	}
	s.take(d.at("metadata"), []row{{"annotations", "properties.annotations", to.annotations}})
	for i, k := range d.at("containers").fields() {
		into, prefix := s, "properties."
		if i > 0 {
			into, prefix = s.into(doc{"name": dnsName(k.name)}), ""
		}
		into.take(k.node, append(program("", prefix, "variables", pod.variables), amounts...))
		switch {
		case i == 0:
			s.take(k.node, []row{{"livenessProbe", "traits.probes.liveness", to.probe}, {"readinessProbe", "traits.probes.readiness", to.probe}})
		case into.d["image"] == nil:
			t.lose(k.node, because("is a container without an image", ""))
		default:
			c.doc.add("traits.sidecars", into.d)
		}
	}
	if c.doc.get("properties.image") == nil {
		t.lose(d, because("has no container with an image", ""))
		t.drop(c)
	}
	t.lose(d.at("resources"), because("the platform provides no resources", "a component of a type that the platform defines, or of another application by connects"))
}
