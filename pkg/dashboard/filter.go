package dashboard

import (
	"bytes"
	"cmp"
	"net/http"
	"strings"

	"github.com/d-aros/d-aros/pkg/view"
)

// filter is how a route keeps what somebody may not read from them.
type filter int

const (
	named filter = iota + 1 // the path names the tenant
	cut                     // it answers about what they may read of the ledger, or of the files
	whole                   // it is for those who may read all
	plain                   // it says nothing of any tenant
)

// routes are what the dashboard answers, each with its filter.
type routes struct {
	*http.ServeMux
	server *Server
	names  []string
}

// HandleFunc adds a route with its filter. It panics unless that is named where the path names a tenant, and else another one.
func (rt *routes) HandleFunc(how filter, pattern string, answer handler) {
	if how == 0 || strings.Contains(pattern, "{tenant}") != (how == named) {
		panic("the route " + pattern + " has no filter, or that of another one")
	}
	rt.names = append(rt.names, pattern)
	rt.ServeMux.Handle(pattern, rt.server.filtered(how, answer))
}

// errHidden is the answer for what is not there, and for what may not be read: nobody can tell one from the other.
var errHidden = refuse(http.StatusNotFound, "there is no such tenant or application, or you may not read it")

// filtered answers as a route does, for what who asks may read.
func (s *Server) filtered(how filter, answer handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		v := of(r)
		if v.reads.All {
			return answer(w, r)
		}
		if tenant := cmp.Or(r.PathValue("tenant"), r.URL.Query().Get("tenant")); tenant != "" && !v.reads.Reads(tenant) ||
			how == named && r.PathValue("tenant") == "" {
			return errHidden
		}
		if how == whole {
			return refuse(http.StatusForbidden, "this names applications of all tenants, and you may read some of them only")
		}
		held := &unnamed{ResponseWriter: w, view: s.unnamed(v.reads)}
		asked := r.Clone(r.Context())
		asked.Header.Del("Accept-Encoding") // names can be taken out of plain text only,
		asked.Header.Del("If-None-Match")   // and the tag is that of what is left
		answer.ServeHTTP(held, asked)
		held.send(r)
		return nil
	}
}

// unnamed holds an answer back until the names that may not be read are taken out of it. A stream is passed on as it comes.
type unnamed struct {
	http.ResponseWriter
	view   view.Unnamed
	status int
	body   bytes.Buffer
}

func (u *unnamed) WriteHeader(status int) {
	u.status = cmp.Or(u.status, status)
	if u.passes() {
		u.ResponseWriter.WriteHeader(status)
	}
}

func (u *unnamed) Write(b []byte) (int, error) {
	u.status = cmp.Or(u.status, http.StatusOK)
	if u.passes() {
		return u.ResponseWriter.Write(b)
	}
	return u.body.Write(b)
}

// Unwrap is for http.ResponseController.
func (u *unnamed) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// passes reports whether the answer is a stream: those are of one application that may be read, or of commits.
func (u *unnamed) passes() bool {
	return strings.HasPrefix(u.Header().Get("Content-Type"), "text/event-stream")
}

// send sends what was held back.
func (u *unnamed) send(r *http.Request) {
	if u.passes() {
		return
	}
	h := u.Header()
	body := u.view.JSON(u.body.Bytes())
	h.Del("Content-Length")
	h.Del("Vary")
	if h.Get("ETag") != "" {
		send(u.ResponseWriter, r, body)
		return
	}
	write(u.ResponseWriter, r, cmp.Or(u.status, http.StatusOK), body)
}
