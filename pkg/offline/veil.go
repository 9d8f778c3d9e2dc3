package offline

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/evaluate/decode"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source/clone"
)

// veil hides the values of secrets from somebody who may see everything else that some directories declare. What it cannot
// judge it hides: what is written of an application that is refused, or in an expression.
type veil struct {
	values []string          // of secrets
	types  map[string]string // of components, by the directory of their application and their name
	known  map[string]bool   // directories of applications all of whose values are among these

	words map[string][]string // by which variables hold secrets, by tenant
}

// What stands in place of a value.
const (
	hiddenWord  = "••••"
	hiddenOther = "•••• (another one)"
)

// shortest is the length from which a value is hidden within other texts: shorter ones are in many.
const shortest = 4

// veilOf returns the veil of directories, given their states.
func veilOf(dirs []string, sides ...*side) veil {
	v := veil{types: map[string]string{}, known: map[string]bool{}, words: map[string][]string{}}
	for i, s := range sides {
		for t := range s.fleet.Tenants {
			v.learnWords(s.fleet.Tenants[t].Name, s.fleet.Tenants[t].Policy.InForce)
		}
		for _, a := range s.fleet.Applications {
			dir := layer.ApplicationDir(a.ID)
			if !slices.ContainsFunc(dirs, func(d string) bool { return d == "." || dir == d || strings.HasPrefix(dir, d+"/") }) {
				continue
			}
			v.learn(a)
			v.learnWords(a.ID.Tenant, a.Policy.InForce)
			v.known[dir] = a.Commit == "" && (i == 0 || v.known[dir]) // else another commit was evaluated
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
		if c.Definition == "" {
			v.types[layer.ApplicationDir(a.ID)+" "+c.Name] = c.Type
		}
		if c.Type != "secret" && c.Type != "raw" {
			continue
		}
		var has struct {
			Data    map[string]string `json:"data"`
			Objects []struct {
				Kind       string         `json:"kind"`
				Data       map[string]any `json:"data"`
				StringData map[string]any `json:"stringData"`
			} `json:"objects"`
		}
		_ = json.Unmarshal(c.Properties, &has) // the schema has checked it
		for _, value := range has.Data {
			v.add(value)
		}
		for _, o := range has.Objects {
			if o.Kind != "Secret" {
				continue
			}
			for _, value := range o.StringData {
				v.add(value)
			}
			for _, value := range o.Data {
				v.add(value)
				if s, ok := value.(string); ok {
					if plain, err := base64.StdEncoding.DecodeString(s); err == nil {
						v.add(string(plain))
					}
				}
			}
		}
	}
}

// learnWords adds the words by which variables hold secrets.
func (v *veil) learnWords(tenant string, policy []model.PolicyValue) {
	for _, p := range policy {
		if p.Path == "secrets.names" {
			v.words[tenant] = append(v.words[tenant], strings.FieldsFunc(p.Value, func(r rune) bool { return !unicode.IsUpper(r) && !unicode.IsDigit(r) })...)
		}
	}
}

func (v *veil) add(value any) {
	if s, ok := value.(string); ok && s != "" {
		v.values = append(v.values, s)
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

// problems returns problems without the values of secrets.
func (v *veil) problems(list []model.Problem) (out []model.Problem) {
	for _, p := range list {
		p.Message = v.text(p.Message)
		p.Places = slices.Clone(p.Places)
		for i := range p.Places {
			p.Places[i].Note = v.text(p.Places[i].Note)
		}
		out = append(out, p)
	}
	return out
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
		case app == "":
			return false
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
		case "webservice", "worker", "store", "daemon", "job", "cron", "config", "kustomize", "external-secret":
			return false
		}
		return !v.known[dir] // parameters of a definition, or a type that is computed
	}
	return func(path []string, says string) bool {
		if v.holds(says) {
			return true
		}
		hide := private(path, says)
		if hide {
			v.values = append(v.values, says)
		}
		return hide
	}
}

// hiddenField reports whether a name is that of a field that only expressions see.
func hiddenField(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#") }

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

// files returns the files of a directory as they may be seen, those that hide nothing as they are.
func (v *veil) files(dir string, files []cuefile.File, shown func(says string) string) (open []cuefile.File) {
	private := v.judge(dir, typesIn(files))
	for _, f := range files {
		open = append(open, cuefile.Hide(f, private, shown))
	}
	return open
}

// diff returns the changes of a draft as a unified diff, which tells of a hidden value only whether it is a new one.
func (v *veil) diff(was, is fs.FS, changes []clone.Change) (string, error) {
	var open []clone.Change
	for _, dir := range dirsOf(changes) {
		before, err := layerFiles(was, dir)
		if err != nil {
			return "", err
		}
		after, err := layerFiles(is, dir)
		if err != nil {
			return "", err
		}
		old := map[string]bool{}
		before = v.files(dir, before, func(says string) string { old[says] = true; return hiddenWord })
		after = v.files(dir, after, func(says string) string {
			if old[says] {
				return hiddenWord
			}
			return hiddenOther
		})
		for _, c := range changes {
			if path.Dir(c.Name) == dir {
				open = append(open, clone.Change{Name: c.Name, Before: contentOf(before, c.Name), After: contentOf(after, c.Name)})
			}
		}
	}
	return Diff(open), nil
}

// dirsOf returns the directories of changes, in order.
func dirsOf(changes []clone.Change) (dirs []string) {
	for _, c := range changes {
		if dir := path.Dir(c.Name); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func contentOf(files []cuefile.File, name string) []byte {
	i := slices.IndexFunc(files, func(f cuefile.File) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return files[i].Data
}

// conflicts hides the values of secrets in conflicts of a directory, given the files that they are about.
func (v *veil) conflicts(found []Conflict, sides ...fs.FS) error {
	for i := range found {
		c := &found[i]
		types := map[string]string{}
		for _, side := range sides {
			files, err := layerFiles(side, c.Dir)
			if err != nil {
				return err
			}
			maps.Copy(types, typesIn(files))
		}
		for _, text := range []*string{&c.Base, &c.Mine, &c.Theirs} {
			*text = v.written(c.Dir, types, c.Path, *text)
		}
	}
	return nil
}

// written hides the values of secrets in what is written at a path.
func (v *veil) written(dir string, types map[string]string, path []string, text string) string {
	if text == "" {
		return ""
	}
	label := cuefile.Label(path...)
	f := cuefile.File{Data: []byte(label + text)}
	all := maps.Clone(types)
	maps.Copy(all, typesIn([]cuefile.File{f}))
	open := string(cuefile.Hide(f, v.judge(dir, all), func(string) string { return hiddenWord }).Data)
	if open == "" {
		return hiddenWord
	}
	return strings.TrimPrefix(open, label)
}
