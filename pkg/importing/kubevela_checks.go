package importing

import (
	"cmp"
	"regexp"
	"time"
)

// asked is how often a check of metrics asks.
const asked = 30 * time.Second

var metricCondition = regexp.MustCompile(`^\s*(<=|>=|==|!=|<|>)\s*([0-9]+)(\.[0-9]+)?\s*$`)

// metrics takes a step of type check-metrics: the time that a query has to be good, or may be bad, becomes a number of answers.
func (calls) metrics(t *translation, n *node) []doc {
	properties := n.at("properties")
	endpoint, query, condition := cmp.Or(properties.at("metricEndpoint"), properties.at("promAddress")), properties.at("query"), properties.at("condition")
	m := metricCondition.FindStringSubmatch(condition.string())
	if m == nil || query.string() == "" || len(query.string()) > 4096 || !askable(endpoint.string()) {
		t.lose(n, because("names no address of Prometheus, no query, or no bound", "workflow: steps with type check"))
		return nil
	}
	check := doc{"prometheus": endpoint.string(), "query": query.string(), "success": "value " + m[1] + " " + m[2] + cmp.Or(m[3], ".0"), "every": asked.String()}
	for _, field := range []struct{ from, to, without string }{{"duration", "times", "5m"}, {"failDuration", "failures", "2m"}} {
		said := properties.at(field.from)
		d, err := time.ParseDuration(cmp.Or(said.string(), field.without)) // as KubeVela without a word
		if err != nil || d <= 0 || d > 24*time.Hour {
			t.lose(said, because("is no duration up to a day", ""))
			continue
		}
		check[field.to] = int64((d + asked - 1) / asked)
		mark(kept, said)
	}
	call.outside(t, endpoint.string())
	mark(kept, endpoint, query, condition)
	return []doc{{"type": "check", "properties": check}}
}

// webAddress matches an address of the web, with its host.
var webAddress = regexp.MustCompile(`^https?://([A-Za-z0-9][-A-Za-z0-9.]*)(:[0-9]{1,5})?([/?][!-~]*)?$`)

// askable reports whether D-AROS asks an address by itself: one of the web, without a password in it.
func askable(address string) bool {
	return len(address) <= 2048 && webAddress.MatchString(address) && !holdsSecret("url", address)
}

// outside notes that policy has to allow an address that D-AROS asks.
func (calls) outside(t *translation, address string) {
	if m := webAddress.FindStringSubmatch(address); m != nil {
		t.note("a check asks %s, which policy has to allow (egress.hosts)", m[1])
	}
}

// answers are the ends of what KubeVela calls the body of an answer.
var answers = regexp.MustCompile(`(^|\.)(response|body)$`)

// outputs takes what a step hands on, if it is the whole answer, and returns the step.
func (calls) outputs(t *translation, n *node, step doc) []doc {
	what := "body"
	if step["type"] == "job" {
		what = "message"
	}
	for _, o := range n.at("outputs").items() {
		name := dnsName(o.at("name").string())
		if name == "" || !answers.MatchString(o.at("valueFrom").string()) {
			t.lose(o, because("hands on a part of an answer", "workflow: steps: outputs"))
			continue
		}
		step.sub("outputs")[name] = what
		mark(kept, o)
	}
	return []doc{step}
}
