package dashboard

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/view"
)

// Gate tells who asks, on a dashboard that several people share. It is safe for concurrent use.
type Gate interface {
	// Who returns who sends a request. The zero identity has not signed in.
	Who(r *http.Request) (access.Identity, error)
}

// viewer is who asks, and what they may read.
type viewer struct {
	*session
	who   access.Identity // zero: whoever has the token
	reads access.Reading
}

type viewerKey struct{}

func of(r *http.Request) viewer { return r.Context().Value(viewerKey{}).(viewer) }

// WhoAsks returns who sends the request that a context belongs to. With the token that is the zero identity.
func WhoAsks(ctx context.Context) access.Identity {
	v, _ := ctx.Value(viewerKey{}).(viewer)
	return v.who
}

// as returns a request of a viewer.
func (v viewer) as(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), viewerKey{}, v))
}

// admitted lets in only requests of people who may read something.
func (s *Server) admitted(next http.Handler) http.Handler {
	return handler(func(w http.ResponseWriter, r *http.Request) error {
		if s.Gate == nil {
			of := s.sessions.of(r)
			if of == nil {
				return refuse(http.StatusUnauthorized, "sign in first: open the URL that \"reconciler ui\" prints")
			}
			next.ServeHTTP(w, viewer{session: of, reads: access.Reading{All: true}}.as(r))
			return nil
		}
		if s.SignIn != nil {
			during, stop := s.SignIn.during(r)
			defer stop()
			r = during
		}
		who, err := s.Gate.Who(r)
		if err == nil && who.User == "" {
			err = refuse(http.StatusUnauthorized, "sign in first")
			if s.SignIn != nil {
				w.Header().Set("Daros-Sign-In", signInPath)
			}
		}
		if err != nil {
			return err
		}
		m, err := s.newest()
		if err != nil {
			return err
		}
		readers := s.people.readers(m.Ledger)
		v := viewer{who: who, reads: readers.Reading(who, s.Now()), session: s.people.session(who.User)}
		if v.reads.Nothing() {
			ask := "an admin of the platform"
			if admins := readers.Admins(s.Now()); len(admins) > 0 {
				ask = strings.Join(admins[:min(len(admins), 5)], " or ")
			}
			return refuse(http.StatusForbidden, "%q may read nothing here: ask %s, or whoever administers your tenant, to name you in access.viewers", who.User, ask)
		}
		next.ServeHTTP(w, v.as(r))
		return nil
	})
}

// people are those who share a dashboard.
type people struct {
	mu       sync.Mutex
	of       *model.Ledger // that compiled is of
	compiled *access.Readers
	sessions map[string]*session
	order    []string        // of sessions, the oldest first
	tenants  map[string]bool // every name of a tenant that was seen
}

// readers returns who may read what as a ledger says it.
func (p *people) readers(l *model.Ledger) *access.Readers {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of != l {
		for _, t := range view.TenantsIn(l) {
			p.tenants[t] = true
		}
		p.of, p.compiled = l, access.NewReaders(l.Platform, l.Tenants)
	}
	return p.compiled
}

// session returns what a person asked for lately.
func (p *people) session(user string) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sessions[user] == nil {
		if len(p.order) == maxSessions {
			delete(p.sessions, p.order[0])
			p.order = slices.Delete(p.order, 0, 1)
		}
		p.sessions[user], p.order = &session{streams: make(chan struct{}, usualPace.most), turn: make(chan struct{}, 1)}, append(p.order, user)
	}
	return p.sessions[user]
}

// meet keeps names of tenants in mind, so that no later answer has them for somebody who may not read them.
func (p *people) meet(tenants ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range tenants {
		p.tenants[t] = true
	}
}

// knows reports whether a name is that of a tenant that was seen.
func (p *people) knows(tenant string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tenants[tenant]
}
