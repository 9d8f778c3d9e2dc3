package offline

import (
	"bytes"
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

// DraftEdit is an edit of the layer that a directory declares, or of the text of one of its files.
type DraftEdit struct {
	Dir string // "." for the platform, tenants/acme, tenants/acme/apps/shop
	cuefile.Edit

	File string // whose text it is; "": the edit is one of a path
	Text string
}

// Conflict is a value that somebody else has changed since the base of a draft.
type Conflict struct {
	Dir string `json:"directory"`
	cuefile.Conflict
}

// Whole reports whether the conflict is about the text of a file, which its path ends with.
func (c *Conflict) Whole() bool { return len(c.Path) == 2 && c.Path[0] == "" }

// dirs returns the directories that a draft changes, in order of their first edits.
func (d Draft) dirs() (dirs []string) {
	for _, e := range d.Edits {
		if !slices.Contains(dirs, e.Dir) {
			dirs = append(dirs, e.Dir)
		}
	}
	return dirs
}

// in returns the edits of paths of a directory.
func (d Draft) in(dir string) (edits []cuefile.Edit) {
	for _, e := range d.Edits {
		if e.Dir == dir && e.File == "" && !e.whole() {
			edits = append(edits, e.Edit)
		}
	}
	return edits
}

// apply carries out the edits of a directory, one after the other, and returns the files that changed, in order.
func (d Draft) apply(dir string, files []cuefile.File) (changed []cuefile.File, err error) {
	now := slices.Clone(files)
	for _, e := range d.Edits {
		after := []cuefile.File{{Name: e.File, Data: []byte(e.Text)}}
		switch {
		case e.Dir != dir, e.whole():
			continue
		case e.File == "":
			if after, err = cuefile.Apply(now, e.Edit); err != nil {
				return nil, err
			}
		}
		for _, f := range after {
			i := slices.IndexFunc(now, func(n cuefile.File) bool { return n.Name == f.Name })
			if i < 0 {
				return nil, fmt.Errorf("%s is none of the files in %s that declare it", f.Name, dir)
			}
			now[i] = f
		}
	}
	for i, f := range now {
		if !bytes.Equal(f.Data, files[i].Data) {
			changed = append(changed, f)
		}
	}
	return changed, nil
}

// texts returns the conflicts of a draft about whole files: those whose text both changed.
func (d Draft) texts(dir string, base, theirs []cuefile.File) (found []Conflict) {
	mine := map[string]string{}
	for _, e := range d.Edits {
		if e.Dir == dir && e.File != "" {
			mine[e.File] = e.Text
		}
	}
	for _, f := range base {
		text, edited := mine[f.Name]
		if is := string(contentOf(theirs, f.Name)); edited && is != string(f.Data) && is != text {
			found = append(found, Conflict{dir, cuefile.Conflict{Path: []string{"", f.Name}, Base: string(f.Data), Mine: text, Theirs: is}})
		}
	}
	return found
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
		after, err := d.apply(dir, now)
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
	return d.spliceWholes(files, changes)
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
		if texts := d.texts(dir, was, is); len(texts) > 0 || slices.ContainsFunc(d.Edits, func(e DraftEdit) bool { return e.Dir == dir && e.File != "" }) {
			found = append(found, texts...) // the paths are of the text, not of the base
			continue
		}
		found = append(found, d.gone(dir, was, is)...)
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
	blobs, err := layer.ReadAll(files, dir)
	for _, b := range blobs {
		out = append(out, cuefile.File(b))
	}
	return out, err
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
