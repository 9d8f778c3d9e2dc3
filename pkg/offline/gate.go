package offline

import (
	"context"
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/source/clone"
)

// A Gate judges commits of a clone that are to come onto a branch, as the reconciler
// does once it has accepted a commit of the branch.
type Gate struct {
	Enforced bool   // commits need signatures
	Audience string // of statements, "": none are needed

	ctx      context.Context
	tree     *clone.Tree
	branch   string
	recorded access.Recorded
	assessor *assessor
	objects  *source.Repository
}

// OpenGate reads who may change what as of a commit of the branch. The caller closes the
// gate. The context bounds all that it does.
func OpenGate(ctx context.Context, o Options, w *clone.Tree, branch, onto string) (*Gate, error) {
	if !w.AtTop {
		return nil, fmt.Errorf("%s is not the top of its repository, and the reconciler reads a fleet there only", w.Root)
	}
	files, err := w.Commit(ctx, onto)
	if err != nil {
		return nil, err
	}
	a, err := newAssessor(ctx, o)
	if err != nil {
		return nil, err
	}
	g := &Gate{ctx: ctx, tree: w, branch: branch, assessor: a, objects: source.OpenClone(ctx, w.Root)}
	fleet := a.evaluator.Layers(files)
	if fleet.Platform == nil || fleet.Incomplete {
		g.Close()
		return nil, fmt.Errorf("who may change what cannot be read from %s: its platform is refused; \"reconciler vet\" says why", branch)
	}
	g.recorded = access.Recorded{Commit: onto, Platform: fleet.Platform, Tenants: fleet.Tenants}
	g.Enforced = access.New(fleet.Platform, nil).Enforced()
	if fleet.Platform.Access != nil {
		g.Audience = fleet.Platform.Access.Audience
	}
	return g, nil
}

// Close ends the children and the git program of the gate.
func (g *Gate) Close() {
	g.assessor.close()
	_ = g.objects.Close()
}

// Refused returns why a commit is not accepted after the one that the gate was opened
// with, nil if it is.
func (g *Gate) Refused(commit string, now time.Time) (*access.Violation, error) {
	line, err := g.objects.LineTo(commit, g.recorded.Commit)
	if err != nil {
		return nil, fmt.Errorf("%w; if this clone is shallow, \"git fetch --unshallow\" completes it", err)
	}
	line.Branch = g.branch
	verdict, err := line.Judge(g.recorded, now, func(f *source.Files) model.Fleet { return g.assessor.evaluator.Layers(f) })
	return verdict.Refused, err
}

// Signer returns why the signature of a commit that follows another does not count, nil
// if it is that of somebody whom the fleet knows.
func (g *Gate) Signer(commit, parent string, now time.Time) (*access.Violation, error) {
	line, err := g.objects.LineTo(commit, parent)
	if err != nil || len(line.Commits) != 1 {
		return nil, err
	}
	_, v := access.New(g.recorded.Platform, g.recorded.Tenants).Verify(line.Commits[0], now)
	return v, nil
}

// NewProblems returns the problems of a commit that the one before it on the branch does
// not have.
func (g *Gate) NewProblems(commit string) ([]model.Problem, error) {
	var lists [2][]model.Problem
	for i, c := range []string{g.recorded.Commit, commit} {
		files, err := g.tree.Commit(g.ctx, c)
		if err != nil {
			return nil, err
		}
		fleet, err := g.assessor.assess(g.ctx, revision{c, files, g.tree.At(g.ctx, c)})
		if err != nil {
			return nil, err
		}
		lists[i] = fleet.Problems
	}
	return plan.Without(lists[1], lists[0]), nil
}
