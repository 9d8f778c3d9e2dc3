package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/offline"
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

// whatIf answers what some settings would change.
func (s *Server) whatIf(w http.ResponseWriter, r *http.Request) error {
	if s.workers == nil {
		return refuse(http.StatusNotImplemented, "what-if needs a clone of the fleet repo: start \"reconciler ui\" in one, or with --repo DIR")
	}
	var asked question
	if err := readJSON(w, r, maxQuestion, &asked); err != nil {
		return err
	}
	if _, _, err := asked.parse(); err != nil {
		return blame(http.StatusBadRequest, err)
	}
	reads := of(r).reads
	if !asked.staysWithin(reads) {
		return errHidden
	}
	ctx, end := of(r).questions.begin(r.Context(), s.answerIn, errTooLong)
	defer end()
	a, err := s.ask(ctx, of(r), Question{About: aboutWhatIf, Body: encoded(asked)})
	if bad := (*refusal)(nil); errors.As(err, &bad) && !reads.All {
		said, _, _ := strings.Cut(bad.sentence, "; did you mean ") // the name of something of the files, whoever it belongs to
		err = &refusal{status: bad.status, sentence: said, after: bad.after}
	}
	return reply(w, r, a, err)
}

// encoded returns what was read of a body.
func encoded(body any) json.RawMessage {
	data, _ := json.Marshal(body) // it was JSON
	return data
}

// reply sends the answer of a worker.
func reply(w http.ResponseWriter, r *http.Request, a Answer, err error) error {
	if err != nil {
		return err
	}
	w.Header().Set("Daros-Status-Commit", a.Commit)
	if r.Method == http.MethodGet {
		send(w, r, a.Body)
		return nil
	}
	w.Header().Set("Cache-Control", "no-store")
	write(w, r, a.Status, a.Body)
	return nil
}

// ask has a worker answer a question, once one is free. The answer is given up when ctx ends. What was evaluated meanwhile stays for
// the next question, so bringing the fleet up to date goes on until the server ends.
func (s *Server) ask(ctx context.Context, v viewer, q Question) (Answer, error) {
	m, err := s.newest()
	if err == nil {
		err = s.budgets.left(v.who.User)
	}
	if err != nil {
		return Answer{}, err
	}
	q.Status, q.Now, q.Reads = m.Commit, s.Now().UTC().Round(0), v.reads
	worker, leave, err := s.enter(ctx, v)
	if err != nil {
		return Answer{}, err
	}
	type result struct {
		Answer
		err error
	}
	answered := make(chan result, 1)
	var begun atomic.Bool // the work on the question itself, once what it is about is up to date
	s.work.Go(func() {
		defer leave()
		a := result{Answer: Answer{Stale: true}}
		for a.Stale && a.err == nil {
			if a.err = worker.Follow(s.running, q); a.err == nil {
				a.err = ctx.Err()
			}
			if a.err == nil {
				begun.Store(true)
				var worked time.Duration
				a.Answer, worked, a.err = worker.Ask(ctx, q)
				s.budgets.charge(v.who.User, worked)
			}
		}
		answered <- a
	})
	var a result
	select {
	case a = <-answered:
	case <-ctx.Done():
		a.err = ctx.Err()
	}
	if a.err != nil && ctx.Err() != nil {
		a.err = context.Cause(ctx)
		if q.About == aboutPreview && begun.Load() && errors.Is(a.err, errSlow) {
			a.err = unseen(maxPreview.String())
		}
	}
	s.people.meet(a.Tenants...)
	return a.Answer, a.err
}
