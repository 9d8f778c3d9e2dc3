package status

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/git"
)

// dir is one directory of the branch as it is, or as it is to be. It never
// changes; edits make a new one that shares what they leave alone.
type dir struct {
	hash    git.Hash
	entries []entry // by name
	count   int     // of the files below
}

type entry struct {
	name string
	mode git.Mode
	hash git.Hash // of a file
	dir  *dir     // nil for a file
}

// errNotShared reports that a state cannot be read from what differs from another one. It
// may be read whole.
var errNotShared = errors.New("it cannot be read from what differs")

// since reads a directory with all below it, of which d is an older version: it shares what is the
// same. left is how many entries may still be read, and a name that is refused is errNotShared. Where
// that is nil, anything may be read. Links, submodules and refused names are left out then, so they
// disappear when the directory is next written.
func (d *dir) since(store *git.Store, tree git.Hash, depth int, left *int) (*dir, error) {
	if d.hash == tree {
		return d, nil
	}
	t, err := store.Tree(tree)
	if err != nil {
		return nil, err
	}
	if left != nil {
		if *left -= len(t.Entries); *left < 0 || depth < 0 {
			return nil, errNotShared
		}
	}
	made := &dir{hash: tree, entries: make([]entry, 0, len(t.Entries))}
	for _, e := range t.Entries {
		if e.Refused != "" && left != nil {
			return nil, errNotShared
		} else if e.Refused != "" {
			continue
		}
		next := entry{name: e.Name, mode: e.Mode, hash: e.Hash}
		if e.Mode == git.ModeDir {
			if next.dir, err = cmp.Or(d.child(e.Name), &dir{}).since(store, e.Hash, depth-1, left); err != nil {
				return nil, err
			}
		}
		made.entries = append(made.entries, next)
		made.count += next.files()
	}
	return made, nil
}

// files counts the files of an entry.
func (e *entry) files() int {
	if e.dir != nil {
		return e.dir.count
	}
	return 1
}

func (d *dir) find(name string) (int, bool) {
	return slices.BinarySearchFunc(d.entries, name, func(e entry, n string) int { return strings.Compare(e.name, n) })
}

// child returns a directory in d, nil if there is none of that name.
func (d *dir) child(name string) *dir {
	if i, found := d.find(name); found {
		return d.entries[i].dir
	}
	return nil
}

// at returns the directory at a path below d, nil if there is none.
func (d *dir) at(path string) *dir {
	for name := range strings.SplitSeq(path, "/") {
		if d = d.child(name); d == nil {
			break
		}
	}
	return d
}

// blob returns the hash of the file at a path below d, ZeroHash if there is none.
func (d *dir) blob(path string) git.Hash {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		if d = d.at(path[:i]); d == nil {
			return git.ZeroHash
		}
		path = path[i+1:]
	}
	if i, found := d.find(path); found && d.entries[i].dir == nil {
		return d.entries[i].hash
	}
	return git.ZeroHash
}

// files lists the paths of all files below d.
func (d *dir) files(prefix string) (paths []string) {
	for _, e := range d.entries {
		if e.dir != nil {
			paths = append(paths, e.dir.files(prefix+e.name+"/")...)
		} else {
			paths = append(paths, prefix+e.name)
		}
	}
	return paths
}

// edit is a change at one path: a new file, a removal, or edits of what is below, by
// name.
type edit struct {
	file    []byte
	removed bool
	below   map[string]*edit
}

// at returns the edit of a path, ready to be filled in.
func (e *edit) at(path string) *edit {
	for name := range strings.SplitSeq(path, "/") {
		if e.below == nil {
			e.below = map[string]*edit{}
		}
		next, ok := e.below[name]
		if !ok {
			next = &edit{}
			e.below[name] = next
		}
		e = next
	}
	return e
}

func (e *edit) write(path string, content []byte) { *e.at(path) = edit{file: content} }

func (e *edit) remove(path string) { *e.at(path) = edit{removed: true} }

// edited returns d with the edits made, and adds the objects that this needs.
// Its cost follows from the edits and the directories they lie in. A directory
// that becomes empty is nil: Git keeps none.
func (d *dir) edited(e *edit, objects *git.Objects) *dir {
	made := &dir{entries: make([]entry, 0, len(d.entries)+len(e.below))}
	for _, old := range d.entries {
		if e.below[old.name] == nil {
			made.entries = append(made.entries, old)
		}
	}
	for name, change := range e.below {
		next := entry{name: name, mode: git.ModeFile}
		switch {
		case change.removed:
			continue
		case change.file != nil:
			next.hash = objects.AddBlob(change.file)
		default:
			if next.mode, next.dir = git.ModeDir, cmp.Or(d.child(name), &dir{}).edited(change, objects); next.dir == nil {
				continue
			}
		}
		made.entries = append(made.entries, next)
	}
	if len(made.entries) == 0 {
		return nil
	}
	made.entries = slices.Clone(made.entries) // without the room for the entries that changed
	slices.SortFunc(made.entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	for i := range made.entries {
		made.count += made.entries[i].files()
	}
	made.hash = objects.AddTree(made.git())
	return made
}

func (d *dir) git() []git.Entry {
	list := make([]git.Entry, len(d.entries))
	for i, e := range d.entries {
		list[i] = git.Entry{Name: e.name, Mode: e.mode, Hash: e.hash}
		if e.dir != nil {
			list[i].Hash = e.dir.hash
		}
	}
	return list
}
