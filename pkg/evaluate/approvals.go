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
	maxApprovals = 200      // files of one application
	maxApproval  = 16 << 10 // bytes of one file
)

// An Approval has the commands of one file of approvals/<tenant>/<application>. They do
// not name the person who asks and the roles of that person: only the commit does.
type Approval struct {
	App      model.AppID
	File     string
	Commands []model.Command // at least one
}

// decisions are the approvals of one application, with the digest of their files.
type decisions struct {
	digest    string // of the directory; "" while the result is not final
	approvals []Approval
	problems  []model.Problem
}

// approvals are the cached results for the files of approvals.
type approvals struct {
	digest string // of all, as decisions.digest
	sum    decisions
	of     map[model.AppID]decisions
}

// Approvals evaluates the files of approvals, in order of their names. An invalid file
// is a problem and does not affect other files. While no file changes it costs nothing
// and returns the same slices.
func (e *Evaluator) Approvals(files Files) ([]Approval, []model.Problem) {
	const dir = "approvals"
	digest, err := files.Digest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		e.approvals = approvals{}
		return nil, nil
	}
	if err == nil && digest == e.approvals.digest {
		return e.approvals.sum.approvals, e.approvals.sum.problems
	}
	now := approvals{digest: digest, of: map[model.AppID]decisions{}}
	report := func(problems []model.Problem, err error) {
		now.sum.problems = append(now.sum.problems, problems...)
		if err != nil {
			now.digest = ""
			now.sum.problems = append(now.sum.problems, unreadable(dir, err))
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
			now.sum.approvals = append(now.sum.approvals, d.approvals...)
			now.sum.problems = append(now.sum.problems, d.problems...)
		}
	}
	e.approvals = now
	return now.sum.approvals, now.sum.problems
}

// decided evaluates the approvals of one application.
func (e *Evaluator) decided(files Files, app model.AppID) (d decisions) {
	dir := path.Join("approvals", app.Tenant, app.Name)
	defer func() {
		for i := range d.problems {
			d.problems[i].Tenant, d.problems[i].App = app.Tenant, app.Name
		}
	}()
	unread := func(err error) decisions {
		d.digest = ""
		d.problems = append(d.problems, unreadable(dir, err))
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
		d.problems = []model.Problem{layer.WholeFile(catalogue.Size, dir, fmt.Sprintf("has %d files, and at most %d are read; remove those about runs that are over", len(names), maxApprovals))}
		return d
	}
	d.problems = slices.DeleteFunc(problems, func(p model.Problem) bool { return p.Code == catalogue.Size })
	results, errs := make([]*result, len(names)), make([]error, len(names))
	e.backend.Run(len(names), func(i int) { results[i], errs[i] = e.approvalIn(files, names[i]) })
	for i, name := range names {
		if errs[i] != nil {
			d.digest = ""
			d.problems = append(d.problems, unanswered(name, errs[i]))
			continue
		}
		d.problems = append(d.problems, results[i].Problems...)
		if len(results[i].Commands) > 0 {
			d.approvals = append(d.approvals, Approval{app, name, results[i].Commands})
		}
	}
	return d
}

// approvalIn evaluates one file.
func (e *Evaluator) approvalIn(files Files, name string) (*result, error) {
	digest, err := files.Digest(name)
	if err != nil {
		return nil, err
	}
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxApproval {
		return &result{Problems: []model.Problem{layer.WholeFile(catalogue.Size, name, fmt.Sprintf("is too large; an approval has at most %d KiB", maxApproval>>10))}}, nil
	}
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	return e.evaluate(keyOf("approval", name, digest), request{Layer: "approval", Files: []layer.Source{{Name: name, Data: data}}})
}
