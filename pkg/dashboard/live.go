package dashboard

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/view"
)

// following serves requests about what a cluster has of an application that the newest ledger knows.
func (s *Server) following(say func(w http.ResponseWriter, r *http.Request, m *Moment, f Followed) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		app, err := appOf(r)
		if err != nil {
			return err
		}
		m, _ := s.follower.tip()
		switch {
		case s.viewings == nil:
			return refuse(http.StatusNotImplemented, "objects, events and logs are in a cluster: start the dashboard with --live")
		case m == nil:
			return errors.New("the status branch could not be read yet")
		}
		if _, ok := m.Ledger.Find(app); !ok {
			return blame(http.StatusNotFound, view.Of(app).Missing(m.Ledger))
		}
		f, leave, err := s.viewings.enter(app, personOf(r))
		if err != nil {
			return err
		}
		defer leave()
		return say(w, r, m, f)
	}
}

// personOf returns who asks. The token of the URL is that of whoever started the program.
func personOf(r *http.Request) runtime.Person {
	who := WhoAsks(r.Context())
	return runtime.Person{Name: who.User, Groups: who.Groups}
}

// live answers what there is of an application now.
func (s *Server) live(w http.ResponseWriter, r *http.Request, m *Moment, f Followed) error {
	v, err := f.Look(r.Context(), m.Ledger)
	if err != nil {
		return err
	}
	return sendJSON(w, r, v)
}

// liveStream tells when something changed of what there is of an application, or of what is wanted.
func (s *Server) liveStream(w http.ResponseWriter, r *http.Request, m *Moment, f Followed) error {
	_, _ = f.Look(r.Context(), m.Ledger) // so that the watches begin; who asks for the answer is told what is wrong
	return s.events(w, r, "live", func() (id, data string, changed <-chan struct{}) {
		version, changed := f.Changed()
		return strconv.Itoa(version), `{"version":` + strconv.Itoa(version) + `}`, changed
	})
}
