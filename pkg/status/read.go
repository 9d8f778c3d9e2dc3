package status

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// reader reads the records of a tree of the branch. It trusts nothing: every file is
// bounded and read strictly, every record must say what its path says, and the error
// names the file. Files that are not part of the layout are left alone.
type reader struct {
	fsys   fs.FS
	format Format

	mu   sync.Mutex
	more map[string]fields // by file: what this program does not know
}

// newReader reads the format of a tree. One of a major version that is not known is a
// *FormatError.
func newReader(fsys fs.FS) (*reader, error) {
	format, err := readFormat(fsys)
	return &reader{fsys: fsys, format: format}, err
}

// readerOf is newReader for the tree of a commit: the error for a format that is not known names the program that wrote it.
func readerOf(fsys fs.FS, message string) (*reader, error) {
	r, err := newReader(fsys)
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
	var src source
	if _, err := r.read(sourceFile, &src); err != nil {
		return err
	}
	l.Commit, l.Source = src.Commit, src.SourceState
	if l.Source.Replaced != word(l.Source.Replaced) {
		return damaged(r.format.name(sourceFile), fmt.Errorf("%q is not a commit", l.Source.Replaced))
	}
	if l.Commit != word(l.Commit) {
		return damaged(r.format.name(sourceFile), fmt.Errorf("%q is not a commit", l.Commit))
	}
	var wrong problems
	_, err = r.read(problemsFile, &wrong)
	l.Problems = wrong.Problems
	return err
}

func (r *reader) ledger() (l model.Ledger, err error) {
	if err := r.head(&l); err != nil {
		return l, err
	}
	if found, err := r.read(platformFile, &l.Platform); err != nil {
		return l, err
	} else if found && l.Platform == nil {
		return l, damaged(r.format.name(platformFile), errors.New("it is empty"))
	}
	var seen capacity
	if _, err := r.read(capacityFile, &seen); err != nil {
		return l, err
	}
	var left orphans
	if r.format.Major > 1 {
		if _, err := r.read(orphansFile, &left); err != nil {
			return l, err
		}
	}
	l.Pools, l.Orphans = seen.Pools, left.Orphans
	if l.OverQuota, err = r.overQuota(""); err != nil {
		return l, err
	}
	tenants, err := subdirectories(r.fsys, tenantsDir)
	if err != nil {
		return l, err
	}
	var apps []model.AppID
	for _, name := range tenants {
		dir := tenantsDir + "/" + name
		var t model.Tenant
		found, err := r.read(dir+"/"+tenantFile, &t)
		if err != nil {
			return l, err
		}
		if found && t.Name != name {
			return l, damaged(r.format.name(dir+"/"+tenantFile), fmt.Errorf("it is about tenant %q", t.Name))
		}
		if found {
			l.Tenants = append(l.Tenants, t)
		}
		over, err := r.overQuota(name)
		if err != nil {
			return l, err
		}
		l.OverQuota = append(l.OverQuota, over...)
		names, err := subdirectories(r.fsys, dir)
		if err != nil {
			return l, err
		}
		for _, app := range names {
			apps = append(apps, model.AppID{Tenant: name, Name: app})
		}
	}
	return l, r.records(apps, &l)
}

// read decodes a file into v. A file that does not exist is no error.
func (r *reader) read(file string, v any) (found bool, err error) {
	name := r.format.name(file)
	b, err := fs.ReadFile(r.fsys, name)
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
	if r.format.Major == 1 {
		if err := decodeFormat1(b, v); err != nil {
			return false, damaged(name, err)
		}
		return true, nil
	}
	more, err := decode(b, v, r.format.newer(Current))
	if err != nil {
		if field, unknown := strings.CutPrefix(err.Error(), unknownField); unknown {
			err = fmt.Errorf("format %s has no field %s", r.format, field)
		}
		return false, damaged(name, err)
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

// subdirectories lists the directories in dir. Each must be named by a DNS
// label: it is about a tenant or an application.
func subdirectories(fsys fs.FS, dir string) ([]string, error) {
	list, err := fs.ReadDir(fsys, dir)
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
