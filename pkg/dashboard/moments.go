package dashboard

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/view"
)

// moment returns the moment that a request is about: that of at=COMMIT, or the newest one.
func (s *Server) moment(ctx context.Context, r *http.Request) (Moment, error) {
	m, err := s.newest()
	if at := r.URL.Query().Get("at"); at != "" && at != m.Commit {
		m, err = s.at(ctx, at)
	}
	if err != nil {
		return Moment{}, err
	}
	return s.only(m, of(r).reads), nil
}

// only returns what somebody may read of a moment. Searches read messages, so these lose the names of others here.
func (s *Server) only(m Moment, r access.Reading) Moment {
	m.whole, m.Ledger = m.Ledger, view.Only(m.Ledger, r)
	if !r.All {
		others := s.unnamed(r)
		for i := range m.Ledger.Instances {
			in := &m.Ledger.Instances[i]
			in.Message = others.Line(in.Message)
		}
	}
	return m
}

// unnamed returns what takes the names out of answers that somebody may not read.
func (s *Server) unnamed(r access.Reading) view.Unnamed {
	return view.Unnamed{Reading: r, Known: s.people.knows, Own: func(application, component string) bool {
		m, err := s.newest()
		return err == nil && slices.ContainsFunc(r.Tenants, func(tenant string) bool {
			in, ok := m.Ledger.Find(model.AppID{Tenant: tenant, Name: application})
			return ok && in.Spec != nil && slices.ContainsFunc(in.Spec.Components, func(c model.Component) bool { return c.Name == component })
		})
	}}
}

// newest returns the newest moment.
func (s *Server) newest() (Moment, error) {
	m, _ := s.follower.tip()
	if m == nil {
		_, failed := s.follower.state()
		return Moment{}, refuse(http.StatusServiceUnavailable, "the status branch could not be read yet: %v", failed)
	}
	return *m, nil
}

// at returns a moment of the past.
func (s *Server) at(ctx context.Context, commit string) (Moment, error) {
	if err := checkCommit(commit); err != nil {
		return Moment{}, err
	}
	select {
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
	case <-ctx.Done():
		return Moment{}, ctx.Err()
	}
	m, err := s.Branch.At(ctx, commit)
	if err == nil && s.Gate != nil {
		s.people.meet(view.TenantsIn(m.Ledger)...)
	}
	return m, unknown(err)
}

// unknown returns an error as the answer for a commit that the branch does not have, if it is about one.
func unknown(err error) error {
	return blamed[*status.CommitError](http.StatusNotFound, err)
}

// checkCommit refuses everything but the full name of a commit: no name of a branch, and nothing that Git would resolve.
func checkCommit(s string) error {
	if !wholeCommit(s) {
		return refuse(http.StatusBadRequest, "%.60q is no commit of the status branch; write all 40 digits", s)
	}
	return nil
}

// wholeCommit reports whether a text is the full name of a commit.
func wholeCommit(s string) bool { return len(s) == 40 && strings.Trim(s, "0123456789abcdef") == "" }
