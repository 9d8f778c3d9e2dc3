package status

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/d-aros/d-aros/pkg/model"
)

// Read returns the ledger that a tree of the status branch holds. It believes
// nothing: every file is bounded and read strictly, every record must say what
// its path says, and the error names the file. Files that are not part of the
// layout are left alone.
func Read(fsys fs.FS) (model.Ledger, error) {
	var l model.Ledger
	var src source
	if _, err := readFile(fsys, sourceFile, &src); err != nil {
		return l, err
	}
	l.Commit = src.Commit
	if l.Commit != word(l.Commit) {
		return l, fmt.Errorf("%s: %q is not a commit", sourceFile, l.Commit)
	}
	if _, err := readFile(fsys, platformFile, &l.Platform); err != nil {
		return l, err
	}
	if _, err := readFile(fsys, capacityFile, &l.Pools); err != nil {
		return l, err
	}
	if _, err := readFile(fsys, problemsFile, &l.Problems); err != nil {
		return l, err
	}
	tenants, err := subdirectories(fsys, tenantsDir)
	if err != nil {
		return l, err
	}
	var apps []model.AppID
	for _, name := range tenants {
		dir := tenantsDir + "/" + name
		var t model.Tenant
		found, err := readFile(fsys, dir+"/"+tenantFile, &t)
		if err != nil {
			return l, err
		}
		if found && t.Name != name {
			return l, fmt.Errorf("%s/%s: says that it is about tenant %q", dir, tenantFile, t.Name)
		}
		if found {
			l.Tenants = append(l.Tenants, t)
		}
		names, err := subdirectories(fsys, dir)
		if err != nil {
			return l, err
		}
		for _, app := range names {
			apps = append(apps, model.AppID{Tenant: name, Name: app})
		}
	}
	return l, readRecords(fsys, apps, &l)
}

// readRecords reads the applications side by side: decoding is what takes time.
func readRecords(fsys fs.FS, apps []model.AppID, l *model.Ledger) error {
	found := make([]record, len(apps))
	var group errgroup.Group
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() (err error) {
			for i := next.Add(1) - 1; i < int64(len(apps)) && err == nil; i = next.Add(1) - 1 {
				found[i], err = readRecord(fsys, apps[i])
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, r := range found {
		if r.instance != nil {
			l.Instances = append(l.Instances, *r.instance)
		}
		if r.decision != nil {
			l.Decisions = append(l.Decisions, *r.decision)
		}
	}
	return nil
}

func readRecord(fsys fs.FS, app model.AppID) (record, error) {
	r := record{app: app}
	dir, err := appDir(app)
	if err != nil {
		return r, err
	}
	var in model.Instance
	found, err := readFile(fsys, dir+"/"+instanceFile, &in)
	if err != nil {
		return r, err
	}
	if in.Spec, err = readSpec(fsys, dir+"/"+specFile, app); err != nil {
		return r, err
	}
	if in.Previous, err = readSpec(fsys, dir+"/"+previousFile, app); err != nil {
		return r, err
	}
	if in.Run, err = readRun(fsys, dir+"/"+workflowFile, app); err != nil {
		return r, err
	}
	switch {
	case !found && (in.Spec != nil || in.Previous != nil || in.Run != nil):
		return r, fmt.Errorf("%s/%s: missing, but there is a spec or a run", dir, instanceFile)
	case found:
		if err := checkInstance(&in, app); err != nil {
			return r, fmt.Errorf("%s/%s: %w", dir, instanceFile, err)
		}
		r.instance = &in
	}
	var d model.Decision
	found, err = readFile(fsys, dir+"/"+decisionFile, &d)
	if err != nil {
		return r, err
	}
	if found {
		if d.App != app {
			return r, fmt.Errorf("%s/%s: says that it is about %q", dir, decisionFile, d.App)
		}
		r.decision = &d
	}
	return r, nil
}

func readSpec(fsys fs.FS, name string, app model.AppID) (*model.Application, error) {
	var a model.Application
	found, err := readFile(fsys, name, &a)
	if !found || err != nil {
		return nil, err
	}
	if a.ID != app {
		return nil, fmt.Errorf("%s: says that it is about %q", name, a.ID)
	}
	for i := range a.Components {
		if !label.MatchString(a.Components[i].Name) {
			return nil, fmt.Errorf("%s: %q cannot name a component", name, a.Components[i].Name)
		}
	}
	return &a, nil
}

func readRun(fsys fs.FS, name string, app model.AppID) (*model.Run, error) {
	var r model.Run
	found, err := readFile(fsys, name, &r)
	if !found || err != nil {
		return nil, err
	}
	switch {
	case r.App != app:
		err = fmt.Errorf("says that it is about %q", r.App)
	case r.Number < 1 || r.Instance < 1:
		err = fmt.Errorf("run %d of instance %d: both count from 1", r.Number, r.Instance)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &r, nil
}

func checkInstance(in *model.Instance, app model.AppID) error {
	switch {
	case in.App != app:
		return fmt.Errorf("says that it is about %q", in.App)
	case !slices.Contains(model.Phases, in.Phase):
		return fmt.Errorf("%q is not a phase", in.Phase)
	case in.Number < 1:
		return fmt.Errorf("instance %d: instances count from 1", in.Number)
	case len(in.History) > model.HistoryLimit:
		return fmt.Errorf("has %d transitions, at most %d are kept", len(in.History), model.HistoryLimit)
	}
	return nil
}

// readFile decodes a file into v. A file that does not exist is no error.
func readFile(fsys fs.FS, name string, v any) (found bool, err error) {
	b, err := fs.ReadFile(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read status branch: %w", err)
	case len(b) > maxFile:
		return false, fmt.Errorf("%s: has %d bytes, at most %d are allowed", name, len(b), maxFile)
	}
	if err := decode(b, v); err != nil {
		return false, fmt.Errorf("%s: %s", name, oneLineOf(err.Error(), 300))
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
