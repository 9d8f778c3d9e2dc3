package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/page"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/view"
)

// Desk is a worker in its own process: it holds the fleet, evaluated and decided on, for one question after another.
type Desk struct {
	Branch    Branch
	Questions Questions
	Plans     Plans
	Drafts    Drafts               // nil: nobody drafts
	Worked    func() time.Duration // CPU time of evaluators so far

	last   Moment // that the branch had
	beside bool   // look at the files beside the next what-if
	stale  bool   // the files changed since they were followed
}

// Follow brings what a question is about up to date.
func (d *Desk) Follow(ctx context.Context, q Question) error {
	if d.last.Ledger == nil || d.last.Commit != q.Status {
		m, err := d.Branch.Load(ctx)
		if m.Ledger == nil {
			return err
		}
		d.last = m
	}
	switch q.About {
	case aboutPlan:
		return nil
	case aboutWhatIf:
		if d.beside = !d.stale && d.Questions.Unlooked(d.last.Commit, q.Now); d.beside {
			return nil
		}
		err := d.Questions.Follow(ctx, d.recorded(), q.Now)
		d.stale = err != nil
		return err
	}
	return d.Drafts.Follow(ctx, d.recorded(), q.Now)
}

func (d *Desk) recorded() offline.Recorded {
	return offline.Recorded{Commit: d.last.Commit, Ledger: *d.last.Ledger}
}

// Ask answers a question. Only the work of evaluators is counted here.
func (d *Desk) Ask(ctx context.Context, q Question) (a Answer, worked time.Duration, err error) {
	before := d.Worked()
	defer func() { worked = d.Worked() - before }()
	defer func() {
		if recover() != nil { // what the files of people lead to must not end what is held for the next question
			a, err = Answer{}, errGaveUp
		}
	}()
	a, err = d.answer(ctx, q)
	a.Commit = d.last.Commit
	return a, 0, err
}

func (d *Desk) answer(ctx context.Context, q Question) (Answer, error) {
	switch q.About {
	case aboutWhatIf:
		return d.whatIf(ctx, q)
	case aboutPlan:
		made, err := d.Plans.Plan(ctx, d.recorded(), q.Now, q.Head)
		return effect(made, q.Reads, blamed[*offline.UnrelatedError](http.StatusBadRequest, err))
	case aboutSource:
		said, err := d.Drafts.Source(ctx, q.Dir)
		if err == nil && len(said.Files) == 0 {
			err = refuse(http.StatusNotFound, "no file declares %s; a new one is made by edits of %s", subjectOf(q.Dir), q.Dir)
		}
		return answered(sourceOf(said).Only(q.Reads), err)
	case aboutOffers:
		said, err := d.Drafts.Offers(q.Tenant)
		return answered(offersOf(said, q.Tenant).Only(q.Reads), err)
	case aboutSchema:
		said, err := d.Drafts.Schema(q.Layer, q.Tenant)
		return answered(json.RawMessage(said), err)
	case aboutPreview, aboutSaving:
		return d.preview(ctx, q)
	}
	return Answer{}, fmt.Errorf("answer a question about %q: there is none", q.About)
}

func (d *Desk) whatIf(ctx context.Context, q Question) (Answer, error) {
	var asked question
	if err := json.Unmarshal(q.Body, &asked); err != nil {
		return Answer{}, err
	}
	settings, capacity, err := asked.parse()
	if err != nil {
		return Answer{}, err
	}
	var looking sync.WaitGroup
	defer looking.Wait() // after a bug, too: the next question follows the files
	if d.beside {
		looking.Go(func() { d.stale = !d.Questions.Unchanged(ctx) })
	}
	made, err := d.Questions.WhatIf(ctx, settings, capacity)
	looking.Wait()
	if ctx.Err() != nil {
		return Answer{}, ctx.Err()
	}
	if d.stale {
		return Answer{Stale: true}, nil
	}
	return effect(made, q.Reads, blamed[*offline.SettingError](http.StatusBadRequest, err))
}

// effect returns what a change would do, as somebody may read it.
func effect(c plan.Comparison, r access.Reading, err error) (Answer, error) {
	a, err := answered(view.PlanOf(c).Only(r).Page(), err)
	if err == nil {
		a.Tenants = tenantsOf(&c, r)
	}
	return a, err
}

// tenantsOf returns the tenants of a comparison, where somebody may not read of all.
func tenantsOf(c *plan.Comparison, r access.Reading) []string {
	if r.All {
		return nil
	}
	return view.TenantsIn(&c.Next)
}

// preview judges a draft.
func (d *Desk) preview(ctx context.Context, q Question) (a Answer, err error) {
	var asked draft
	if err := json.Unmarshal(q.Body, &asked); err != nil {
		return a, err
	}
	edits, err := asked.read()
	if err != nil {
		return a, err
	}
	p, err := d.Drafts.Preview(ctx, edits)
	if err != nil {
		return a, blamed[*offline.DraftError](http.StatusBadRequest, err)
	}
	said, shown, err := previewOf(p)
	if err != nil {
		return a, err
	}
	said = said.Only(q.Reads).Page()
	a, err = answered(said, nil)
	a.Tenants = tenantsOf(&p.Plan, q.Reads)
	switch {
	case err != nil || q.About == aboutPreview:
	case !said.Saves:
		a.Status = http.StatusUnprocessableEntity
	default:
		a.Draft = &Drafted{Commit: p.Commit, Changes: p.Changes, Approvals: []plan.Approval{}}
		if said.Plan != nil {
			a.Draft.Approvals = append(a.Draft.Approvals, said.Plan.Approvals...)
		}
		if q.Reads.All {
			a.Draft.Text = string(page.Comment(&shown.Plan))
		}
	}
	return a, err
}
