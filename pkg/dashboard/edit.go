package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/view"
	"github.com/d-aros/d-aros/schema/jsonschema"
)

// maxPreview is how long somebody waits for the preview of a draft.
const maxPreview = 30 * time.Second

var (
	errNoDrafts = refuse(http.StatusNotImplemented, "the editor needs a clone of the fleet repo: start \"reconciler ui\" in one, or with --repo DIR")
	errReadOnly = refuse(http.StatusForbidden, "the dashboard was started with --read-only, so nothing can be changed here")
	errShared   = refuse(http.StatusForbidden, "several people share this dashboard, so nothing is saved here unless it was started with --propose; start \"reconciler ui\" in a clone of your own, and save there")
	errGaveUp   = refuse(http.StatusBadRequest, "the files cannot be worked on here; edit them by hand")
	errSlow     = later("the preview takes longer than %s; after a change all of the fleet is evaluated once, so ask again", maxPreview)
)

// saving is the route that writes.
const saving = "POST /api/v1/branches"

// benches are where drafts are previewed: at most one at each. The one that was used last is the first to be used again, as it
// knows the fleet.
type benches struct {
	places chan struct{} // one element for each that is in use
	mu     sync.Mutex
	idle   []Drafts
}

func newBenches(all []Drafts) *benches {
	return &benches{places: make(chan struct{}, len(all)), idle: all}
}

// take waits for a bench. The caller calls leave.
func (b *benches) take(ctx context.Context) (d Drafts, leave func(), err error) {
	select {
	case b.places <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	last := len(b.idle) - 1
	d, b.idle = b.idle[last], b.idle[:last]
	return d, func() {
		b.mu.Lock()
		b.idle = append(b.idle, d)
		b.mu.Unlock()
		<-b.places
	}, nil
}

// drafting answers with what a function makes of the files of the clone. It bounds the time that the client waits. What was evaluated
// by then stays for the next question, so the work goes on until its next step.
func (s *Server) drafting(ctx context.Context, w http.ResponseWriter, r *http.Request, do func(ctx context.Context, d Drafts) (status int, answer any, err error)) {
	m, err := s.newest()
	if err == nil {
		err = s.budgets.left(of(r).who.User)
	}
	if err != nil {
		fail(w, r, err)
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.previewIn + 10*time.Second)) // later than that of other answers
	type result struct {
		status int
		said   any
		err    error
	}
	answered := make(chan result, 1)
	rise, err := s.enter(ctx, of(r))
	if err != nil {
		fail(w, r, err)
		return
	}
	d, leave, err := s.drafts.take(ctx)
	if err != nil {
		rise()
		fail(w, r, err)
		return
	}
	s.work.Go(func() {
		defer rise()
		defer leave()
		var a result
		defer func() {
			if recover() != nil { // what reads the files of people must not end the pages of others
				a = result{err: errGaveUp}
			}
			answered <- a
		}()
		if a.err = d.Follow(s.running, offline.Recorded{Commit: m.Commit, Ledger: *m.Ledger}); a.err == nil {
			if a.err = ctx.Err(); a.err == nil {
				s.budgets.during(of(r).who.User, func() time.Duration {
					before := d.Worked()
					a.status, a.said, a.err = do(ctx, d)
					return d.Worked() - before
				})
			}
		}
	})
	var a result
	select {
	case a = <-answered:
	case <-ctx.Done():
	}
	if ctx.Err() != nil && a.said == nil {
		a.err = context.Cause(ctx)
	}
	if a.err != nil {
		fail(w, r, a.err)
		return
	}
	body, err := view.JSON(a.said)
	if err != nil {
		fail(w, r, err)
		return
	}
	w.Header().Set("Daros-Status-Commit", m.Commit)
	if r.Method == http.MethodGet {
		send(w, r, body)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	write(w, r, a.status, body)
}

// source answers with what the files say of an application, of a tenant, or of the platform.
func (s *Server) source(w http.ResponseWriter, r *http.Request) {
	dir, err := dirOf(r)
	if err == nil && s.drafts == nil {
		err = errNoDrafts
	}
	if err != nil {
		fail(w, r, err)
		return
	}
	ctx, stop := context.WithTimeoutCause(r.Context(), s.previewIn, errSlow)
	defer stop()
	s.drafting(ctx, w, r, func(ctx context.Context, d Drafts) (int, any, error) {
		said, err := d.Source(ctx, dir)
		if err == nil && len(said.Files) == 0 {
			err = refuse(http.StatusNotFound, "no file declares %s; a new one is made by edits of %s", subjectOf(dir), dir)
		}
		return http.StatusOK, sourceOf(said).Only(of(r).reads), err
	})
}

// dirOf returns the directory of the layer that a request names.
func dirOf(r *http.Request) (string, error) {
	tenant := r.PathValue("tenant")
	switch {
	case tenant == "":
		return ".", nil
	case r.PathValue("app") != "":
		app, err := appOf(r)
		return "tenants/" + app.Tenant + "/apps/" + app.Name, err
	case !model.ValidName(tenant):
		return "", refuse(http.StatusNotFound, "%.80q cannot name a tenant", tenant)
	}
	return "tenants/" + tenant, nil
}

// subjectOf names what a directory declares.
func subjectOf(dir string) string {
	part := strings.Split(dir, "/")
	switch len(part) {
	case 4:
		return "an application " + part[1] + "/" + part[3]
	case 2:
		return "a tenant " + part[1]
	}
	return "the platform"
}

// offers answers with what a declaration can name.
func (s *Server) offers(w http.ResponseWriter, r *http.Request) {
	if s.drafts == nil {
		fail(w, r, errNoDrafts)
		return
	}
	ctx, stop := context.WithTimeoutCause(r.Context(), s.previewIn, errSlow)
	defer stop()
	s.drafting(ctx, w, r, func(_ context.Context, d Drafts) (int, any, error) {
		tenant := r.URL.Query().Get("tenant")
		said, err := d.Offers(tenant)
		return http.StatusOK, offersOf(said, tenant).Only(of(r).reads), err
	})
}

// schemas are those of the layers of every fleet. They are made once for all servers, as that takes a while.
var schemas = map[string]func() ([]byte, error){"platform": once("platform"), "tenant": once("tenant"), "application": once("application")}

func once(layer string) func() ([]byte, error) {
	return sync.OnceValues(func() ([]byte, error) { return jsonschema.Of(layer) })
}

// schema answers with the schema of a layer. For a tenant it has what that tenant can use beside the types and traits of every fleet.
func (s *Server) schema(layer string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if tenant := r.URL.Query().Get("tenant"); tenant != "" && s.drafts != nil {
			ctx, stop := context.WithTimeoutCause(r.Context(), s.previewIn, errSlow)
			defer stop()
			s.drafting(ctx, w, r, func(_ context.Context, d Drafts) (int, any, error) {
				said, err := d.Schema(layer, tenant)
				return http.StatusOK, json.RawMessage(said), err
			})
			return
		}
		body, err := schemas[layer]()
		if err != nil {
			fail(w, r, err)
			return
		}
		send(w, r, append(body[:len(body):len(body)], '\n'))
	}
}

// preview answers with what a draft would do.
func (s *Server) preview(w http.ResponseWriter, r *http.Request) {
	asked, d, err := s.readDraft(w, r)
	if err == nil && asked.Name+asked.Message+asked.Into != "" {
		err = refuse(http.StatusBadRequest, "a preview has no name and no message: it is not saved")
	}
	if err != nil {
		fail(w, r, err)
		return
	}
	ctx, end := of(r).previews.begin(r.Context(), s.previewIn, errSlow)
	defer end()
	s.drafting(ctx, w, r, func(ctx context.Context, on Drafts) (int, any, error) {
		p, said, err := previewOn(ctx, on, d)
		if reads := of(r).reads; !reads.All {
			s.people.meet(view.TenantsIn(&p.Plan.Next)...)
			said = said.Only(reads)
		}
		return http.StatusOK, said, err
	})
}

// save commits a draft onto a new branch, or writes it into the work tree. It judges it anew: nothing that the page says of it
// counts.
func (s *Server) save(w http.ResponseWriter, r *http.Request) {
	asked, d, err := s.readDraft(w, r)
	if err == nil && asked.Into != "" && (asked.Into != "files" || asked.Name+asked.Message != "" || s.Gate != nil) {
		err = refuse(http.StatusBadRequest, "into=%.20q: write \"files\" for the work tree of your own clone, without a name and a message", asked.Into)
	}
	if err != nil {
		fail(w, r, err)
		return
	}
	if asked.Into != "" {
		s.writeFiles(w, r, d)
		return
	}
	onto, err := clone.ParseDraftBranch(asked.Name)
	if err == nil && (len(asked.Message) > maxMessage || !utf8.ValidString(asked.Message)) {
		err = errors.New("the message has more than 4096 bytes, or other bytes than text")
	}
	if err != nil {
		fail(w, r, blame(http.StatusBadRequest, err))
		return
	}
	if s.Gate != nil {
		onto = onto.Of(of(r).who.User)
	}
	message := asked.message()
	ctx, stop := context.WithTimeoutCause(context.WithoutCancel(r.Context()), s.previewIn, errSlow)
	defer stop()
	s.drafting(ctx, w, r, func(ctx context.Context, on Drafts) (int, any, error) {
		p, said, err := previewOn(ctx, on, d)
		if err != nil {
			return 0, nil, err
		}
		if !said.Saves {
			return http.StatusUnprocessableEntity, said, nil
		}
		saved, err := on.Save(ctx, p, message, onto)
		if refused := (*clone.RefusedError)(nil); errors.As(err, &refused) {
			err = blame(http.StatusBadGateway, refused)
		}
		if err != nil {
			return 0, nil, err
		}
		reads := of(r).reads
		if !reads.All {
			said = said.Only(reads)
		}
		answer, err := s.savedOf(saved, p, said, reads.All)
		return http.StatusCreated, answer, err
	})
}

// writeFiles writes a draft into the work tree.
func (s *Server) writeFiles(w http.ResponseWriter, r *http.Request, d offline.Draft) {
	ctx, stop := context.WithTimeoutCause(context.WithoutCancel(r.Context()), s.previewIn, errSlow)
	defer stop()
	s.drafting(ctx, w, r, func(ctx context.Context, on Drafts) (int, any, error) {
		p, said, err := previewOn(ctx, on, d)
		if err != nil || !said.Saves {
			return http.StatusUnprocessableEntity, said, err
		}
		v := view.WrittenDraft{Written: []string{}}
		for _, f := range said.Files {
			v.Written = append(v.Written, f.Path)
		}
		return http.StatusCreated, v, blame(http.StatusConflict, on.Write(ctx, p))
	})
}

// mayBeSaved reports whether drafts can be saved. In a clone that means in the name of whoever has it, so several people propose to
// its origin, each in their own name.
func (s *Server) mayBeSaved() bool { return s.Gate == nil || s.Saves == SavesProposed }

// readDraft reads the draft that a request has.
func (s *Server) readDraft(w http.ResponseWriter, r *http.Request) (asked draft, d offline.Draft, err error) {
	switch {
	case s.drafts == nil:
		return asked, d, errNoDrafts
	case s.ReadOnly:
		return asked, d, errReadOnly
	case r.Pattern == saving && !s.mayBeSaved():
		return asked, d, errShared
	}
	if err = readJSON(w, r, maxDraft, &asked); err == nil {
		d, err = asked.read()
		err = blame(http.StatusBadRequest, err)
	}
	if err == nil && !asked.staysWithin(of(r).reads) {
		err = errHidden
	}
	return asked, d, err
}

// previewOn previews a draft.
func previewOn(ctx context.Context, on Drafts, d offline.Draft) (p offline.Preview, said view.Preview, err error) {
	if p, err = on.Preview(ctx, d); err != nil {
		if bad := (*offline.DraftError)(nil); errors.As(err, &bad) {
			err = blame(http.StatusBadRequest, bad)
		}
		return p, said, err
	}
	said, err = previewOf(p)
	return p, said, err
}
