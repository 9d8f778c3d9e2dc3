package reconcile

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
)

// maxOrigins bounds how many commits are looked at to find who asks. After the
// first time only new ones are.
const maxOrigins = 10_000

// Approvals is where people ask for something: it reads the files of approvals, and
// who asks from the commits that brought them. It is for one goroutine at a time.
type Approvals struct {
	decided decider
	authors authorship
	now     func() time.Time

	tip     string          // the commit that origins are of
	origins []source.Origin // of the files, oldest first
	askers  map[asking]asker
	access  model.Digest // that askers follow from

	last asked
}

// decider evaluates approvals. *evaluate.Evaluator is one.
type decider interface {
	// Approvals returns the same slice for as long as no file changed.
	Approvals(files evaluate.Files) ([]evaluate.Approval, []model.Problem)
}

// authorship knows who wrote what. *source.Repository is one.
type authorship interface {
	Origins(commit, dir, since string, most int) (origins []source.Origin, reached bool, err error)
	Commit(commit string) (source.Commit, error)
}

// asking is a commit that asks for something of an application.
type asking struct {
	commit string
	app    model.AppID
}

// asker is who asks, as far as that is known.
type asker struct {
	by    string
	roles []string
}

// asked is the answer to Commands, and what it follows from.
type asked struct {
	commit    string
	platform  *model.Platform
	approvals []evaluate.Approval
	commands  map[model.AppID][]model.Command
	problems  []model.Problem
}

// NewApprovals returns what reads approvals. Now is time.Now but in tests.
func NewApprovals(decided decider, authors authorship, now func() time.Time) *Approvals {
	return &Approvals{decided: decided, authors: authors, now: now}
}

// Commands returns what is asked of the runs of each application by the files of an
// accepted commit, in the order of the commits that ask, and what is wrong with some
// of them. The fleet says who has which role. Each command says who asks: by whom
// its commit is signed, with the roles that this gives, or whom it names as its
// author, without any. What was asked before is asked again for as long as its file
// is there. When the repository cannot say who asks, everything is as it was last.
func (a *Approvals) Commands(files evaluate.Files, commit string, fleet model.Fleet) (map[model.AppID][]model.Command, []model.Problem) {
	approvals, problems := a.decided.Approvals(files)
	if len(approvals) == 0 {
		a.last, a.tip, a.origins, a.askers = asked{}, "", nil, nil
		return nil, problems
	}
	if l := &a.last; l.commit == commit && l.platform == fleet.Platform && len(l.approvals) == len(approvals) && &l.approvals[0] == &approvals[0] {
		return l.commands, slices.Concat(problems, l.problems)
	}
	if err := a.follow(commit, files); err != nil {
		return a.last.commands, append(slices.Clone(problems), model.Problem{
			Code: access.CodeNoOrigin, Path: "approvals", Message: "who asks cannot be found out now, so that nothing new counts: " + err.Error(),
		})
	}
	a.judgeBy(&fleet)
	policy := layers{fleet.Platform, fleet.Tenants}.policy()
	next := asked{commit: commit, platform: fleet.Platform, approvals: approvals, commands: map[model.AppID][]model.Command{}}
	of := make(map[string]evaluate.Approval, len(approvals))
	for _, ap := range approvals {
		of[ap.File] = ap
	}
	for _, o := range a.origins {
		ap, asks := of[o.File]
		if !asks {
			continue
		}
		delete(of, o.File)
		who, err := a.who(o, ap.App, policy)
		if err != nil {
			next.commit = "" // tried again
			next.problems = append(next.problems, unknownAsker(ap, "cannot be read now: "+err.Error()))
			continue
		}
		for _, c := range ap.Commands {
			c.By, c.Roles, c.Commit = who.by, who.roles, o.Commit
			next.commands[ap.App] = append(next.commands[ap.App], c)
		}
	}
	for _, ap := range approvals {
		if _, left := of[ap.File]; left {
			next.problems = append(next.problems, unknownAsker(ap, fmt.Sprintf("was committed more than %d commits ago, so that nobody knows who asks; commit it anew, or remove it", maxOrigins)))
		}
	}
	a.last = next
	return next.commands, slices.Concat(problems, next.problems)
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

// judgeBy forgets who asked if roles and keys are not what they were.
func (a *Approvals) judgeBy(fleet *model.Fleet) {
	var said []any
	if fleet.Platform != nil {
		said = append(said, fleet.Platform.Access)
	}
	for i := range fleet.Tenants {
		if t := &fleet.Tenants[i]; t.Access != nil {
			said = append(said, t.Name, t.Access)
		}
	}
	if digest := model.DigestOf(said); a.askers == nil || digest != a.access {
		a.access, a.askers = digest, map[asking]asker{}
	}
}

// maxAsker bounds the name of who asks.
const maxAsker = 200

// who returns who asks by a commit.
func (a *Approvals) who(o source.Origin, app model.AppID, policy *access.Policy) (asker, error) {
	key := asking{o.Commit, app}
	if known, ok := a.askers[key]; ok {
		return known, nil
	}
	c, err := a.authors.Commit(o.Commit)
	if err != nil {
		return asker{}, err
	}
	who := asker{}
	var violation *access.Violation
	if who.by, who.roles, violation = policy.Identify(access.Commit(c), app, a.now()); violation != nil {
		who = asker{by: o.Author}
		if len(who.by) > maxAsker {
			who.by = strings.ToValidUTF8(who.by[:maxAsker], "") + "…"
		}
	}
	a.askers[key] = who
	return who, nil
}

func unknownAsker(ap evaluate.Approval, why string) model.Problem {
	return model.Problem{
		Code: access.CodeNoOrigin, Path: "approval", Message: why, Tenant: ap.App.Tenant, App: ap.App.Name,
		Places: []model.Place{{At: ap.File + ":1:1"}},
	}
}
