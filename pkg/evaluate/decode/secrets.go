package decode

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// secretsDoc is the part of schema.#Effective about secrets.
type secretsDoc struct {
	Names       []string `json:"names"`
	Literals    string   `json:"literals"` // hidden or refused
	Existing    []string `json:"existing"`
	Stores      []string `json:"stores"`
	Annotations []string `json:"annotations"`
}

// hiddenSuffix ends the name of the secret component that holds the literals of another.
const hiddenSuffix = "-env"

// secrets checks what the components of an application say about secrets, and moves the
// literals of variables that hold secrets into secret components, one beside each component.
func (d *secretsDoc) secrets(a *model.Application, own *layer.Layer) (problems []model.Problem) {
	var hidden []model.Component
	for i := range a.Components {
		c := secretsOf{doc: d, c: &a.Components[i], own: own}
		if c.c.Runs() {
			c.check()
			if h := c.hide(a); h != nil {
				hidden = append(hidden, *h)
			}
		}
		switch c.c.Type {
		case "external-secret":
			c.store()
		case "helm":
			c.chart()
		}
		problems = append(problems, c.problems...)
	}
	if hidden != nil {
		a.Components = append(a.Components, hidden...)
		slices.SortFunc(a.Components, func(x, y model.Component) int { return strings.Compare(x.Name, y.Name) })
	}
	return problems
}

// secretsOf is one component while its secrets are checked.
type secretsOf struct {
	doc      *secretsDoc
	c        *model.Component
	own      *layer.Layer
	problems []model.Problem
}

func (s *secretsOf) bad(code, below, format string, args ...any) {
	s.problems = append(s.problems, s.own.Blame(code, "application.components."+s.c.Name+below, fmt.Sprintf(format, args...)))
}

// check holds the Secrets of others and the annotations of an account to the policy.
func (s *secretsOf) check() {
	var properties struct {
		Env            map[string]json.RawMessage `json:"env"`
		PullSecrets    []string                   `json:"pullSecrets"`
		ServiceAccount struct {
			Annotations map[string]string `json:"annotations"`
		} `json:"serviceAccount"`
		Disks []struct {
			Source json.RawMessage `json:"source"`
		} `json:"disks"`
		CloudInit firstStartDoc `json:"cloudInit"`
	}
	var traits struct {
		EnvFrom []map[string]json.RawMessage `json:"envFrom"`
		Storage []struct {
			Type   string          `json:"type"`
			Source json.RawMessage `json:"source"`
		} `json:"storage"`
		Init     []extraDoc `json:"init"`
		Sidecars []extraDoc `json:"sidecars"`
	}
	// The schema has checked both, so they decode.
	json.Unmarshal(s.c.Properties, &properties)
	json.Unmarshal(s.c.Traits, &traits)
	s.variables(".properties.env", properties.Env)
	for i, name := range properties.PullSecrets {
		s.allowed(name, fmt.Sprintf(".properties.pullSecrets.%d", i))
	}
	for _, key := range slices.Sorted(maps.Keys(properties.ServiceAccount.Annotations)) {
		if text := key + "=" + properties.ServiceAccount.Annotations[key]; !model.Matches(s.doc.Annotations, text) {
			s.bad(catalogue.ServiceAccount, ".properties.serviceAccount.annotations."+key, "is an annotation that policy does not allow with this value; it allows %s (secrets.annotations)", allows(s.doc.Annotations))
		}
	}
	for i, disk := range properties.Disks {
		s.existing(disk.Source, fmt.Sprintf(".properties.disks.%d.source.existing", i))
	}
	s.firstStart(properties.CloudInit)
	s.allKeys(".traits.envFrom", traits.EnvFrom)
	for i, mount := range traits.Storage {
		if mount.Type == "secret" {
			s.existing(mount.Source, fmt.Sprintf(".traits.storage.%d.source.existing", i))
		}
	}
	for i := range traits.Init {
		s.extra(fmt.Sprintf(".traits.init.%d", i), traits.Init[i])
	}
	for i := range traits.Sidecars {
		s.extra(fmt.Sprintf(".traits.sidecars.%d", i), traits.Sidecars[i])
	}
}

// extraDoc is the part of a container beside the component's own that names secrets.
type extraDoc struct {
	Env     map[string]json.RawMessage   `json:"env"`
	EnvFrom []map[string]json.RawMessage `json:"envFrom"`
}

// allKeys checks the Secrets of others of which a container has all keys.
func (s *secretsOf) allKeys(below string, sources []map[string]json.RawMessage) {
	for i, from := range sources {
		s.existing(from["secret"], fmt.Sprintf("%s.%d.secret.existing", below, i))
	}
}

// variables checks the Secrets of others that variables name.
func (s *secretsOf) variables(below string, env map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		var from map[string]json.RawMessage
		if json.Unmarshal(env[name], &from) == nil {
			s.existing(from["secret"], below+"."+name+".secret.existing")
		}
	}
}

// extra checks a container beside the component's own. Its literals are not
// moved elsewhere, so none may hold a secret.
func (s *secretsOf) extra(below string, of extraDoc) {
	s.allKeys(below+".envFrom", of.EnvFrom)
	below, env := below+".env", of.Env
	s.variables(below, env)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if s.literal(name, env[name]) != "" {
			s.bad(catalogue.SecretLiteral, below+"."+name, "is a literal in a variable that holds a secret, of a container beside the component's own; refer to a secret component or an existing Secret")
		}
	}
}

// literal returns the value of a variable that holds a secret and is a literal, "" of others.
func (s *secretsOf) literal(name string, value json.RawMessage) (literal string) {
	if json.Unmarshal(value, &literal) != nil || !HoldsSecret(s.doc.Names, name, literal) {
		return ""
	}
	return literal
}

// existing checks a reference, which may be one to a Secret that others made.
func (s *secretsOf) existing(reference json.RawMessage, below string) {
	var to struct {
		Existing string `json:"existing"`
	}
	if json.Unmarshal(reference, &to) == nil && to.Existing != "" {
		s.allowed(to.Existing, below)
	}
}

func (s *secretsOf) allowed(name, below string) {
	if !model.Matches(s.doc.Existing, name) {
		s.bad(catalogue.ExistingSecret, below, "names Secret %s, and policy allows %s (secrets.existing)", name, allows(s.doc.Existing))
	}
}

// store holds the store of an external secret to the policy.
func (s *secretsOf) store() {
	if name := gjson.GetBytes(s.c.Properties, "store.name").String(); !model.Matches(s.doc.Stores, name) {
		s.bad(catalogue.SecretStore, ".properties.store.name", "reads store %s, and policy allows %s (secrets.stores)", name, allows(s.doc.Stores))
	}
}

// hide moves the literals of variables that hold secrets out of the component. It returns
// the secret component that has them, nil if there are none or if policy refuses them.
func (s *secretsOf) hide(a *model.Application) *model.Component {
	var properties, env map[string]json.RawMessage
	if json.Unmarshal(s.c.Properties, &properties) != nil || json.Unmarshal(properties["env"], &env) != nil {
		return nil
	}
	name, data := s.c.Name+hiddenSuffix, map[string]string{}
	for _, variable := range slices.Sorted(maps.Keys(env)) {
		switch literal := s.literal(variable, env[variable]); {
		case literal == "":
		case s.c.Runtime == "process":
			s.bad(catalogue.ProcessVariable, ".properties.env."+variable, "is a literal in a variable that holds a secret, and hosts get no secrets; have the program read it from a file of its host")
		case s.c.Runtime == "wasm" || s.c.Runtime == "nomad":
			s.bad(catalogue.ModuleVariable, ".properties.env."+variable, "is a literal in a variable that holds a secret, and modules and tasks of Nomad get no secrets")
		case s.doc.Literals == "refused":
			s.bad(catalogue.SecretLiteral, ".properties.env."+variable, "is a literal in a variable that holds a secret, which policy refuses (secrets.literals); refer to a secret component or an existing Secret")
		default:
			data[variable] = literal
			env[variable] = encoded(map[string]any{"secret": map[string]string{"name": name, "key": variable}})
		}
	}
	if len(data) == 0 {
		return nil
	}
	if _, taken := a.Component(name); taken {
		s.bad(catalogue.HiddenName, ".properties.env", "has literals that hold secrets, which a component %s keeps, and the application has a component of that name; rename it", name)
		return nil
	}
	properties["env"] = encoded(env)
	s.c.Properties = encoded(properties)
	return &model.Component{Name: name, Type: "secret", Critical: true, OS: s.c.OS, Properties: encoded(map[string]any{"data": data})}
}

// passwordInURL matches an address with a password. One that another variable has,
// $(PASSWORD), is none: the kubelet fills it in, in literals only.
var passwordInURL = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://[^/?#@:]*:[^/?#@$][^/?#@]*@`)

// HoldsSecret reports whether a part of the name of a variable ends with one of some words, or its value is
// an address with a password.
func HoldsSecret(words []string, variable, value string) bool {
	for part := range strings.FieldsFuncSeq(strings.ToUpper(variable), func(r rune) bool { return strings.ContainsRune("_.-", r) }) {
		if slices.ContainsFunc(words, func(word string) bool { return strings.HasSuffix(part, word) }) {
			return true
		}
	}
	return passwordInURL.MatchString(value)
}

// encoded returns a value of maps and strings as JSON with sorted keys.
func encoded(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("decode: a map of strings cannot be encoded: " + err.Error())
	}
	return b
}

func allows(patterns []string) string {
	if len(patterns) == 0 {
		return "none"
	}
	return strings.Join(patterns, ", ")
}
