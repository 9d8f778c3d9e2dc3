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
	s.each(n.items(), func(s *scope, e *node) (v any, err error) {
		name := e.at("name").string()
		if !variablePattern.MatchString(name) {
			return nil, because("is no name that a variable may have", "")
		}
		if from := e.at("valueFrom"); !from.null() {
			v, err = pod.referenceOf(s, from)
		} else {
			v, err = s.variable(name, e.at("value"))
		}
		if err == nil {
			env[name] = v
			mark(kept, e.at("name"), e.at("value"))
		}
		return nil, err
	})
	return some(env), nil
}

// variables takes variables that are a mapping of names to values.
func (pods) variables(s *scope, n *node) (any, error) {
	return s.fields(n, func(name string, v *node) (value any, err error) {
		switch {
		case v.kind == scalar && v.fate == lost:
			return nil, nil
		case !variablePattern.MatchString(name):
			return nil, because("is no name that a variable may have", "")
		}
		if value, err = s.variable(name, v); err == nil {
			mark(kept, v)
		}
		return value, err
	}), nil
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
func (pods) referenceOf(s *scope, n *node) (v any, err error) {
	from := n.at("secretKeyRef")
	switch {
	case !from.null():
		v, err = s.secret(from.at("name").string(), from.at("key").string())
	case !n.at("configMapKeyRef").null():
		from = n.at("configMapKeyRef")
		v, err = s.configKey(from.at("name").string(), from.at("key").string())
	case fieldPattern.MatchString(n.at("fieldRef.fieldPath").string()):
		mark(kept, n.at("fieldRef"))
		return doc{"field": n.at("fieldRef.fieldPath").string()}, nil
	default:
		return nil, because("comes from something that a variable cannot have its value from", "properties: env")
	}
	if err == nil {
		mark(kept, from.at("name"), from.at("key"))
	}
	return v, err
}

// envFrom takes what gives a container all its keys as variables.
func (pods) envFrom(s *scope, n *node) (any, error) {
	config, secret := n.at("configMapRef.name"), n.at("secretRef.name")
	switch {
	case n.at("prefix").string() != "":
		return nil, because("names with a prefix are not made", "properties: env")
	case !config.null():
		source, err := s.configMap(config.string())
		if err == nil {
			mark(kept, config)
		}
		return doc{"config": source}, err
	case !secret.null() && objectPattern.MatchString(secret.string()):
		s.keep(secret.string())
		mark(kept, secret)
		return doc{"secret": doc{"existing": secret.string()}}, nil
	}
	return nil, because("names neither a ConfigMap nor a Secret", "")
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
