package offline

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/model"
)

// Source is what the files of a base say of an application, a tenant or the platform. It has no value of a secret.
type Source struct {
	Dir      string
	Commit   string // of the files; drafts of these start from it
	Files    []SourceFile
	Places   []SourcePlace
	Declared json.RawMessage     // with the defaults; null if it is refused
	Problems []model.Problem     // for which it is
	Policy   []model.PolicyValue // in force for it, or else for what is above; it says who sets a default
}

// SourceFile is a file as people wrote it.
type SourceFile struct {
	Path string
	Text []byte // nil: values of secrets are in it, or may be
}

// SourcePlace is where a file says something.
type SourcePlace struct {
	cuefile.Place
	Says any // of a literal; Set of one that is a value of a secret
}

// Set stands for a value of a secret, in JSON.
type Set struct {
	Set bool `json:"set"`
}

// Source returns what the files of the base say in the directory of a layer. It has no files if there are none.
func (b *Base) Source(ctx context.Context, dir string) (s Source, err error) {
	s.Dir, s.Commit = dir, b.was.commit
	tenant, name := subject(dir)
	app := model.AppID{Tenant: tenant, Name: name}
	files, err := layerFiles(b.was.files, s.Dir)
	if err != nil || len(files) == 0 {
		return s, err
	}
	v := veilOf([]string{s.Dir}, &b.was.side)
	for i, f := range v.files(s.Dir, files, hidden) {
		shown := SourceFile{Path: f.Name}
		if bytes.Equal(f.Data, files[i].Data) {
			shown.Text = files[i].Data
		}
		s.Files = append(s.Files, shown)
	}
	private := v.judge(s.Dir, typesIn(files))
	for _, f := range files {
		places, err := cuefile.Index(f)
		if err != nil {
			continue // one of the problems
		}
		for _, p := range places {
			at := SourcePlace{p, p.Value()}
			if says, text := at.Says.(string); text && private(p.Path, says) {
				at.Says = Set{true}
			}
			s.Places = append(s.Places, at)
		}
	}
	document, err := b.a.evaluator.Document(app, b.was.files)
	if err != nil {
		return s, err
	}
	if s.Declared, err = v.document(s.Dir, document); err != nil {
		return s, err
	}
	against := slices.DeleteFunc(b.was.side.vetted(b.c.Now), func(p model.Problem) bool { return !concerns(&p, app) })
	s.Problems = v.problems(against)
	s.Policy = b.policyOf(app)
	return s, ctx.Err()
}

// policyOf returns the policy in force for an application, or for its tenant if it is refused.
func (b *Base) policyOf(app model.AppID) []model.PolicyValue {
	fleet := &b.was.side.fleet
	if i := slices.IndexFunc(fleet.Applications, func(a *model.Application) bool { return a.ID == app }); i >= 0 {
		return fleet.Applications[i].InForce
	}
	if t, ok := model.Find(fleet.Tenants, app.Tenant); ok {
		return t.InForce
	}
	if fleet.Platform != nil {
		return fleet.Platform.InForce
	}
	return nil
}

// document returns the document of a layer without the values of secrets.
func (v *veil) document(dir string, doc []byte) ([]byte, error) {
	var root any
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	types := map[string]string{}
	if whole, ok := root.(map[string]any); ok {
		components, _ := whole["components"].(map[string]any)
		for name, c := range components {
			if c, ok := c.(map[string]any); ok {
				types[name], _ = c["type"].(string)
			}
		}
	}
	field := "platform"
	if tenant, app := subject(dir); app != "" {
		field = "application"
	} else if tenant != "" {
		field = "tenant"
	}
	private := v.judge(dir, types)
	var hide func(x any, path []string) any
	hide = func(x any, path []string) any {
		switch x := x.(type) {
		case map[string]any:
			for k := range x {
				x[k] = hide(x[k], append(path[:len(path):len(path)], k))
			}
		case []any:
			for i := range x {
				x[i] = hide(x[i], append(path[:len(path):len(path)], strconv.Itoa(i)))
			}
		case string:
			if private(path, x) {
				return Set{true}
			}
		}
		return x
	}
	return json.Marshal(hide(root, []string{field}))
}
