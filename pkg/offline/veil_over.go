package offline

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/source/clone"
)

// files returns the files of a directory as they may be seen, those that hide nothing as they are.
func (v *veil) files(dir string, files []cuefile.File, shown func(path []string, says string) string) (open []cuefile.File) {
	types := typesIn(files)
	for name, is := range types {
		if is == "secret" || slices.Contains(openTypes, is) { // else evaluation tells
			v.becomes(dir, name, is)
		}
	}
	private := v.judge(dir, types)
	for _, f := range files {
		open = append(open, cuefile.Hide(f, private, shown))
	}
	return open
}

// diff returns the changes of a draft as a unified diff, which tells of a hidden value only whether it is a new one.
func (v *veil) diff(was, is fs.FS, changes []clone.Change) (string, error) {
	if is == nil {
		return "", nil // it was not carried out
	}
	var open []clone.Change
	old := map[string]bool{}
	for _, dir := range dirsOf(changes) {
		before, err := layerFiles(was, dir)
		if err != nil {
			return "", err
		}
		after, err := layerFiles(is, dir)
		if err != nil {
			return "", err
		}
		before = v.files(dir, before, func(at []string, says string) string {
			old[says+"\x00"+strings.Join(at, "\x00")] = true
			return hiddenWord
		})
		after = v.files(dir, after, func(at []string, says string) string {
			if old[says+"\x00"+strings.Join(at, "\x00")] {
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
			if c.Whole() {
				f := cuefile.File{Name: c.Path[1], Data: []byte(*text)}
				*text = string(v.files(c.Dir, []cuefile.File{f}, hidden)[0].Data)
				continue
			}
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
	open := string(cuefile.Hide(f, v.judge(dir, all), hidden).Data)
	if open == "" {
		return hiddenWord
	}
	return strings.TrimPrefix(open, label)
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

// applications returns what becomes of applications without the values of secrets: why one is refused may quote them.
func (v *veil) applications(list []plan.Application) (out []plan.Application) {
	refusal := func(r *model.Refusal) *model.Refusal {
		if r == nil {
			return nil
		}
		open := *r
		open.Message = v.text(r.Message)
		return &open
	}
	decision := func(d *model.Decision) *model.Decision {
		if d == nil {
			return nil
		}
		open := *d
		open.Message, open.Refused = v.text(d.Message), refusal(d.Refused)
		return &open
	}
	for _, a := range list {
		a.Before, a.After, a.Refused = decision(a.Before), decision(a.After), refusal(a.Refused)
		out = append(out, a)
	}
	return out
}

// objects returns the changes of objects without those that would show what was a secret.
func (v *veil) objects(list []plan.ObjectChange) (out []plan.ObjectChange) {
	for _, o := range list {
		shows := v.turned[layer.ApplicationDir(o.App)] || v.holds(o.Diff)
		for _, f := range o.Fields {
			shows = shows || v.holds(string(f.Before)) || v.holds(string(f.After))
		}
		if shows && o.Kind != "Secret" {
			o.Fields, o.Diff = nil, ""
		}
		out = append(out, o)
	}
	return out
}
