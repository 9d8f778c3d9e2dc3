package status

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// reader reads the records of a tree of the branch. It trusts nothing: every file is
// bounded and read strictly, every record must say what its path says, and the error
// names the file. Files that are not part of the layout are left alone.
type reader struct {
	fsys   fs.FS
	format Format

	since *since // what need not be read, nil: everything is
	most  int64  // how many bytes the records may have; 0: any number
	size  atomic.Int64

	mu       sync.Mutex
	policies map[string]*model.Policy // of specs, by their bytes
	more     map[string]fields        // by file: what this program does not know
	former   []string                 // files of which the ledger has not just the content, as their names of releases are others
}

// newReader reads the format of a tree. One of a major version that is not known is a
// *FormatError.
func newReader(fsys fs.FS) (*reader, error) {
	format, err := readFormat(fsys)
	return &reader{fsys: fsys, format: format}, err
}

// readerAt is newReader for the tree of a commit: the error for a format that is not known names the program that wrote it.
func readerAt(store *git.Store, tree git.Hash, message string, limits git.FileLimits) (*reader, error) {
	files, err := store.Files(tree, limits)
	if err != nil {
		return nil, err
	}
	r, err := newReader(files)
	if unknown := (*FormatError)(nil); errors.As(err, &unknown) {
		unknown.Program = programOf(message)
	}
	return r, err
}

// head reads which ledger this is, the source commit and the problems.
func (r *reader) head(l *model.Ledger) (err error) {
	if l.Identity, err = r.readIdentity(); err != nil {
		return err
	}
	if !r.same(sourceFile) {
		var src source
		if _, err := r.read(sourceFile, &src); err != nil {
			return err
		}
		l.Commit, l.Source = src.Commit, src.SourceState
	}
	if l.Source.Replaced != word(l.Source.Replaced) {
		return damaged(r.format.name(sourceFile), fmt.Errorf("%q is not a commit", l.Source.Replaced))
	}
	if l.Commit != word(l.Commit) {
		return damaged(r.format.name(sourceFile), fmt.Errorf("%q is not a commit", l.Commit))
	}
	if r.same(problemsFile) {
		return nil
	}
	var wrong problems
	_, err = r.read(problemsFile, &wrong)
	l.Problems = wrong.Problems
	return err
}

func (r *reader) ledger() (l model.Ledger, err error) {
	l = r.since.fleet()
	if err := r.head(&l); err != nil {
		return l, err
	}
	if err := r.inputs(&l); err != nil {
		return l, err
	}
	if l.OverQuota, err = r.overQuota(""); err != nil {
		return l, err
	}
	tenants, err := r.subdirectories(tenantsDir)
	if err != nil {
		return l, err
	}
	var apps []model.AppID // that follow those in l
	for _, name := range tenants {
		if r.sameDir(tenantsDir + "/" + name) {
			if err := r.records(apps, &l); err != nil {
				return l, err
			}
			apps = nil
			r.since.take(&l, name)
			continue
		}
		names, err := r.tenant(name, &l)
		if err != nil {
			return l, err
		}
		for _, app := range names {
			apps = append(apps, model.AppID{Tenant: name, Name: app})
		}
	}
	return l, r.records(apps, &l)
}

// inputs reads what is about the fleet as a whole.
func (r *reader) inputs(l *model.Ledger) error {
	if !r.same(platformFile) {
		l.Platform = nil
		if found, err := r.read(platformFile, &l.Platform); err != nil {
			return err
		} else if found && l.Platform == nil {
			return damaged(r.format.name(platformFile), errors.New("it is empty"))
		}
	}
	if !r.same(capacityFile) {
		var seen capacity
		if _, err := r.read(capacityFile, &seen); err != nil {
			return err
		}
		l.Pools = seen.Pools
	}
	if r.format.Major > 1 && !r.same(orphansFile) {
		var left orphans
		if _, err := r.read(orphansFile, &left); err != nil {
			return err
		}
		l.Orphans = left.Orphans
	}
	return r.pastUse(l)
}

// tenant reads what is about a tenant, and returns the names of its applications.
func (r *reader) tenant(name string, l *model.Ledger) (apps []string, err error) {
	dir := tenantsDir + "/" + name
	if file := dir + "/" + tenantFile; r.same(file) {
		l.Tenants = append(l.Tenants, *r.since.tenant(name))
	} else {
		var t model.Tenant
		found, err := r.read(file, &t)
		if err != nil {
			return nil, err
		}
		if found && t.Name != name {
			return nil, damaged(r.format.name(file), fmt.Errorf("it is about tenant %q", t.Name))
		}
		if found {
			l.Tenants = append(l.Tenants, t)
		}
	}
	over, err := r.overQuota(name)
	if err != nil {
		return nil, err
	}
	l.OverQuota = append(l.OverQuota, over...)
	return r.subdirectories(dir)
}

// read decodes a file into v. A file that does not exist is no error.
func (r *reader) read(file string, v any) (found bool, err error) {
	name := r.format.name(file)
	b, err := r.content(name)
	var large *git.TooLargeError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.As(err, &large):
		return false, damaged(name, large)
	case err != nil:
		return false, fmt.Errorf("read status branch: %w", err)
	case len(b) > maxFile:
		return false, damaged(name, &git.TooLargeError{Size: int64(len(b)), Max: maxFile})
	}
	if size := r.size.Add(int64(len(b))); r.most > 0 && size > r.most {
		return false, &git.TooMuchError{Max: r.most}
	}
	if r.format.Major == 1 {
		if err := decodeFormat1(b, v); err != nil {
			return false, damaged(name, err)
		}
		return true, nil
	}
	more, err := decode(b, v, r.format.newer(Current))
	if err != nil {
		return false, r.unreadable(file, err)
	}
	if len(more) > 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.more == nil {
			r.more = map[string]fields{}
		}
		r.more[file] = more
	}
	return true, nil
}

// unreadable returns the damage of a file that cannot be decoded.
func (r *reader) unreadable(file string, err error) error {
	if field, unknown := strings.CutPrefix(err.Error(), unknownField); unknown {
		err = fmt.Errorf("format %s has no field %s", r.format, field)
	}
	return damaged(r.format.name(file), err)
}

// subdirectories lists the directories in dir. Each must be named by a DNS
// label: it is about a tenant or an application.
func (r *reader) subdirectories(dir string) ([]string, error) {
	if r.since != nil {
		return r.since.subdirectories(dir)
	}
	list, err := fs.ReadDir(r.fsys, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read status branch: %w", err)
	}
	var names []string
	for _, e := range list {
		if !e.IsDir() {
			continue
		}
		if !label.MatchString(e.Name()) {
			return nil, fmt.Errorf("%s: %q cannot name a tenant or an application", dir, e.Name())
		}
		names = append(names, e.Name())
	}
	return names, nil
}
