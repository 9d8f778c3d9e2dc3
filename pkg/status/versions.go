package status

import (
	"errors"
	"io/fs"
	"path"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// version is the past of an application as one commit records it. It is zero if the
// commit does not know the application.
type version struct {
	dir         git.Hash // its directory
	transitions []model.Transition
	run         *model.Run
}

// versions reads versions of applications from the history of the branch. It caches
// them, because most commits change few.
type versions struct {
	store *git.Store
	known map[place]version
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
	if _, err := records.instance("", app, &in); err != nil {
		return version{}, err
	}
	run, err := records.run(workflowFile, app)
	if err != nil {
		return version{}, err
	}
	if len(r.known) == maxVersions {
		clear(r.known)
	}
	v := version{dir, in.History, run}
	r.known[place{app, dir}] = v
	return v, nil
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
