package offline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/text"
)

// Case is the input of a plan, besides the change.
type Case struct {
	Tree         *clone.Tree // of the fleet repo
	StatusBranch string      // of the clone, as last fetched
	Elsewhere    *Recorded   // the status branch, where it is in another repo; nil: it is in the clone
	Now          time.Time
	Capacity     []Capacity // changes of the observed capacity
	Settle       bool       // go on until both sides are at rest, and compare these states
	Clusters     []Cluster  // those to look at for objects that others made; nil: at none
}

// Recorded is the status branch as it was read.
type Recorded struct {
	Commit string // of the status branch, "" if there is none
	Ledger model.Ledger
}

// notes are the assumptions of an answer, as sentences without repetition.
type notes []string

func (n *notes) add(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(*n, text) {
		*n = append(*n, text)
	}
}

// NoBase stands for the state before the first commit: nothing is declared, and nothing runs.
const NoBase = "none"

// Plan compares a change with the commit at which it left a branch, base, or with NoBase. head is a revision with the
// change; "" stands for the files as they lie on disk.
func Plan(ctx context.Context, o Options, c Case, base, head string) (plan.Comparison, error) {
	var n notes
	rec, a, err := c.open(ctx, o, &n)
	if err != nil {
		return plan.Comparison{}, err
	}
	defer a.close()
	if base == NoBase { // of the status branch only the capacity of the pools counts
		n, rec.Ledger = nil, model.Ledger{Pools: rec.Ledger.Pools}
	}
	is, err := headSide(ctx, c.Tree, a, head, &n)
	if err != nil {
		return plan.Comparison{}, err
	}
	if base == NoBase {
		made, err := c.compare(a, rec, side{name: "nothing"}, is, n)
		return c.meet(ctx, a, made, err)
	}
	was, err := baseSide(ctx, c.Tree, a, base, is, &n)
	if err != nil {
		return plan.Comparison{}, err
	}
	if err := noteRefusals(ctx, c, a.evaluator, &rec.Ledger, base, is, &n); err != nil {
		return plan.Comparison{}, err
	}
	noteRemovals(was.requests, is.requests, &rec.Ledger, &n)
	made, err := c.compare(a, rec, was, is, n)
	if err == nil {
		err = addPeople(c.Tree, was, is, &made, c.Now)
	}
	return c.meet(ctx, a, made, err)
}

// meet completes the objects of a comparison: how they differ, and which of them others made.
func (c Case) meet(ctx context.Context, a *assessor, made plan.Comparison, err error) (plan.Comparison, error) {
	if err != nil {
		return made, err
	}
	if left := made.Unify(); left > 0 {
		made.Notes = append(made.Notes, fmt.Sprintf("the changes of %s are not shown line by line: they would be too long", text.Count(left, "object")))
	}
	_, origin := clone.Origin(ctx, c.Tree.Root)
	made.Links = made.Next.LinksOr(model.LinksOf(origin, c.StatusBranch)) // as the platform says, else as the Git host has it
	for _, cluster := range c.Clusters {
		sets := a.sets
		if made.Next.Platform != nil {
			sets = inCluster(sets, made.Next.Platform, &made.Next, cluster.Name)
		}
		said, err := cluster.Others(ctx, sets)
		if err != nil {
			return made, fmt.Errorf("look at the cluster: %w; without --kubeconfig the plan needs none", err)
		}
		made.Notes = append(made.Notes, said...)
	}
	return made, nil
}

// WhatIf compares the fleet at a revision with itself after some settings and the changes of capacity of the case.
func WhatIf(ctx context.Context, o Options, c Case, head string, settings []Setting) (plan.Comparison, error) {
	is := c
	is.Capacity = nil
	b, err := OpenBase(ctx, o, is, head)
	if err != nil {
		return plan.Comparison{}, err
	}
	defer b.Close()
	if err := b.FollowClone(ctx); err != nil {
		return plan.Comparison{}, err
	}
	return b.WhatIf(ctx, settings, c.Capacity)
}

// open reads the status branch as the clone has it, and prepares to evaluate.
func (c Case) open(ctx context.Context, o Options, n *notes) (rec Recorded, a *assessor, err error) {
	if rec, err = c.recorded(ctx); err != nil {
		return rec, nil, err
	}
	noteRecord(c.StatusBranch, &rec, n)
	if a, err = newAssessor(ctx, o); err != nil {
		return rec, nil, err
	}
	a.ledger = &rec.Ledger
	return rec, a, nil
}

// recorded reads the status branch as the clone has it.
func (c Case) recorded(ctx context.Context) (rec Recorded, err error) {
	if err := clone.CheckBranch(c.StatusBranch); err != nil {
		return rec, fmt.Errorf("--status-branch: %w", err)
	}
	switch {
	case c.Elsewhere != nil:
		return *c.Elsewhere, nil
	case c.Tree.Git:
		if rec.Commit, err = c.Tree.BranchTip(ctx, c.StatusBranch); err != nil || rec.Commit == "" {
			return rec, err
		}
		if rec.Ledger, err = status.ReadClone(ctx, c.Tree.Root, rec.Commit); err != nil {
			return rec, fmt.Errorf("read branch %s: %w", c.StatusBranch, err)
		}
	}
	return rec, nil
}

// noteRecord notes what the status branch does not tell.
func noteRecord(branch string, rec *Recorded, n *notes) {
	if rec.Commit == "" {
		n.add("there is no status branch %q here, so nothing is taken to run and no pool to have more than it declares; \"git fetch origin %s\" brings it",
			branch, branch)
	}
	for i := range rec.Ledger.Damaged {
		n.add("%s", &rec.Ledger.Damaged[i])
	}
}

// compare decides on two sides and returns the difference.
func (c Case) compare(a *assessor, rec Recorded, was, is side, n notes) (plan.Comparison, error) {
	before, err := decide(was, rec.Ledger, c.Now, c.Capacity, &n)
	if err != nil {
		return plan.Comparison{}, err
	}
	after, err := decide(is, rec.Ledger, c.Now, c.Capacity, &n)
	if err != nil {
		return plan.Comparison{}, err
	}
	return c.differences(a, rec, before, after, n), nil
}

// differences compares two sides that were decided on.
func (c Case) differences(a *assessor, rec Recorded, was, is decided, n notes) plan.Comparison {
	before, after := was.Outcome, is.Outcome
	made := plan.Comparison{Before: was.description(), After: is.description(), Status: rec.Commit, Now: c.Now, Next: after.Ledger}
	for _, m := range is.took.Moves {
		n.add("%s", m)
	}
	for _, note := range Unreclaimable(&after.Fleet) {
		n.add("%s", note)
	}
	switch {
	case after.Fleet.Platform == nil:
		n.add("nothing can be decided: the platform is not valid and never was")
		made.Problems = after.Fleet.Problems
	case before.Fleet.Platform == nil:
		if was.commit != "" {
			n.add("before the change there was no valid platform, so everything is new")
		}
		before, was.inputs = plan.Outcome{Fleet: model.Fleet{Platform: after.Fleet.Platform}}, nil
		fallthrough
	default:
		if c.Settle {
			made.Rounds = []plan.Round{plan.RoundOf(1, c.Now, &before, &after)}
			if was.took.Decided() {
				before, was.inputs = settle(was.pass, was.took, nil, &n), nil
			}
			after = settle(is.pass, is.took, &made.Rounds, &n)
			made.Next = after.Ledger
		}
		if was.inputs == nil {
			was.inputs = inputsOfObjects(&before)
		}
		a.renderDifferences(was.side, is.side, &before, &after, was.inputs, len(c.Clusters) > 0, &n)
		made.Changes = plan.Compare(&before, &after)
	}
	made.Notes = n
	return made
}
