package offline

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/source/clone"
)

// Draft is a change of a fleet repo that is written nowhere yet.
type Draft struct {
	Base  string      // commit that the edits were made on; "": the files that they are previewed on
	Edits []DraftEdit // in order
}

// DraftEdit is an edit of the layer that a directory declares.
type DraftEdit struct {
	Dir string // "." for the platform, tenants/acme, tenants/acme/apps/shop
	cuefile.Edit
}

// Conflict is a value that somebody else has changed since the base of a draft.
type Conflict struct {
	Dir string `json:"directory"`
	cuefile.Conflict
}

// dirs returns the directories that a draft changes, in order of their first edits.
func (d Draft) dirs() (dirs []string) {
	for _, e := range d.Edits {
		if !slices.Contains(dirs, e.Dir) {
			dirs = append(dirs, e.Dir)
		}
	}
	return dirs
}

// in returns the edits of a directory.
func (d Draft) in(dir string) (edits []cuefile.Edit) {
	for _, e := range d.Edits {
		if e.Dir == dir {
			edits = append(edits, e.Edit)
		}
	}
	return edits
}

// Splice carries out a draft on files. It writes nothing.
func (d Draft) Splice(files fs.FS) (changes []clone.Change, err error) {
	for _, dir := range d.dirs() {
		before, err := layerFiles(files, dir)
		if err != nil {
			return nil, err
		}
		now := before
		if len(before) == 0 {
			now = []cuefile.File{{Name: firstFile(dir), Data: []byte("package fleet\n")}}
		}
		after, err := cuefile.Apply(now, d.in(dir)...)
		if err != nil {
			return nil, err
		}
		for _, f := range after {
			c := clone.Change{Name: f.Name, After: f.Data}
			if i := slices.IndexFunc(before, func(b cuefile.File) bool { return b.Name == f.Name }); i >= 0 {
				c.Before = before[i].Data
			}
			changes = append(changes, c)
		}
	}
	return changes, nil
}

// Conflicts returns the values that a draft changes and that differ between the files of its base and other ones.
func (d Draft) Conflicts(base, theirs fs.FS) (found []Conflict, err error) {
	for _, dir := range d.dirs() {
		was, err := layerFiles(base, dir)
		if err != nil {
			return nil, err
		}
		is, err := layerFiles(theirs, dir)
		if err != nil {
			return nil, err
		}
		if len(was) == 0 {
			was = []cuefile.File{{Name: firstFile(dir), Data: []byte("package fleet\n")}}
		}
		conflicts, err := cuefile.Conflicts(was, is, d.in(dir)...)
		if err != nil {
			return nil, err
		}
		for _, c := range conflicts {
			found = append(found, Conflict{dir, c})
		}
	}
	return found, nil
}

// layerFiles returns the CUE files of a layer.
func layerFiles(files fs.FS, dir string) (out []cuefile.File, err error) {
	if !fs.ValidPath(dir) {
		return nil, fmt.Errorf("%q is no directory of a fleet repo", dir)
	}
	names, problems, err := layer.List(files, dir)
	if err != nil {
		return nil, err
	}
	blobs, more, err := layer.Read(files, names)
	if err != nil {
		return nil, err
	}
	if problems = append(problems, more...); len(problems) > 0 {
		return nil, errors.New(problems[0].String())
	}
	for _, b := range blobs {
		out = append(out, cuefile.File(b))
	}
	return out, nil
}

// firstFile is the file that a new layer is written into.
func firstFile(dir string) string {
	name := "fleet.cue"
	if tenant, app := subject(dir); app != "" {
		name = "app.cue"
	} else if tenant != "" {
		name = "tenant.cue"
	}
	return path.Join(dir, name)
}
