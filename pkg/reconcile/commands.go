package reconcile

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
)

// maxOrigins bounds how many commits are looked at to find the one that brought a
// file. After the first time only new ones are.
const maxOrigins = 10_000

// Approvals reads what people ask for: the files of approvals, and the commits that
// brought them. It judges nobody. It is for one goroutine at a time.
type Approvals struct {
	decided decider
	authors authorship

	tip     string                   // the commit that origins are of
	origins []source.Origin          // of the files, oldest first
	commits map[string]source.Commit // of origins, as far as they were read
	last    []access.Request
}

// decider evaluates approvals. *evaluate.Evaluator is one.
type decider interface {
	Approvals(files evaluate.Files) ([]evaluate.Approval, []model.Problem)
}

// authorship knows who wrote what. *source.Repository is one.
type authorship interface {
	Origins(commit, dir, since string, most int) (origins []source.Origin, reached bool, err error)
	Commit(commit string) (source.Commit, error)
}

// NewApprovals returns what reads approvals.
func NewApprovals(decided decider, authors authorship) *Approvals {
	return &Approvals{decided: decided, authors: authors}
}

// Requests returns what the files of an accepted commit ask, in the order of the
// commits that brought them. What was asked before is asked again for as long as its
// file is there. A file whose commit cannot be found asks nothing and is a problem.
// When the repository cannot be read, the requests are the last ones.
func (a *Approvals) Requests(files evaluate.Files, commit string) access.Requests {
	approvals, problems := a.decided.Approvals(files)
	r := access.Requests{Problems: problems}
	if len(approvals) == 0 {
		a.tip, a.origins, a.commits, a.last = "", nil, nil, nil
		return r
	}
	refuse := func(p model.Problem) { r.Problems = append(slices.Clip(r.Problems), p) }
	if err := a.follow(commit, files); err != nil {
		refuse(model.Problem{
			Code: access.CodeNoOrigin, Path: "approvals",
			Message: "cannot determine who made these requests; new ones are ignored until it can: " + err.Error(),
		})
		r.List = a.last
		return r
	}
	left := make(map[string]evaluate.Approval, len(approvals))
	for _, ap := range approvals {
		left[ap.File] = ap
	}
	read := make(map[string]source.Commit, len(a.commits))
	for _, o := range a.origins {
		ap, asks := left[o.File]
		if !asks {
			continue
		}
		delete(left, o.File)
		c, err := a.commit(o.Commit)
		if err != nil {
			refuse(withoutOrigin(ap, "cannot be read now: "+err.Error()))
			continue
		}
		read[o.Commit] = c
		r.List = append(r.List, access.Request{App: ap.App, File: ap.File, Asks: ap.Commands, Commit: access.Commit(c), Author: o.Author})
	}
	a.commits, a.last = read, r.List
	for _, ap := range approvals {
		if _, unfound := left[ap.File]; unfound {
			refuse(withoutOrigin(ap, fmt.Sprintf("was committed more than %d commits ago, so that nobody knows who asks; commit it anew, or remove it", maxOrigins)))
		}
	}
	return r
}

// follow brings the origins to a commit: those of its files.
func (a *Approvals) follow(commit string, files evaluate.Files) error {
	if commit == a.tip {
		return nil
	}
	origins, reached, err := a.authors.Origins(commit, "approvals", a.tip, maxOrigins)
	if err != nil {
		return err
	}
	if reached {
		changed := make(map[string]bool, len(origins))
		for _, o := range origins {
			changed[o.File] = true
		}
		older := slices.DeleteFunc(slices.Clone(a.origins), func(o source.Origin) bool { return changed[o.File] })
		origins = append(older, origins...)
	}
	a.tip, a.origins = commit, slices.DeleteFunc(origins, func(o source.Origin) bool {
		_, err := fs.Stat(files, o.File)
		return errors.Is(err, fs.ErrNotExist)
	})
	return nil
}

func (a *Approvals) commit(name string) (source.Commit, error) {
	if c, known := a.commits[name]; known {
		return c, nil
	}
	return a.authors.Commit(name)
}

func withoutOrigin(ap evaluate.Approval, why string) model.Problem {
	return model.Problem{
		Code: access.CodeNoOrigin, Path: "approval", Message: why, Tenant: ap.App.Tenant, App: ap.App.Name,
		Places: []model.Place{{At: ap.File + ":1:1"}},
	}
}
