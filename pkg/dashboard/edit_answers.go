package dashboard

import (
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/view"
)

// sourceOf returns what files say of a layer as an answer.
func sourceOf(s offline.Source) view.Source {
	field, _ := layerOf(s.Dir)
	v := view.Source{
		Dir: s.Dir, Base: s.Commit, Declared: s.Declared, Files: []view.SourceFile{}, Places: []view.SourcePlace{},
		Policy: append([]model.PolicyValue{}, s.Policy...),
	}
	if field == "application" {
		part := strings.Split(s.Dir, "/")
		v.Application = part[1] + "/" + part[3]
	}
	for _, f := range s.Files {
		file := view.SourceFile{Path: f.Path, Masked: f.Text == nil}
		if f.Text != nil {
			text := string(f.Text)
			file.Text = &text
		}
		v.Files = append(v.Files, file)
	}
	var places []cuefile.Place
	for _, p := range s.Places {
		places = append(places, p.Place)
		if p.Path[0] != field || len(p.Path) == 1 {
			continue
		}
		v.Places = append(v.Places, view.SourcePlace{Path: p.Path[1:], File: p.File, Line: p.Pos.Line, Kind: p.Kind, Why: p.Why, Value: p.Says})
	}
	v.Problems = problemsOf(s.Problems, places)
	return v
}

// problemsOf returns problems with their fields. Places tell names with dots.
func problemsOf(list []model.Problem, places []cuefile.Place) []view.Problem {
	out := []view.Problem{}
	for _, p := range list {
		v := view.Problem{Problem: p, Dir: ".", Field: []string{}}
		switch {
		case p.App != "":
			v.Dir = "tenants/" + p.Tenant + "/apps/" + p.App
		case p.Tenant != "":
			v.Dir = "tenants/" + p.Tenant
		}
		path := strings.Split(p.Path, ".")
		if i := slices.IndexFunc(places, func(at cuefile.Place) bool { return strings.Join(at.Path, ".") == p.Path }); i >= 0 {
			path = places[i].Path
		}
		if field, _ := layerOf(v.Dir); path[0] == field {
			v.Field = path[1:]
		}
		out = append(out, v)
	}
	return out
}

// previewOf returns a preview as an answer, and as it is shown, without the values of secrets.
func previewOf(p offline.Preview) (v view.Preview, shown offline.Preview, err error) {
	v = view.Preview{Saves: p.Saves(), Base: p.Commit, Files: []view.PreviewFile{}, Conflicts: []view.DraftConflict{}}
	for _, c := range p.Changes {
		f := view.PreviewFile{Path: c.Name, Created: c.Before == nil, Deleted: c.After == nil}
		if text, ok := p.Text(c.Name); ok {
			f.Text = &text
		}
		v.Files = append(v.Files, f)
	}
	for _, c := range p.Conflicts {
		v.Conflicts = append(v.Conflicts, view.DraftConflict{Dir: c.Dir, Path: c.Path[1:], Whole: c.Whole(), Base: c.Base, Mine: c.Mine, Theirs: c.Theirs})
	}
	shown, diff, err := p.Shown()
	if err != nil {
		return v, shown, err
	}
	v.Diff, v.Problems = diff, problemsOf(shown.Problems, p.Places())
	if len(p.Conflicts) == 0 {
		plan := view.PlanOf(shown.Plan)
		v.Plan = &plan
	}
	return v, shown, nil
}

// savedOf returns what was saved as an answer, with what a pull request of it needs.
func (s *Server) savedOf(is clone.Saved, d *Drafted) view.SavedDraft {
	v := view.SavedDraft{Branch: is.Branch, Commit: is.Commit, Signed: is.Signed, Pushed: is.Pushed, Refused: is.Refused, Approvals: d.Approvals, Text: d.Text}
	if !is.Pushed {
		v.Push = "git push origin " + is.Branch
	}
	if s.Proposal != nil {
		v.Propose = s.Proposal(is.Branch)
	}
	return v
}

// offersOf returns what a fleet offers to a tenant as an answer.
func offersOf(o offline.Offers, tenant string) view.Offers {
	v := view.Offers{
		Base: o.Commit, ComponentTypes: typesOf(o.ComponentTypes), StepTypes: typesOf(o.StepTypes), Traits: []view.OfferedTrait{}, Pools: []view.OfferedPool{},
		Runtimes: []string{}, QoS: []string{}, Bands: []model.Band{}, Applications: []string{}, Tenants: []string{},
	}
	for _, t := range o.Traits {
		v.Traits = append(v.Traits, view.OfferedTrait{Name: t.Name, About: t.About, Types: append([]string{}, t.Types...), Definition: t.Defined})
	}
	if p := o.Fleet.Platform; p != nil {
		v.Bands = append(v.Bands, p.Bands...)
		for _, pool := range p.Pools {
			v.Pools = append(v.Pools, view.OfferedPool{Name: pool.Name, OS: append([]string{}, pool.OS...), Runtimes: append([]string{}, pool.Runtimes...)})
			v.Runtimes = append(v.Runtimes, pool.Runtimes...)
		}
		for _, q := range p.Profiles {
			v.QoS = append(v.QoS, q.Name)
		}
		slices.Sort(v.Runtimes)
		v.Runtimes = slices.Compact(v.Runtimes)
	}
	apps, tenants := o.Declared()
	for _, app := range apps {
		if app.Tenant == tenant {
			v.Applications = append(v.Applications, app.Name)
		}
	}
	v.Tenants = append(v.Tenants, tenants...)
	return v
}

func typesOf(list []offline.OfferedType) []view.OfferedType {
	out := []view.OfferedType{}
	for _, t := range list {
		out = append(out, view.OfferedType{Name: t.Name, About: t.About, Definition: t.Defined})
	}
	return out
}
