package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// Limits of the plan of a head.
const (
	maxPlanning = time.Minute // until it is given up
	maxPlanAge  = time.Minute // that it is shown again: holds end and deadlines pass
)

var (
	errNoClone  = refuse(http.StatusNotImplemented, "plans need a clone of the fleet repo: start \"reconciler ui\" in one, or with --repo DIR")
	errPlanning = later("the plan takes longer than %s; it goes on, so ask again", maxAnswer)
	errHeavy    = refuse(http.StatusServiceUnavailable, "the plan took longer than %s and was given up; \"reconciler plan\" has no limit", maxPlanning)
)

// planning is a plan that is made for a session, or was.
type planning struct {
	of    string // the commits that it is about
	began time.Time
	ctx   context.Context // ends with the server, or when another plan takes its place
	end   context.CancelCauseFunc
	done  chan struct{} // closed when the rest is known
	made  Answer
	err   error
}

// plan answers what the merge of a head would do.
func (s *Server) plan(w http.ResponseWriter, r *http.Request) error {
	if s.Proposals == nil || s.workers == nil {
		return errNoClone
	}
	m, err := s.newest()
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeoutCause(r.Context(), s.answerIn, errPlanning)
	defer stop()
	v := of(r)
	head, base, err := s.find(ctx, r.URL.Query().Get("head"), v.reads)
	if err != nil {
		return err
	}
	about := fmt.Sprint(head, base, m.Commit, v.reads) // what they may read may be another part by now
	p, begins, err := v.plan(s.running, about, s.Now(), func() error { return s.budgets.left(v.who.User) })
	if err != nil {
		return err
	}
	if begins {
		s.work.Go(func() { s.make(v, p, head.Name) })
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return reply(w, r, p.made, p.err)
}

// plan returns the plan that is made of some commits, or was made a moment ago, or one that the caller has to make, if it may. Then
// the one before ends.
func (s *session) plan(ctx context.Context, of string, now time.Time, may func() error) (p *planning, begins bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.planned; last != nil {
		if last.of == of && now.Sub(last.began) < maxPlanAge {
			return last, false, nil
		}
	}
	if err := may(); err != nil {
		return nil, false, err
	}
	if s.planned != nil {
		s.planned.end(errReplaced)
	}
	p = &planning{of: of, began: now, done: make(chan struct{})}
	p.ctx, p.end = context.WithCancelCause(ctx)
	s.planned = p
	return p, true, nil
}

// make makes a plan once a worker is free, within its limits. It goes on when nobody waits for it any more, because what is
// evaluated by then is there for the next question.
func (s *Server) make(v viewer, p *planning, head string) {
	defer close(p.done)
	defer p.end(nil)
	ctx, stop := context.WithTimeoutCause(p.ctx, s.planIn, errHeavy)
	defer stop()
	p.made, p.err = s.ask(ctx, v, Question{About: aboutPlan, Head: head})
}
