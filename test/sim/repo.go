package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/source"
)

// tree is what a commit of the fleet repo declares, by value.
type tree struct {
	apps          [5]declaration
	pins          [5]pin
	quota         [2]int  // of each tenant in cores, 0: none
	tenantBroken  [2]bool // its layer is invalid
	broken        bool    // the platform layer is invalid
	rules         rules
	files         []access.Request   // of approvals
	removals      []model.InstanceID // that files confirm
	moves         [5]moved           // of applications, by what they were
	parent, named string
}

// pin makes an application what it was in an older commit.
type pin struct {
	commit string // "": it is not pinned
	was    declaration
}

// repo is the fleet repo: a line of commits that may be cut and grown anew.
type repo struct {
	commits map[string]*tree
	tip     string
}

func newRepo() *repo {
	r := &repo{commits: map[string]*tree{}}
	r.commit(func(t *tree) { t.rules.preemption = preemptions[0] })
	return r
}

// commit adds a commit that changes the tip.
func (r *repo) commit(change func(*tree)) {
	t := &tree{parent: r.tip}
	if tip := r.commits[r.tip]; tip != nil {
		*t = *tip
		t.parent = r.tip
	}
	change(t)
	for i := range t.moves {
		if m := t.moves[i]; t.declares(i) || !t.declares(m.to) || t.spec(m.to) != m.as {
			t.moves[i] = moved{}
		}
	}
	t.named = fmt.Sprintf("%040x", len(r.commits)+1)
	r.commits[t.named], r.tip = t, t.named
}

// follows reports whether a commit is a descendant of another, or is it.
func (r *repo) follows(commit, other string) bool {
	for at := commit; at != ""; at = r.commits[at].parent {
		if at == other {
			return true
		}
	}
	return false
}

// now is what the tip declares.
func (r *repo) now() *tree { return r.commits[r.tip] }

// declares reports whether Git declares an application, valid or not.
func (t *tree) declares(app int) bool { return t.apps[app].shape != "" }

// spec returns what an application is declared to be, now or in the commit that it is pinned to.
func (t *tree) spec(app int) declaration {
	if t.pins[app].commit != "" {
		return t.pins[app].was
	}
	return t.apps[app]
}

// evaluates reports whether it declares a valid one, in valid layers.
func (t *tree) evaluates(app int) bool {
	spec := t.spec(app)
	return t.declares(app) && spec.shape != "" && !spec.broken && !t.broken && !t.tenantBroken[tenantOf(app)]
}

// usable reports whether it declares one that can run.
func (t *tree) usable(app int) bool { return t.evaluates(app) && !t.spec(app).unrenderable }

// pin returns what an application was some commits before the tip.
func (r *repo) pin(app, back int) pin {
	at := r.tip
	for ; back > 0 && r.commits[at].parent != ""; back-- {
		at = r.commits[at].parent
	}
	return pin{at, r.commits[at].spec(app)}
}

// moved is an application that came with the components of one that went, in one commit.
type moved struct {
	to int
	as declaration // empty: nothing moved
}

// move gives an application another name.
func (r *repo) move(from, to int) {
	if now := r.now(); !now.declares(from) || now.declares(to) || now.pins[from].commit != "" || now.pins[to].commit != "" {
		return
	}
	r.commit(func(t *tree) {
		as := t.apps[from]
		t.apps[from], t.apps[to], t.moves[from] = declaration{}, as, moved{to, as}
	})
}

func tenantOf(app int) int { return slices.Index(tenants, apps[app].Tenant) }

var errDown = errors.New("connection refused")

// gitSource reads the fleet repo for one process.
type gitSource struct {
	*process
	repo *repo
}

func (s gitSource) Line(_ context.Context, recorded, _ string) (source.Line, error) {
	s.line("fetch the fleet repo")
	if s.world.sourceDown {
		return source.Line{}, errDown
	}
	tip := s.repo.tip
	line := source.Line{Line: access.Line{Tip: tip}, Snapshot: s.snapshot(tip), Recorded: recorded}
	var commits []access.Commit
	for at := tip; at != "" && line.Base == ""; at = s.repo.commits[at].parent {
		if at == recorded {
			slices.Reverse(commits)
			line.Base, line.TipIs, line.Commits = at, access.Follows, commits
		}
		commits = append(commits, access.Commit{Hash: at})
	}
	if line.TipIs != access.Follows {
		line.Recorded = "" // there is no repository that could open it
	}
	return line, nil
}

// snapshot is a commit. Its files mean nothing here: the evaluator knows what it declares.
func (s gitSource) snapshot(commit string) source.Snapshot {
	return source.Snapshot{Commit: commit, Files: &source.Files{}}
}

// evaluator turns commits into fleets for one process. When it is cut short it
// says so, and leaves out what it did not come to.
type evaluator struct {
	*process
	repo    *repo
	settled bool
}

func (*evaluator) Follow(*model.Ledger) {}

func (e *evaluator) Settled() bool { return e.settled }

func (*evaluator) Health(string, *model.Component, []byte) (model.Health, error) {
	return model.Health{Healthy: true}, nil
}

func (e *evaluator) Build(_ string, r build.Recipe) (build.Result, error) {
	return r.Build(), nil
}

func (e *evaluator) Application(app model.AppID, commit string, _ func(string) (evaluate.Files, error)) (*model.Application, bool, bool) {
	fleet := fleetOf(e.repo.commits[commit], len(apps))
	for _, spec := range fleet.Applications {
		if spec.ID == app {
			return spec, false, true
		}
	}
	return nil, slices.ContainsFunc(fleet.Unusable, func(u model.Unusable) bool { return u.App == app }), true
}

func (e *evaluator) Layers(evaluate.Files) model.Fleet { return model.Fleet{} }

func (e *evaluator) Fleet(commit string, _ evaluate.Files, _ func(string) (evaluate.Files, error)) model.Fleet {
	e.line("evaluate")
	e.settled, e.gathered.reached = e.world.cutShort == 0, len(apps)
	if !e.settled {
		e.world.cutShort--
		e.gathered.reached = len(apps) / 2
	}
	return fleetOf(e.repo.commits[commit], e.gathered.reached)
}

// fleetOf evaluates the first applications of a commit.
func fleetOf(t *tree, reached int) model.Fleet {
	f := model.Fleet{Commit: t.named, Incomplete: reached < len(apps)}
	if !t.broken {
		f.Platform = platforms[t.rules]
	}
	for i, name := range tenants {
		if t.broken || t.tenantBroken[i] {
			f.UnusableTenants = append(f.UnusableTenants, name)
			f.Problems = append(f.Problems, model.Problem{Code: "DA1001", Message: "tenant " + name + " is not valid", Tenant: name})
			continue
		}
		tenant := model.Tenant{Name: name, Weight: 1, PriorityCeiling: 1000, Policy: f.Platform.Policy}
		if t.quota[i] > 0 {
			tenant.Quota = &model.Resources{CPU: int64(t.quota[i]) * 1000, Memory: 1 << 40}
		}
		f.Tenants = append(f.Tenants, tenant)
	}
	for i := range apps[:reached] {
		switch {
		case t.evaluates(i):
			f.Applications = append(f.Applications, new(application(i, t.spec(i), t.rules, cmp.Or(t.pins[i].commit, t.named))))
		case t.declares(i):
			f.Unusable = append(f.Unusable, model.Unusable{App: apps[i], Code: "DA1001", Message: "its file is not valid"})
		}
	}
	return f
}
