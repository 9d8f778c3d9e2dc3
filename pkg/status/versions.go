package status

import (
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// version is the past of an application as one commit records it. It is zero if the
// commit does not know the application.
type version struct {
	dir      git.Hash       // its directory
	format   int            // major, that its files are written in
	instance model.Instance // without specs and components
	damaged  bool           // a record of it cannot be read, so it has no past here
}

// versions reads versions of applications from the history of the branch. It caches
// them, because most commits change few.
type versions struct {
	store *git.Store
	known map[place]version
	specs bool // read them, too
}

type place struct {
	app model.AppID
	dir git.Hash
}

// maxVersions bounds the versions that are remembered.
const maxVersions = 10_000

func newVersions(store *git.Store) *versions {
	return &versions{store: store, known: map[place]version{}}
}

// at returns the version of an application in a tree. A ZeroHash is an empty tree.
func (r *versions) at(tree git.Hash, app model.AppID) (version, error) {
	if tree == git.ZeroHash {
		return version{}, nil
	}
	dir, err := r.store.Directory(tree, tenantsDir, app.Tenant, app.Name)
	if err != nil || dir == git.ZeroHash {
		return version{}, err
	}
	if v, ok := r.known[place{app, dir}]; ok {
		return v, nil
	}
	format, err := formatAt(r.store, tree)
	if err != nil {
		return version{}, err
	}
	files, err := r.store.Files(dir, limits)
	if err != nil {
		return version{}, err
	}
	records := reader{fsys: files, format: format}
	var in model.Instance // without a record: the zero one
	found, err := records.instance("", app, &in)
	if err == nil {
		in.Run, err = records.run(workflowFile, app)
	}
	_, noSpec := fs.Stat(files, format.name(specFile))
	damaged := errors.As(err, new(*damageError)) || !found && noSpec == nil
	if err != nil && !damaged {
		return version{}, err
	}
	if r.specs {
		if in.Spec, _, err = records.spec(specFile, app, nil); err != nil {
			return version{}, err
		}
		if in.Previous, _, err = records.spec(previousFile, app, nil); err != nil {
			return version{}, err
		}
	}
	in.Components = nil
	if len(r.known) == maxVersions {
		clear(r.known)
	}
	v := version{dir, format.Major, in, damaged}
	r.known[place{app, dir}] = v
	return v, nil
}

// ledgers returns what two trees say of what differs between them, as far as the
// filter selects it.
func (r *versions) ledgers(before, now git.Hash, changed []string, filter EventFilter) (old, next model.Ledger, err error) {
	damaged := map[model.AppID]bool{}
	for _, side := range []struct {
		tree   git.Hash
		ledger *model.Ledger
	}{{before, &old}, {now, &next}} {
		if *side.ledger, err = headAt(r.store, side.tree); err != nil {
			return old, next, err
		}
		var last model.AppID
		for _, path := range changed {
			app, ok := recordOf(path)
			if !ok || app == last || !filter.has(app) {
				continue
			}
			last = app
			v, err := r.at(side.tree, app)
			if err != nil {
				return old, next, err
			}
			if damaged[app] = damaged[app] || v.damaged; v.instance.App == app {
				side.ledger.Instances = append(side.ledger.Instances, v.instance)
			}
		}
	}
	// Where somebody damaged a record or brought it back, nothing happened to the application.
	isDamaged := func(in model.Instance) bool { return damaged[in.App] }
	old.Instances, next.Instances = slices.DeleteFunc(old.Instances, isDamaged), slices.DeleteFunc(next.Instances, isDamaged)
	slices.SortFunc(old.Instances, byApp)
	slices.SortFunc(next.Instances, byApp)
	return old, next, nil
}

func byApp(a, b model.Instance) int { return a.App.Compare(b.App) }

// headAt returns what a tree says of the fleet as a whole: which ledger it is, the
// source commit and the problems.
func headAt(store *git.Store, tree git.Hash) (l model.Ledger, err error) {
	if tree == git.ZeroHash {
		return l, nil
	}
	r, err := readerAt(store, tree, "", limits)
	if err != nil {
		return l, err
	}
	return l, r.head(&l)
}

// formatAt returns the format of a tree, and reads nothing else of it.
func formatAt(store *git.Store, tree git.Hash) (Format, error) {
	dir, base := path.Split(formatFile)
	inputs, err := store.Directory(tree, path.Clean(dir))
	if err != nil || inputs == git.ZeroHash {
		return Format{Major: 1}, err
	}
	files, err := store.Files(inputs, limits)
	if err != nil {
		return Format{}, err
	}
	b, err := files.ReadFile(base)
	if errors.Is(err, fs.ErrNotExist) {
		return Format{Major: 1}, nil
	}
	if err != nil {
		return Format{}, err
	}
	return decodeFormat(b)
}
