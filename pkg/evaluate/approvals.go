package evaluate

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// Caps on approvals.
const (
	maxApprovals = 200       // files of one application
	maxApproval  = 16 << 10  // bytes of one file
	maxRemoval   = 256 << 10 // bytes of one file that confirms removals
)

// Asked is what the files of approvals ask.
type Asked struct {
	Approvals []Approval
	Removals  []model.InstanceID // that may be removed, in order
	Problems  []model.Problem
}

// An Approval has the commands of one file of approvals/<tenant>/<application>. They do
// not name the person who asks and the roles of that person: only the commit does.
type Approval struct {
	App      model.AppID
	File     string
	Commands []model.Command // at least one
}

// decisions are what the files of one directory ask, with the digest of the directory.
type decisions struct {
	digest string // "" while the result is not final
	Asked
}

// approvals are the cached results for the files of approvals.
type approvals struct {
	digest string // of all, as decisions.digest
	sum    Asked
	of     map[model.AppID]decisions
}

// Approvals evaluates the files of approvals, in order of their names. An invalid file
// is a problem and does not affect other files. While no file changes it costs nothing
// and returns the same slices.
func (e *Evaluator) Approvals(files Files) Asked {
	const dir = "approvals"
	digest, err := files.Digest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		e.approvals = approvals{}
		return Asked{}
	}
	if err == nil && digest == e.approvals.digest {
		return e.approvals.sum
	}
	now := approvals{digest: digest, of: map[model.AppID]decisions{}}
	report := func(problems []model.Problem, err error) {
		now.sum.Problems = append(now.sum.Problems, problems...)
		if err != nil {
			now.digest = ""
			now.sum.Problems = append(now.sum.Problems, unreadable(dir, err))
		}
	}
	below := func(dir string) []string {
		names, problems, err := directories(files, dir)
		report(problems, err)
		entries, _ := fs.ReadDir(files, dir) // directories has reported the error
		for _, entry := range entries {
			if !entry.IsDir() && path.Ext(entry.Name()) == ".cue" {
				report([]model.Problem{layer.WholeFile(catalogue.Between, path.Join(dir, entry.Name()), "is about no application; an approval lies in approvals/<tenant>/<application>")}, nil)
			}
		}
		return names
	}
	for _, tenant := range below(dir) {
		apps := below(path.Join(dir, tenant))
		for _, name := range apps {
			app := model.AppID{Tenant: tenant, Name: name}
			d := e.decided(files, app)
			if now.of[app] = d; d.digest == "" {
				now.digest = ""
			}
			now.sum.Approvals = append(now.sum.Approvals, d.Approvals...)
			now.sum.Removals = append(now.sum.Removals, d.Removals...)
			now.sum.Problems = append(now.sum.Problems, d.Problems...)
		}
	}
	slices.SortFunc(now.sum.Removals, model.InstanceID.Compare)
	now.sum.Removals = slices.Compact(now.sum.Removals)
	e.approvals = now
	return now.sum
}

// decided evaluates the approvals of one application, or the removals of a tenant where
// the application is named for these.
func (e *Evaluator) decided(files Files, app model.AppID) (d decisions) {
	dir := path.Join("approvals", app.Tenant, app.Name)
	defer func() {
		for i := range d.Problems {
			if d.Problems[i].Tenant = app.Tenant; app.Name != model.RemovalsDir {
				d.Problems[i].App = app.Name
			}
		}
	}()
	unread := func(err error) decisions {
		d.digest = ""
		d.Problems = append(d.Problems, unreadable(dir, err))
		return d
	}
	digest, err := files.Digest(dir)
	if err != nil {
		return unread(err)
	}
	if known, ok := e.approvals.of[app]; ok && known.digest == digest {
		return known
	}
	d.digest = digest
	names, problems, err := layer.List(files, dir)
	if err != nil {
		return unread(err)
	}
	if len(names) > maxApprovals {
		d.Problems = []model.Problem{layer.WholeFile(catalogue.Size, dir, fmt.Sprintf("has %d files, and at most %d are read; remove those about runs that are over", len(names), maxApprovals))}
		return d
	}
	d.Problems = slices.DeleteFunc(problems, func(p model.Problem) bool { return p.Code == catalogue.Size })
	results, errs := make([]*result, len(names)), make([]error, len(names))
	e.backend.Run(len(names), func(i int) { results[i], errs[i] = e.approvalIn(files, app, names[i]) })
	for i, name := range names {
		if errs[i] != nil {
			d.digest = ""
			d.Problems = append(d.Problems, unanswered(name, errs[i]))
			continue
		}
		d.Problems = append(d.Problems, results[i].Problems...)
		d.Removals = append(d.Removals, results[i].Removals...)
		if len(results[i].Commands) > 0 {
			d.Approvals = append(d.Approvals, Approval{app, name, results[i].Commands})
		}
	}
	return d
}

// approvalIn evaluates one file.
func (e *Evaluator) approvalIn(files Files, app model.AppID, name string) (*result, error) {
	field, most := "approval", int64(maxApproval)
	if app.Name == model.RemovalsDir {
		field, most = "removal", maxRemoval
	}
	digest, err := files.Digest(name)
	if err != nil {
		return nil, err
	}
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return &result{Problems: []model.Problem{layer.WholeFile(catalogue.Size, name, fmt.Sprintf("is too large; it may have %d KiB", most>>10))}}, nil
	}
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	return e.evaluate(app.Tenant, keyOf(field, name, digest), request{Layer: field, Tenant: app.Tenant, Files: []layer.Source{{Name: name, Data: data}}})
}
