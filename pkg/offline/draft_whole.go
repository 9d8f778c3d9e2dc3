package offline

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source/clone"
)

// mostMoved is how many files an application has at most that a draft removes or gives another name.
const mostMoved = 500

// whole reports whether an edit removes all of an application, or gives it another name.
func (e *DraftEdit) whole() bool {
	_, app := subject(e.Dir)
	return e.File == "" && app != "" && len(e.Path) == 1 && (e.Op == cuefile.Remove || e.Op == cuefile.Rename)
}

// moving is the removal of an application, or its way to another directory. What its tenant says elsewhere about it goes along; files of
// others are theirs to change, and vet tells who still needs it.
type moving struct {
	files   fs.FS          // before the draft
	changes []clone.Change // of the draft so far

	tenant, app string
	name        string // it gets this one; "": it goes away
}

// spliceWholes carries out the edits of whole applications after all others.
func (d Draft) spliceWholes(files fs.FS, changes []clone.Change) ([]clone.Change, error) {
	m := moving{files: files, changes: changes}
	var seen []string
	for _, e := range d.Edits {
		if !e.whole() {
			continue
		}
		if slices.Contains(seen, e.Dir) {
			return nil, fmt.Errorf("a draft removes or renames %s once", e.Dir)
		}
		seen = append(seen, e.Dir)
		m.name = ""
		if e.Op == cuefile.Rename {
			m.name, _ = e.Value.(string)
			if !model.ValidName(m.name) {
				return nil, fmt.Errorf("%.80q cannot name an application", m.name)
			}
		}
		m.tenant, m.app = subject(e.Dir)
		if err := m.carryOut(); err != nil {
			return nil, err
		}
	}
	return m.changes, nil
}

func (m *moving) dir(app string) string { return path.Join("tenants", m.tenant, "apps", app) }

func (m *moving) carryOut() error {
	own, err := m.now(m.dir(m.app))
	if err == nil && len(own) == 0 {
		err = fmt.Errorf("no file declares an application %s/%s", m.tenant, m.app)
	}
	if err != nil {
		return err
	}
	if m.name != "" {
		if _, err := fs.Stat(m.files, m.dir(m.name)); err == nil || slices.ContainsFunc(m.changes, func(c clone.Change) bool { return strings.HasPrefix(c.Name, m.dir(m.name)+"/") }) {
			return fmt.Errorf("tenant %s has an application %s already", m.tenant, m.name)
		}
		if err := m.edit(m.dir(m.app), func([]cuefile.Place) ([]cuefile.Edit, error) {
			return []cuefile.Edit{{Path: []string{"application", "name"}, Op: cuefile.Set, Value: m.name}}, nil
		}); err != nil {
			return err
		}
		if err := m.follow(); err != nil {
			return err
		}
	}
	if err := m.edit(path.Join("tenants", m.tenant), m.ofTenant); err != nil {
		return err
	}
	return m.takeAlong()
}

// ofTenant returns the edits of what the tenant says about the application: who owns it, and the commit that it is pinned to.
func (m *moving) ofTenant(places []cuefile.Place) (edits []cuefile.Edit, err error) {
	for _, above := range [][]string{{"tenant", "releases"}, {"tenant", "access", "owners"}} {
		at := append(slices.Clone(above), m.app)
		i := slices.IndexFunc(places, func(p cuefile.Place) bool { return len(p.Path) >= len(at) && slices.Equal(p.Path[:len(at)], at) })
		switch {
		case i < 0:
		case m.name == "":
			edits = append(edits, cuefile.Edit{Path: at, Op: cuefile.Unset})
		case above[1] == "releases":
			return nil, fmt.Errorf("%s: %s/%s is pinned to a commit, which has no application %s; take the pin out first", places[i].Pos, m.tenant, m.app, m.name)
		default:
			edits = append(edits, cuefile.Edit{Path: at, Op: cuefile.Rename, Value: m.name})
		}
	}
	return edits, nil
}

// follow has the applications of the tenant connect to components by the new name.
func (m *moving) follow() error {
	entries, err := fs.ReadDir(m.files, m.dir(""))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		err := m.edit(m.dir(entry.Name()), func(places []cuefile.Place) (edits []cuefile.Edit, _ error) {
			for _, p := range places {
				if len(p.Path) != 5 || p.Path[1] != "components" || p.Path[3] != "connects" {
					continue
				}
				text, _ := p.Value().(string)
				peer := model.PeerOf(m.tenant, text)
				if peer.App != (model.AppID{Tenant: m.tenant, Name: m.app}) {
					continue
				}
				to := m.name + "/" + peer.Component
				if strings.Count(text, "/") == 2 {
					to = m.tenant + "/" + to
				}
				edits = append(edits, cuefile.Edit{Path: p.Path, Op: cuefile.Set, Value: to})
			}
			return edits, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// takeAlong removes the files of the application, and has them in the new directory.
func (m *moving) takeAlong() error {
	from, found := m.dir(m.app), 0
	return fs.WalkDir(m.files, from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if found++; found > mostMoved {
			return fmt.Errorf("%s has more than %d files; use git", from, mostMoved)
		}
		is, err := m.read(name)
		if err != nil {
			return err
		}
		if m.name != "" {
			m.put(m.dir(m.name)+strings.TrimPrefix(name, from), nil, is)
		}
		before, err := fs.ReadFile(m.files, name)
		m.put(name, before, nil)
		return err
	})
}

// now returns the CUE files of a layer as the draft has them so far.
func (m *moving) now(dir string) ([]cuefile.File, error) {
	files, err := layerFiles(m.files, dir)
	for i := range files {
		if c := slices.IndexFunc(m.changes, func(c clone.Change) bool { return c.Name == files[i].Name }); c >= 0 {
			files[i].Data = m.changes[c].After
		}
	}
	return slices.DeleteFunc(files, func(f cuefile.File) bool { return f.Data == nil }), err
}

// read returns a file as the draft has it so far.
func (m *moving) read(name string) ([]byte, error) {
	if c := slices.IndexFunc(m.changes, func(c clone.Change) bool { return c.Name == name }); c >= 0 {
		return m.changes[c].After, nil
	}
	return fs.ReadFile(m.files, name)
}

// put changes a file.
func (m *moving) put(name string, before, after []byte) {
	if c := slices.IndexFunc(m.changes, func(c clone.Change) bool { return c.Name == name }); c >= 0 {
		m.changes[c].After = after
		return
	}
	m.changes = append(m.changes, clone.Change{Name: name, Before: before, After: after})
}

// edit carries out the edits that follow from what the files of a layer say.
func (m *moving) edit(dir string, of func([]cuefile.Place) ([]cuefile.Edit, error)) error {
	files, err := m.now(dir)
	if err != nil {
		return err
	}
	var places []cuefile.Place
	for _, f := range files {
		more, err := cuefile.Index(f)
		if err != nil {
			return err
		}
		places = append(places, more...)
	}
	edits, err := of(places)
	if err != nil || len(edits) == 0 {
		return err
	}
	changed, err := cuefile.Apply(files, edits...)
	for _, f := range changed {
		before, _ := fs.ReadFile(m.files, f.Name) // nil: the draft makes it
		m.put(f.Name, before, f.Data)
	}
	return err
}

// gone returns the conflicts of a draft that removes an application whose files others changed.
func (d Draft) gone(dir string, base, theirs []cuefile.File) (found []Conflict) {
	if !slices.ContainsFunc(d.Edits, func(e DraftEdit) bool { return e.Dir == dir && e.whole() && e.Op == cuefile.Remove }) {
		return nil
	}
	for _, f := range theirs {
		if was := contentOf(base, f.Name); !bytes.Equal(was, f.Data) {
			found = append(found, Conflict{dir, cuefile.Conflict{Path: []string{"", f.Name}, Base: string(was), Theirs: string(f.Data)}})
		}
	}
	return found
}
