package dashboard

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/view"
)

// Limits of a question.
const (
	maxQuestion = 64 << 10 // bytes
	maxSettings = 50
	maxAnswer   = 10 * time.Second // until a question is answered
)

var (
	errReplaced = refuse(http.StatusConflict, "a newer question of this browser took the place of this one")
	errTooLong  = later("the answer takes longer than %s; after a change all of the fleet is evaluated once, so ask again", maxAnswer)
)

// question is the body of a request.
type question struct {
	Set      []string `json:"set"`
	Capacity []string `json:"capacity"`
}

// parse returns the settings that a question names.
func (q question) parse() (settings []offline.Setting, capacity []offline.Capacity, err error) {
	switch n := len(q.Set) + len(q.Capacity); {
	case n == 0:
		return nil, nil, errors.New("what if what? give settings or capacity, for example \"set\": [\"tenant.acme.quota.cpu=+16\"]")
	case n > maxSettings:
		return nil, nil, errors.New("one question can have 50 settings")
	}
	for _, one := range q.Set {
		s, err := offline.ParseSetting(one)
		if err != nil {
			return nil, nil, err
		}
		settings = append(settings, s)
	}
	capacity, err = offline.ParseCapacity(q.Capacity)
	return settings, capacity, err
}

// staysWithin reports whether a question is about what somebody may read. Capacity is everybody's.
func (q question) staysWithin(r access.Reading) bool {
	return r.All || !slices.ContainsFunc(q.Set, func(one string) bool {
		kind, path, _ := strings.Cut(one, ".")
		tenant, _, _ := strings.Cut(path, ".")
		tenant, _, _ = strings.Cut(tenant, "/")
		return kind != "tenant" && kind != "application" || !r.Reads(tenant)
	})
}

// effect returns what a change would do, as somebody may read it.
func (s *Server) effect(c plan.Comparison, r access.Reading) view.Plan {
	v := view.PlanOf(c)
	if !r.All {
		s.people.meet(view.TenantsIn(&c.Next)...)
	}
	return v.Only(r)
}

// whatIf answers what some settings would change.
func (s *Server) whatIf(w http.ResponseWriter, r *http.Request) {
	if s.Questions == nil {
		fail(w, r, refuse(http.StatusNotImplemented, "what-if needs a clone of the fleet repo: start \"reconciler ui\" in one, or with --repo DIR"))
		return
	}
	var asked question
	if err := readJSON(w, r, maxQuestion, &asked); err != nil {
		fail(w, r, err)
		return
	}
	settings, capacity, err := asked.parse()
	if err != nil {
		fail(w, r, blame(http.StatusBadRequest, err))
		return
	}
	reads := of(r).reads
	if !asked.staysWithin(reads) {
		fail(w, r, errHidden)
		return
	}
	m, err := s.newest()
	if err != nil {
		fail(w, r, err)
		return
	}
	if err := s.budgets.left(of(r).who.User); err != nil {
		fail(w, r, err)
		return
	}
	ctx, end := of(r).questions.begin(r.Context(), s.answerIn, errTooLong)
	defer end()
	made, err := s.ask(ctx, of(r), offline.Recorded{Commit: m.Commit, Ledger: *m.Ledger}, settings, capacity)
	if bad := (*refusal)(nil); errors.As(err, &bad) && !reads.All {
		said, _, _ := strings.Cut(bad.sentence, "; did you mean ") // the name of something of the files, whoever it belongs to
		err = &refusal{bad.status, said, bad.after}
	}
	if err != nil {
		fail(w, r, err)
		return
	}
	body, err := view.JSON(s.effect(made, reads))
	if err != nil {
		fail(w, r, err)
		return
	}
	w.Header().Set("Daros-Status-Commit", m.Commit)
	w.Header().Set("Cache-Control", "no-store")
	write(w, r, http.StatusOK, body)
}

// ask asks a question once nobody else does. The answer is given up when ctx ends. What was evaluated meanwhile stays for
// the next question, so bringing the fleet up to date goes on until the server ends.
func (s *Server) ask(ctx context.Context, v viewer, recorded offline.Recorded, settings []offline.Setting, capacity []offline.Capacity) (plan.Comparison, error) {
	leave, err := s.enter(ctx, v, s.asking)
	if err != nil {
		return plan.Comparison{}, err
	}
	type result struct {
		made plan.Comparison
		err  error
	}
	answered := make(chan result, 1)
	s.work.Go(func() {
		defer leave()
		var a result
		defer func() {
			if recover() != nil {
				a = result{err: errGaveUp}
			}
			answered <- a
		}()
		if a.err = s.Questions.Follow(s.running, recorded); a.err == nil {
			if a.err = ctx.Err(); a.err == nil {
				s.budgets.during(v.who.User, func() time.Duration {
					before := s.Questions.Worked()
					a.made, a.err = s.Questions.WhatIf(ctx, settings, capacity)
					return s.Questions.Worked() - before
				})
			}
		}
	})
	select {
	case a := <-answered:
		if bad := (*offline.SettingError)(nil); errors.As(a.err, &bad) {
			a.err = blame(http.StatusBadRequest, bad)
		}
		if ctx.Err() != nil {
			a.err = context.Cause(ctx)
		}
		return a.made, a.err
	case <-ctx.Done():
		return plan.Comparison{}, context.Cause(ctx)
	}
}
