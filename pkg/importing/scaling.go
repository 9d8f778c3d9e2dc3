package importing

import "regexp"

// scales reads what an autoscaler follows.
type scales struct{}

var scale scales

// metricAmount is how the schema writes what a metric shall be.
var metricAmount = matching(regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,3})?[mkMG]?$`), "is no amount such as 100 or 500m")

var metricName = matching(regexp.MustCompile(`^[A-Za-z0-9_:]([-A-Za-z0-9_.:/|]{0,251}[A-Za-z0-9_])?$`), "is no name of a metric")

// velaScaling are the properties of the trait hpa of KubeVela.
var velaScaling = []row{
	{"min", "traits.autoscale.min", whole(1, 1_000_000)},
	{"max", "traits.autoscale.max", whole(1, 1_000_000)},
	{"cpu.value", "traits.autoscale.cpu", whole(1, 100)},
	{"cpu.type", "", always("CPU is followed in percent of the request", "Utilization")},
	{"mem.value", "traits.autoscale.memory", whole(1, 100)},
	{"mem.type", "", always("memory is followed in percent of the request", "Utilization")},
	{"podCustomMetrics", "traits.autoscale.metrics", each(scale.custom)},
	{"targetAPIVersion", "", always("scales the component", "apps/v1")},
	{"targetKind", "", always("scales the component", "Deployment")},
}

// custom takes a metric of pods, with a name and an average.
func (scales) custom(s *scope, n *node) (any, error) {
	m := s.into(doc{"type": "pods"})
	m.take(n, []row{{"name", "name", metricName}, {"value", "average", metricAmount}})
	if m.d["name"] == nil || m.d["average"] == nil {
		return nil, because("has no name or no average", "traits: autoscale: metrics")
	}
	return m.d, nil
}

// spec reads the spec of an autoscaler of Kubernetes, but for what it scales.
func (scales) spec(s *scope, n *node) {
	s.take(n, []row{
		{"minReplicas", "min", whole(1, 1_000_000)},
		{"maxReplicas", "max", whole(1, 1_000_000)},
		{"targetCPUUtilizationPercentage", "cpu", whole(1, 100)},
		{"behavior.scaleUp", "up", scale.pace},
		{"behavior.scaleDown", "down", scale.pace},
		{"metrics", "metrics", each(scale.metric)},
	})
}

// metricFields are the fields of a metric by its type in Kubernetes.
var metricFields = map[string]string{"Pods": "pods", "Object": "object", "External": "external"}

// metric takes what the requests are used of, or a metric of pods, of an object of the component, or from outside.
func (scales) metric(s *scope, n *node) (any, error) {
	if name := n.at("resource.name").string(); name == "cpu" || name == "memory" {
		s.take(n, []row{
			{"resource.target.averageUtilization", name, whole(1, 100)},
			{"resource.target.type", "", always("is followed in percent of the request", "Utilization")},
		})
		mark(kept, n.at("type"), n.at("resource.name"))
		return nil, nil
	}
	s = s.part()
	field := metricFields[n.at("type").string()]
	if field == "" {
		return nil, because("follows something that autoscale does not", "traits: autoscale")
	}
	if of := n.at("object.describedObject"); of != nil {
		object := of.at("kind").string()
		if object != "Service" && object != "Ingress" {
			return nil, because("is of an object that is neither the Service nor the Ingress of the component", "traits: autoscale: metrics")
		}
		s.d["kind"] = object
		s.note("%s: the metric of %s %s is that of its own one", s.c.name, object, of.at("name").string())
		mark(kept, of)
	}
	s.take(n.at(field), []row{
		{"metric.name", "name", metricName},
		{"metric.selector.matchLabels", "labels", to.labels},
		{"target.averageValue", "average", metricAmount},
		{"target.value", "value", metricAmount},
		{"target.type", "", always("has an average or a value", "AverageValue", "Value")},
	})
	if s.d["name"] == nil || (s.d["average"] == nil) == (s.d["value"] == nil) || field == "pods" && s.d["value"] != nil {
		return nil, because("has no name, or not one of average and value", "traits: autoscale: metrics")
	}
	s.d["type"] = field
	mark(kept, n.at("type"))
	return s.d, nil
}

// pace takes how fast replicas come or go.
func (scales) pace(s *scope, n *node) (any, error) {
	p := s.part()
	p.take(n, []row{{"stabilizationWindowSeconds", "wait", to.seconds}, {"selectPolicy", "", always("the larger of both bounds holds", "Max", "Disabled")}})
	if n.at("selectPolicy").string() == "Disabled" {
		p.d["off"] = true
	}
	p.each(n.at("policies").items(), func(_ *scope, e *node) (any, error) {
		of := map[string]string{"Pods": "pods", "Percent": "percent"}[e.at("type").string()]
		period, err := to.seconds(s, e.at("periodSeconds"))
		if other := p.d["period"]; of == "" || err != nil || p.d[of] != nil || other != nil && other != period {
			return nil, because("is a second bound of the same sort, or with another period", "traits: autoscale: one number of pods and one of percent")
		}
		p.take(e, []row{{"value", of, whole(1, 1_000_000)}})
		p.d["period"] = period
		mark(kept, e.at("type"), e.at("periodSeconds"))
		return nil, nil
	})
	return some(p.d), nil
}
