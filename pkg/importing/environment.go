package importing

import (
	"regexp"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/decode"
)

// secretWords end the names of what holds a secret, as in every policy.
var secretWords = []string{"PASSWORD", "PASSWD", "PASSPHRASE", "TOKEN", "SECRET", "CREDENTIAL", "CREDENTIALS", "KEY"}

func holdsSecret(name, value string) bool { return decode.HoldsSecret(secretWords, name, value) }

// environment takes the variables of a container of Kubernetes.
func (pods) environment(s *scope, n *node) (any, error) {
	env := doc{}
	for _, e := range n.items() {
		name := e.at("name").string()
		if !variablePattern.MatchString(name) {
			s.lose(e, because("is no name that a variable may have", ""))
			continue
		}
		var v any
		var err error
		if from := e.at("valueFrom"); !from.null() {
			v, err = pod.referenceOf(s, from)
		} else {
			v, err = s.variable(name, e.at("value"))
		}
		if err != nil {
			s.lose(e, err)
			continue
		}
		env[name] = v
		mark(kept, e.at("name"), e.at("value"))
	}
	return some(env), nil
}

// variables takes variables that are a mapping of names to values.
func (pods) variables(s *scope, n *node) (any, error) {
	env := doc{}
	for _, k := range n.fields() {
		if k.node.kind == scalar && k.node.fate == lost {
			continue
		}
		if !variablePattern.MatchString(k.name) {
			s.lose(k.node, because("is no name that a variable may have", ""))
			continue
		}
		v, err := s.variable(k.name, k.node)
		if err != nil {
			s.lose(k.node, err)
			continue
		}
		env[k.name] = v
		mark(kept, k.node)
	}
	return some(env), nil
}

// variable returns the value of a variable: a text, or the key of a Secret that somebody is to make if
// the text is a secret.
func (s *scope) variable(name string, n *node) (any, error) {
	if n != nil && n.kind != scalar {
		return nil, because("is no text", "")
	}
	value := n.string()
	if value == "" || !holdsSecret(name, value) {
		return s.reach(name, value), nil
	}
	mark(withheld, n)
	return s.secret(s.app.name+"-"+s.c.name, name)
}

// secret refers to a key of a Secret of the namespace, which it notes as one to make.
func (s *scope) secret(name, key string) (any, error) {
	if !objectPattern.MatchString(name) || !keyPattern.MatchString(key) {
		return nil, because("names no key of a Secret", "")
	}
	s.secrets[name] = append(s.secrets[name], key)
	return doc{"secret": doc{"existing": name, "key": key}}, nil
}

// referenceOf returns the value of a variable that stands elsewhere.
func (pods) referenceOf(s *scope, n *node) (any, error) {
	switch {
	case !n.at("secretKeyRef").null():
		from := n.at("secretKeyRef")
		v, err := s.secret(from.at("name").string(), from.at("key").string())
		if err == nil {
			mark(kept, from.at("name"), from.at("key"))
		}
		return v, err
	case !n.at("configMapKeyRef").null():
		from := n.at("configMapKeyRef")
		v, err := s.configKey(from.at("name").string(), from.at("key").string())
		if err == nil {
			mark(kept, from.at("name"), from.at("key"))
		}
		return v, err
	case !n.at("fieldRef.fieldPath").null():
		if field := n.at("fieldRef.fieldPath").string(); fieldPattern.MatchString(field) {
			mark(kept, n.at("fieldRef"))
			return doc{"field": field}, nil
		}
	}
	return nil, because("comes from something that a variable cannot have its value from", "properties: env")
}

// envFrom takes what gives a container all its keys as variables.
func (pods) envFrom(s *scope, n *node) (any, error) {
	var list []any
	for _, e := range n.items() {
		config, secret := e.at("configMapRef.name"), e.at("secretRef.name")
		switch {
		case e.at("prefix").string() != "":
			s.lose(e, because("names with a prefix are not made", "properties: env"))
		case !config.null():
			source, err := s.configMap(config.string())
			if err != nil {
				s.lose(e, err)
				continue
			}
			list = append(list, doc{"config": source})
			mark(kept, config)
		case !secret.null() && objectPattern.MatchString(secret.string()):
			list = append(list, doc{"secret": doc{"existing": secret.string()}})
			s.keep(secret.string())
			mark(kept, secret)
		default:
			s.lose(e, because("names neither a ConfigMap nor a Secret", ""))
		}
	}
	return some(list), nil
}

// hostVariable matches the endings of variables that have a host and nothing else.
var hostVariable = regexp.MustCompile(`(?i)(HOST|HOSTNAME|ADDR|ADDRESS|SERVER|SERVICE|ENDPOINT)$`)

// address matches what leads to a host: a scheme and somebody's name, the host, and what is behind it.
var address = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?)?([A-Za-z0-9][-A-Za-z0-9_.]*)(:[0-9]{1,5})?([/?#].*)?$`)

// reach leads an address to the name that the component has behind which it was before: components of an
// application are reached as application-component.
func (s *scope) reach(name, value string) string {
	m := address.FindStringSubmatch(value)
	if m == nil {
		return value
	}
	target, known := s.hosts[m[2]]
	if !known || m[1] == "" && m[3] == "" && (m[4] != "" || !hostVariable.MatchString(name)) {
		return value
	}
	if target == "" {
		return value
	}
	now := m[1] + s.objectName(target) + m[3] + m[4]
	s.note("%s: %s leads to %s now, because the component is reached by that name", s.c.name, name, s.objectName(target))
	return now
}

// use tells how components are reached in the file, before variables are read.
func (t *translation) use(name, component string) {
	if _, taken := t.hosts[name]; !taken && name != "" {
		t.hosts[name] = component
	}
}

// config adds a component with data in the clear. What looks like a secret there is left to people.
func (t *translation) config(name string, data *node) {
	c := t.component(name, "config")
	t.configs[name] = c.name
	values := doc{}
	for _, k := range data.fields() {
		switch {
		case !keyPattern.MatchString(k.name):
			t.lose(k.node, because("is no key that a config may have", ""))
		case k.node.kind != scalar:
			t.lose(k.node, because("is no text", ""))
		case k.node.string() != "" && holdsSecret(k.name, k.node.string()):
			t.lose(k.node, because("looks like a secret, which a config would show to everybody", "a Secret, and a variable with secret: existing"))
		default:
			values[k.name] = k.node.text
			mark(kept, k.node)
		}
	}
	c.doc.set("properties.data", values)
}

// keep notes a Secret of the file: its values are not written, and its name is that of one to make.
func (t *translation) keep(name string, data ...*node) {
	if !objectPattern.MatchString(name) {
		return
	}
	if t.secrets[name] == nil {
		t.secrets[name] = []string{}
	}
	for _, d := range data {
		for _, k := range d.fields() {
			if keyPattern.MatchString(k.name) && !slices.Contains(t.secrets[name], k.name) {
				t.secrets[name] = append(t.secrets[name], k.name)
			}
		}
		mark(withheld, d)
	}
}
