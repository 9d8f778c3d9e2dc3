package offline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/evaluate/decode"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// veil hides the values of secrets from somebody who may see everything else that some directories declare. What it cannot
// judge it hides: what is written of an application that is refused, or in an expression.
type veil struct {
	values []string          // of secrets
	types  map[string]string // of components, by the directory of their application and their name
	known  map[string]bool   // directories of applications all of whose values are among these

	words map[string][]string // by which variables hold secrets, by tenant

	secret map[string]bool // components that have ever been secrets, as types has them
	turned map[string]bool // directories of applications one of whose secrets becomes something else
}

// What stands in place of a value.
const (
	hiddenWord  = "(hidden)"
	hiddenOther = "(hidden, another value)"
)

func hidden([]string, string) string { return hiddenWord }

// openTypes are the types of components that have no secret but in their variables.
var openTypes = []string{"webservice", "worker", "store", "daemon", "windows-service", "job", "cron", "config", "kustomize", "helm", "external-secret", "external"}

// shortest is the length from which a value is hidden within other texts: shorter ones are in many.
const shortest = 4

// veilOf returns the veil of directories, given their states.
func veilOf(dirs []string, sides ...*side) veil {
	v := veil{types: map[string]string{}, known: map[string]bool{}, words: map[string][]string{}, secret: map[string]bool{}, turned: map[string]bool{}}
	for _, s := range sides {
		for t := range s.fleet.Tenants {
			v.learnWords(s.fleet.Tenants[t].Name, s.fleet.Tenants[t].InForce)
		}
		for _, a := range s.fleet.Applications {
			dir := layer.ApplicationDir(a.ID)
			if !slices.ContainsFunc(dirs, func(d string) bool { return d == "." || dir == d || strings.HasPrefix(dir, d+"/") }) {
				continue
			}
			v.learn(a)
			v.learnWords(a.ID.Tenant, a.InForce)
			before, seen := v.known[dir]
			v.known[dir] = a.Commit == "" && (before || !seen) // else another commit was evaluated
		}
		for _, u := range s.fleet.Unusable {
			v.known[layer.ApplicationDir(u.App)] = false
		}
	}
	return v
}

// learn adds the values and the types of an application.
func (v *veil) learn(a *model.Application) {
	for i := range a.Components {
		c := &a.Components[i]
		v.becomes(layer.ApplicationDir(a.ID), c.Name, c.Type)
		if c.Definition == "" {
			v.types[layer.ApplicationDir(a.ID)+" "+c.Name] = c.Type
		}
		if c.Type != "secret" {
			continue
		}
		for _, value := range gjson.GetBytes(c.Properties, "data").Map() { // the schema has checked that they are strings
			v.add(value.Str)
		}
	}
}

// becomes records what type a component has, after those that it had.
func (v *veil) becomes(dir, component, is string) {
	if is == "secret" {
		v.secret[dir+" "+component] = true
	} else if v.secret[dir+" "+component] {
		v.turned[dir] = true
	}
}

// learnWords adds the words by which variables hold secrets.
func (v *veil) learnWords(tenant string, policy []model.PolicyValue) {
	for _, p := range policy {
		if p.Path != "secrets.names" {
			continue
		}
		for word := range strings.FieldsFuncSeq(p.Value, func(r rune) bool { return !unicode.IsUpper(r) && !unicode.IsDigit(r) }) {
			if !slices.Contains(v.words[tenant], word) {
				v.words[tenant] = append(v.words[tenant], word)
			}
		}
	}
}

// add adds a value, and its lines: they are indented elsewhere.
func (v *veil) add(value string) {
	if value == "" {
		return
	}
	v.values = append(v.values, value)
	if strings.Contains(value, "\n") {
		for line := range strings.SplitSeq(value, "\n") {
			v.add(line)
		}
	}
}

// holds reports whether a text has a value of a secret.
func (v *veil) holds(says string) bool {
	return slices.ContainsFunc(v.values, func(s string) bool { return says == s || len(s) >= shortest && strings.Contains(says, s) })
}

// text returns a text without the values of secrets.
func (v *veil) text(s string) string {
	values := slices.Clone(v.values)
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) // none is cut by a shorter one
	for _, value := range slices.Compact(values) {
		if len(value) >= shortest {
			s = strings.ReplaceAll(s, value, hiddenWord)
			if quoted := strconv.Quote(value); quoted != `"`+value+`"` {
				s = strings.ReplaceAll(s, quoted[1:len(quoted)-1], hiddenWord)
			}
		}
	}
	return s
}

// judge returns what decides whether the layer of a directory hides a literal, given the types of components that its
// files write.
func (v *veil) judge(dir string, types map[string]string) func(path []string, says string) bool {
	secrets := !v.known[dir]
	for name := range types {
		secrets = secrets || types[name] == "secret" || types[name] == "raw"
	}
	tenant, app := subject(dir)
	private := func(path []string, says string) bool {
		switch {
		case app == "": // a definition may have a secret
			return slices.Contains(path, "definitions") && (slices.Contains(path, "data") || slices.Contains(path, "stringData"))
		case len(path) == 0 || path[0] != "application" || slices.ContainsFunc(path, hiddenField):
			return secrets
		case len(path) < 5 || path[1] != "components":
			return false
		}
		if n := len(path) - 1; path[n-1] == "env" {
			return v.words[tenant] == nil || decode.HoldsSecret(v.words[tenant], path[n], says)
		}
		if path[3] != "properties" {
			return false
		}
		is, written := types[path[2]]
		if !written {
			is = v.types[dir+" "+path[2]]
		}
		switch is {
		case "secret":
			return path[4] != "sops"
		case "raw":
			return len(path) > 6 && !slices.Contains([]string{"apiVersion", "kind", "metadata"}, path[6])
		}
		return !slices.Contains(openTypes, is) && !v.known[dir] // parameters of a definition, or a type that is computed
	}
	return func(path []string, says string) bool {
		if v.holds(says) {
			return true
		}
		hide := private(path, says)
		if hide {
			v.add(says)
		}
		return hide
	}
}

// hiddenField reports whether a name is that of a field that only expressions see.
func hiddenField(name string) bool {
	return strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#")
}

// typesIn returns the types of components that files of an application write, "" for one that is computed.
func typesIn(files []cuefile.File) map[string]string {
	types := map[string]string{}
	for _, f := range files {
		places, _ := cuefile.Index(f)
		for _, p := range places {
			if len(p.Path) == 4 && p.Path[0] == "application" && p.Path[1] == "components" && p.Path[3] == "type" {
				types[p.Path[2]], _ = p.Value().(string)
			}
		}
	}
	return types
}
