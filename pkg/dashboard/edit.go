package dashboard

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/view"
	"github.com/d-aros/d-aros/schema/jsonschema"
)

// How long somebody waits for the preview of a draft, and until one is saved.
const (
	maxPreview = 30 * time.Second
	maxSave    = 3 * time.Minute
)

var (
	errNoDrafts = refuse(http.StatusNotImplemented, "the editor needs a clone of the fleet repo: start \"reconciler ui\" in one, or with --repo DIR")
	errReadOnly = refuse(http.StatusForbidden, "the dashboard was started with --read-only, so nothing can be changed here")
	errShared   = refuse(http.StatusForbidden, "several people share this dashboard, so nothing is saved here unless it was started with --propose; start \"reconciler ui\" in a clone of your own, and save there")
	errGaveUp   = refuse(http.StatusBadRequest, "the files cannot be worked on here; edit them by hand")
	errLong     = later("to judge the draft takes longer than %s; after a change all of the fleet is evaluated once, so save again", maxSave)
	errSlow     = later("the answer takes longer than %s; after a change all of the fleet is evaluated once, so ask again", maxPreview)
)

// saving is the route that writes.
const saving = "POST /api/v1/branches"

// drafting asks about the files of the clone, for as long as it is told that the client waits.
func (s *Server) drafting(ctx context.Context, w http.ResponseWriter, r *http.Request, q Question, within time.Duration) (Answer, error) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(within + 10*time.Second)) // later than that of other answers
	return s.ask(ctx, of(r), q)
}

// look answers with what a worker says of the files.
func (s *Server) look(w http.ResponseWriter, r *http.Request, q Question) error {
	ctx, stop := context.WithTimeoutCause(r.Context(), s.previewIn, errSlow)
	defer stop()
	a, err := s.drafting(ctx, w, r, q, s.previewIn)
	return reply(w, r, a, err)
}

// drafts reports whether there are files that people could draft changes of.
func (s *Server) drafts() bool { return s.workers != nil && s.Saver != nil }

// source answers with what the files say of an application, of a tenant, or of the platform.
func (s *Server) source(w http.ResponseWriter, r *http.Request) error {
	dir, err := dirOf(r)
	if err == nil && !s.drafts() {
		err = errNoDrafts
	}
	if err != nil {
		return err
	}
	return s.look(w, r, Question{About: aboutSource, Dir: dir})
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
func (s *Server) offers(w http.ResponseWriter, r *http.Request) error {
	if !s.drafts() {
		return errNoDrafts
	}
	return s.look(w, r, Question{About: aboutOffers, Tenant: r.URL.Query().Get("tenant")})
}

// schemas are those of the layers of every fleet. They are made once for all servers, as that takes a while.
var schemas = map[string]func() ([]byte, error){"platform": once("platform"), "tenant": once("tenant"), "application": once("application")}

func once(layer string) func() ([]byte, error) {
	return sync.OnceValues(func() ([]byte, error) { return jsonschema.Of(layer) })
}

// schema answers with the schema of a layer. For a tenant it has what that tenant can use beside the types and traits of every fleet.
func (s *Server) schema(layer string) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if tenant := r.URL.Query().Get("tenant"); tenant != "" && s.drafts() {
			return s.look(w, r, Question{About: aboutSchema, Layer: layer, Tenant: tenant})
		}
		body, err := schemas[layer]()
		if err == nil {
			send(w, r, append(body[:len(body):len(body)], '\n'))
		}
		return err
	}
}

// preview answers with what a draft would do.
func (s *Server) preview(w http.ResponseWriter, r *http.Request) error {
	asked, err := s.readDraft(w, r)
	if err == nil && asked.Name+asked.Message+asked.Into != "" {
		err = refuse(http.StatusBadRequest, "a preview has no name and no message: it is not saved")
	}
	if err != nil {
		return err
	}
	ctx, end := of(r).previews.begin(r.Context(), s.previewIn, errSlow)
	defer end()
	a, err := s.drafting(ctx, w, r, Question{About: aboutPreview, Body: encoded(asked)}, s.previewIn)
	return reply(w, r, a, err)
}

// save commits a draft onto a new branch, or writes it into the work tree. It judges it anew: nothing that the page says of it
// counts.
func (s *Server) save(w http.ResponseWriter, r *http.Request) error {
	asked, err := s.readDraft(w, r)
	if err == nil && asked.Into != "" && (asked.Into != "files" || asked.Name+asked.Message != "" || s.Gate != nil) {
		err = refuse(http.StatusBadRequest, "into=%.20q: write \"files\" for the work tree of your own clone, without a name and a message", asked.Into)
	}
	if err != nil {
		return err
	}
	if asked.Into != "" {
		return s.writeFiles(w, r, asked)
	}
	onto, err := clone.ParseDraftBranch(asked.Name)
	if err == nil && (len(asked.Message) > maxMessage || !utf8.ValidString(asked.Message)) {
		err = errors.New("the message has more than 4096 bytes, or other bytes than text")
	}
	if err != nil {
		return blame(http.StatusBadRequest, err)
	}
	if s.Gate != nil {
		onto = onto.Of(of(r).who.User)
	}
	return s.judged(w, r, asked, func(ctx context.Context, d *Drafted) (any, error) {
		saved, err := s.Saver.Save(ctx, d.Commit, d.Changes, asked.message(), onto)
		return s.savedOf(saved, d), blamed[*clone.RefusedError](http.StatusBadGateway, err)
	})
}

// writeFiles writes a draft into the work tree.
func (s *Server) writeFiles(w http.ResponseWriter, r *http.Request, asked draft) error {
	return s.judged(w, r, asked, func(ctx context.Context, d *Drafted) (any, error) {
		v := view.WrittenDraft{Written: []string{}}
		for _, c := range d.Changes {
			v.Written = append(v.Written, c.Name)
		}
		return v, blame(http.StatusConflict, s.Saver.Write(ctx, d.Changes...))
	})
}

// judged does what follows if a draft may be saved, and answers with what came of it, or else with why it may not.
func (s *Server) judged(w http.ResponseWriter, r *http.Request, asked draft, do func(ctx context.Context, d *Drafted) (any, error)) error {
	ctx, stop := context.WithTimeoutCause(context.WithoutCancel(r.Context()), maxSave, errLong)
	defer stop()
	a, err := s.drafting(ctx, w, r, Question{About: aboutSaving, Body: encoded(asked)}, maxSave)
	if err == nil && a.Draft != nil {
		var said any
		if said, err = do(ctx, a.Draft); err == nil {
			a.Status = http.StatusCreated
			a.Body, err = view.JSON(said)
		}
	}
	return reply(w, r, a, err)
}

// mayBeSaved reports whether drafts can be saved. In a clone that means in the name of whoever has it, so several people propose to
// its origin, each in their own name.
func (s *Server) mayBeSaved() bool { return s.Gate == nil || s.Saves == SavesProposed }

// readDraft reads the draft that a request has.
func (s *Server) readDraft(w http.ResponseWriter, r *http.Request) (asked draft, err error) {
	switch {
	case !s.drafts():
		return asked, errNoDrafts
	case s.ReadOnly:
		return asked, errReadOnly
	case r.Pattern == saving && !s.mayBeSaved():
		return asked, errShared
	}
	err = readJSON(w, r, maxDraft, &asked)
	if bad := (*refusal)(nil); errors.As(err, &bad) && bad.status == http.StatusBadRequest {
		err = refuse(bad.status, "%s; a draft that another version of the dashboard kept has another form: reload the page and make it anew", bad.sentence)
	}
	if err == nil {
		_, err = asked.read()
		err = blame(http.StatusBadRequest, err)
	}
	if err == nil && !asked.staysWithin(of(r).reads) {
		err = errHidden
	}
	return asked, err
}
