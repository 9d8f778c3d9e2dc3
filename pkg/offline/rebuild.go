package offline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/turn"
)

// Remains are what a cluster shows of a fleet whose ledger is lost.
type Remains struct {
	model.Remains
	Accepted string // the source commit that was accepted last, "" if nobody remembers it
}

// Rebuild makes the ledger of a fleet again, under the given identity, from what a
// cluster shows and the commits of the fleet repo that it names. A commit that does not
// lead to the tip of the branch explains nothing: anybody can write its name on an object.
func Rebuild(ctx context.Context, o Options, repo *source.Repository, left Remains, identity model.LedgerIdentity, now time.Time) (turn.Rebuilt, error) {
	a, err := newAssessor(ctx, o)
	if err != nil {
		return turn.Rebuilt{}, err
	}
	defer a.close()
	line, err := repo.Line(ctx, "", "")
	if err != nil {
		return turn.Rebuilt{}, err
	}
	h := &past{ctx: ctx, a: a, repo: repo, tip: line.Snapshot, fleets: map[string]map[model.AppID]*model.Application{}}
	accepted := left.Accepted
	if accepted == "" {
		accepted = h.newest(left.Workloads)
	}
	if accepted == "" {
		return turn.Rebuilt{}, errors.New("no object names a commit of the branch; name the --repo and the --branch of the fleet")
	}
	snap, err := h.tip.At(accepted)
	if err != nil {
		return turn.Rebuilt{}, fmt.Errorf("read the commit that was accepted last: %w", err)
	}
	fleet, err := h.fleet(snap)
	if err != nil {
		return turn.Rebuilt{}, err
	}
	if fleet.Platform == nil {
		return turn.Rebuilt{}, fmt.Errorf("the platform layer of commit %.12s, which was accepted last, is not valid, and its last good one is lost", accepted)
	}
	rebuilt := turn.Rebuild(turn.Lost{Identity: identity, Remains: left.Remains, Fleet: fleet, Now: now, At: h.application, Newer: h.newer})
	return rebuilt, errors.Join(h.err, ctx.Err())
}

// past reads the commits that objects name.
type past struct {
	ctx    context.Context
	a      *assessor
	repo   *source.Repository
	tip    source.Snapshot
	fleets map[string]map[model.AppID]*model.Application // by commit
	err    error                                         // the first that is not about a commit
}

// fleet evaluates a commit.
func (p *past) fleet(snap source.Snapshot) (model.Fleet, error) {
	return p.a.assess(p.ctx, revision{commit: snap.Commit, files: snap.Files, at: func(commit string) (evaluate.Files, error) {
		older, err := snap.At(commit)
		return older.Files, err
	}})
}

// application returns an application as a commit declares it, nil if it does not or the
// commit does not lead to the tip.
func (p *past) application(app model.AppID, commit string) *model.Application {
	known, read := p.fleets[commit]
	if !read {
		known = map[model.AppID]*model.Application{}
		p.fleets[commit] = known
		if snap, err := p.tip.At(commit); err == nil {
			fleet, err := p.fleet(snap)
			if err != nil && p.err == nil {
				p.err = err
			}
			for _, a := range fleet.Applications {
				known[a.ID] = a
			}
		}
	}
	return known[app]
}

// newer reports whether commit a follows commit b.
func (p *past) newer(a, b string) bool {
	if a == b {
		return false
	}
	line, err := p.repo.LineTo(a, b)
	return err == nil && line.TipIs == access.Follows
}

// newest returns the newest commit of the branch that objects name.
func (p *past) newest(objects []model.Remnant) (newest string) {
	asked := map[string]bool{}
	for i := range objects {
		c := objects[i].Commit
		if asked[c] {
			continue
		}
		asked[c] = true
		if _, err := p.tip.At(c); err == nil && (newest == "" || p.newer(c, newest)) {
			newest = c
		}
	}
	return newest
}
