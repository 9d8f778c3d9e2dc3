package dashboard

import (
	"context"
	"net/http"

	"github.com/d-aros/d-aros/pkg/view"
)

// timeline answers with the commits of the branch as it is now.
func (s *Server) timeline(ctx context.Context, m Moment, r *http.Request) (any, error) {
	asked := r.URL.Query()
	limit, err := rows(asked, view.DefaultRows)
	if err != nil {
		return nil, err
	}
	before := asked.Get("before")
	if before != "" {
		if err := checkCommit(before); err != nil {
			return nil, err
		}
	}
	if m.Commit == "" {
		return view.Timeline{Commits: []view.TimelineCommit{}}, nil
	}
	v, err := s.Branch.Log(ctx, before, limit)
	for i := range v.Commits {
		for n := range v.Commits[i].Changes {
			s.people.meet(v.Commits[i].Changes[n].App.Tenant)
		}
	}
	return v.Only(of(r).reads), unknown(err)
}

// changes answers with what differs between two moments.
func (s *Server) changes(ctx context.Context, m Moment, r *http.Request) (any, error) {
	asked := r.URL.Query()
	from, err := s.at(ctx, asked.Get("from"))
	if err != nil {
		return nil, err
	}
	if to := asked.Get("to"); to != "" && to != m.Commit {
		if m, err = s.at(ctx, to); err != nil {
			return nil, err
		}
	}
	reads := of(r).reads
	v := view.ChangesOf(view.Only(from.Ledger, reads), view.Only(m.Ledger, reads), m.Time)
	v.From, v.To = from.Commit, m.Commit
	return v, nil
}
