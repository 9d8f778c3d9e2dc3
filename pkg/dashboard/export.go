package dashboard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/d-aros/d-aros/pkg/view"
)

// Selection is what an export has.
type Selection struct {
	At     string // a commit of the status branch, "" for the newest one
	Tenant string // whose applications, "" for all
}

// Limits of an export.
const (
	exportedHistory = 50 // entries of an application
	exportedCommits = view.MaxRows
)

// exportPolicy is the content security policy that the page of an export carries itself: whoever serves it has none for it.
const exportPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"worker-src 'self'; base-uri 'none'; form-action 'none'"

// Export writes the pages and what they show of one moment as files into a directory that does not exist or is empty, and
// returns the moment. The files can be served below any path. Where it fails, it leaves nothing.
func Export(ctx context.Context, o Options, which Selection, dir string) (Moment, error) {
	if err := isFree(dir); err != nil {
		return Moment{}, err
	}
	m, err := o.momentOf(ctx, which.At)
	if err != nil {
		return m, err
	}
	if which.Tenant != "" {
		if _, err := view.TenantOf(m.Ledger, which.Tenant); err != nil {
			return m, err
		}
	}
	above := filepath.Dir(filepath.Clean(dir))
	if err := os.MkdirAll(above, 0o755); err != nil {
		return m, err
	}
	made, err := os.MkdirTemp(above, ".export-")
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(made)
	e := exporter{o: o, m: m, which: which, dir: made}
	if err := errors.Join(e.pages(), e.answers(ctx)); err != nil {
		return m, err
	}
	if err := os.Chmod(made, 0o755); err != nil {
		return m, err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	return m, os.Rename(made, dir)
}

// isFree refuses a directory with files.
func isFree(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s has files, such as %s; name a folder that is empty or not there yet", dir, entries[0].Name())
	}
	return nil
}

// momentOf returns a commit of the branch, or its newest one.
func (o *Options) momentOf(ctx context.Context, at string) (Moment, error) {
	m, err := o.Branch.Load(ctx)
	if at != "" && at != m.Commit {
		if err := checkCommit(at); err != nil {
			return Moment{}, err
		}
		return o.Branch.At(ctx, at)
	}
	if m.Ledger == nil || m.Commit == "" {
		return m, cmp.Or(err, errNothing)
	}
	return m, nil
}

var errNothing = errors.New("the status branch has no commit yet, so there is nothing to export")

// exporter writes one export.
type exporter struct {
	o     Options
	m     Moment
	which Selection
	dir   string
}

func (e *exporter) write(name string, content []byte) error {
	file := filepath.Join(e.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}

// pages writes the front end, which looks for answers beside it.
func (e *exporter) pages() error {
	return fs.WalkDir(e.o.Pages, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		b, err := fs.ReadFile(e.o.Pages, name)
		if err != nil {
			return err
		}
		if name == index {
			b = bytes.ReplaceAll(b, []byte(`="/`), []byte(`="./`))
			b = bytes.Replace(b, []byte(`<meta name="csp-nonce" content="{{nonce}}"`),
				[]byte(`<meta http-equiv="Content-Security-Policy" content="`+exportPolicy+`" /><meta name="daros-export" content="data"`), 1)
		}
		return e.write(name, b)
	})
}
