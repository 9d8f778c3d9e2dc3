package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/view"
)

// api returns the routes of what programs read.
func (s *Server) api() *routes {
	mux := &routes{ServeMux: http.NewServeMux(), server: s}
	get := func(how filter, path string, say answerer) { mux.HandleFunc(how, "GET /api/v1/"+path, s.answer(say)) }
	get(cut, "fleet", func(_ context.Context, m Moment, _ *http.Request) (any, error) {
		v := view.FleetOf(m.Ledger)
		v.Unverified = m.Unverified
		return v, nil
	})
	get(cut, "applications", applications)
	get(named, "applications/{tenant}/{app}", ofApp(application))
	get(named, "applications/{tenant}/{app}/decision", ofApp(func(m Moment, app model.AppID) (any, error) {
		x, err := view.Explain(m.Ledger, app)
		x.Unverified = m.Unverified
		return x, blame(http.StatusNotFound, err)
	}))
	get(named, "applications/{tenant}/{app}/run", ofApp(func(m Moment, app model.AppID) (any, error) {
		v, err := view.RunOf(m.Ledger, app)
		return v, blame(http.StatusNotFound, err)
	}))
	get(named, "applications/{tenant}/{app}/history", s.history)
	get(cut, "tenants", paged(view.TenantsPageOf))
	get(named, "tenants/{tenant}", tenant)
	get(cut, "pools", func(_ context.Context, m Moment, r *http.Request) (any, error) {
		return view.PoolsOf(m.whole).Only(of(r).reads), nil
	})
	get(cut, "problems", paged(view.ProblemsPageOf))
	get(cut, "timeline", s.timeline)
	get(cut, "changes", s.changes)
	mux.HandleFunc(plain, "GET /api/v1/meta", s.meta)
	mux.HandleFunc(plain, "GET /api/v1/stream", s.stream)
	mux.HandleFunc(named, "GET /api/v1/applications/{tenant}/{app}/live", s.following(s.live))
	mux.HandleFunc(named, "GET /api/v1/applications/{tenant}/{app}/live/stream", s.following(s.liveStream))
	mux.HandleFunc(named, "GET /api/v1/applications/{tenant}/{app}/live/logs", s.following(s.logs))
	mux.HandleFunc(cut, "GET /api/v1/heads", s.heads)
	mux.HandleFunc(cut, "GET /api/v1/plan", s.plan)
	mux.HandleFunc(cut, "POST /api/v1/what-if", s.whatIf)
	mux.HandleFunc(named, "GET /api/v1/source/applications/{tenant}/{app}", s.source)
	mux.HandleFunc(named, "GET /api/v1/source/tenants/{tenant}", s.source)
	mux.HandleFunc(whole, "GET /api/v1/source/platform", s.source) // it has the allotments of all tenants
	for _, layer := range layers {
		mux.HandleFunc(plain, "GET /api/v1/schema/"+layer, s.schema(layer))
	}
	mux.HandleFunc(plain, "GET /api/v1/schema", func(w http.ResponseWriter, r *http.Request) error {
		return sendJSON(w, r, view.Schemas{Schemas: layers})
	})
	mux.HandleFunc(cut, "GET /api/v1/offers", s.offers)
	mux.HandleFunc(cut, "POST /api/v1/preview", s.preview)
	mux.HandleFunc(cut, saving, s.save)
	mux.HandleFunc(plain, "/", func(w http.ResponseWriter, r *http.Request) error {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			other := r.Clone(r.Context())
			other.Method = method
			if _, pattern := mux.Handler(other); pattern != "/" && method != r.Method {
				w.Header().Set("Allow", method)
				return refuse(http.StatusMethodNotAllowed, "this can only be asked with %s", method)
			}
		}
		return refuse(http.StatusNotFound, "the dashboard has no such answer")
	})
	return mux
}

// layers are those of the fleet repo, for each of which there is a schema.
var layers = []string{"platform", "tenant", "application"}

func applications(_ context.Context, m Moment, r *http.Request) (any, error) {
	asked := r.URL.Query()
	limit, err := rows(asked, view.DefaultRows)
	if err != nil {
		return nil, err
	}
	if len(asked.Get("q")) > maxText || len(asked["phase"]) > maxPhases {
		return nil, refuse(http.StatusBadRequest, "the filter is too long")
	}
	v, err := view.ApplicationsPageOf(m.Ledger, view.ApplicationsQuery{
		Tenant: asked.Get("tenant"), Phases: asked["phase"], Text: asked.Get("q"), Sort: asked.Get("sort"), After: asked.Get("after"), Limit: limit,
	})
	return v, blame(http.StatusBadRequest, err)
}

// Limits of filters.
const (
	maxText   = 200
	maxPhases = 20
)

// ofApp answers about the application that the path of a request names.
func ofApp(say func(m Moment, app model.AppID) (any, error)) answerer {
	return func(_ context.Context, m Moment, r *http.Request) (any, error) {
		app, err := appOf(r)
		if err != nil {
			return nil, err
		}
		return say(m, app)
	}
}

// paged answers with a page of a list.
func paged[T any](page func(l *model.Ledger, after string, limit int) (T, error)) answerer {
	return func(_ context.Context, m Moment, r *http.Request) (any, error) {
		limit, err := rows(r.URL.Query(), view.DefaultRows)
		if err != nil {
			return nil, err
		}
		v, err := page(m.Ledger, r.URL.Query().Get("after"), limit)
		return v, blame(http.StatusBadRequest, err)
	}
}

func application(m Moment, app model.AppID) (any, error) {
	v := view.StatusOf(m.Ledger, view.Of(app))
	if len(v.Applications) == 0 && len(v.Problems) == 0 {
		return nil, blame(http.StatusNotFound, view.Of(app).Missing(m.Ledger))
	}
	v.Unverified = m.Unverified
	return v, nil
}

func (s *Server) history(ctx context.Context, m Moment, r *http.Request) (any, error) {
	app, err := appOf(r)
	if err != nil {
		return nil, err
	}
	limit, err := rows(r.URL.Query(), 20)
	if err != nil {
		return nil, err
	}
	if _, ok := m.Ledger.Find(app); !ok {
		return nil, blame(http.StatusNotFound, view.Of(app).Missing(m.Ledger))
	}
	return s.Branch.History(ctx, m, app, limit)
}

func tenant(_ context.Context, m Moment, r *http.Request) (any, error) {
	name := r.PathValue("tenant")
	if !model.ValidName(name) {
		return nil, refuse(http.StatusNotFound, "%.80q cannot name a tenant", name)
	}
	v, err := view.TenantOf(m.Ledger, name)
	return v, blame(http.StatusNotFound, err)
}

// appOf returns the application that the path of a request names. What the path hides behind percent signs is no name.
func appOf(r *http.Request) (model.AppID, error) {
	app := model.AppID{Tenant: r.PathValue("tenant"), Name: r.PathValue("app")}
	if !model.ValidName(app.Tenant) || !model.ValidName(app.Name) {
		return app, refuse(http.StatusNotFound, "%.160q does not name an application", app.String())
	}
	return app, nil
}

// rows returns the number of rows that a request asks for.
func rows(asked url.Values, usual int) (int, error) {
	s := asked.Get("limit")
	if s == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > view.MaxRows {
		return 0, refuse(http.StatusBadRequest, "limit=%.20s: write a number from 1 to %d", s, view.MaxRows)
	}
	return n, nil
}

// blame returns an error with the status of an answer.
func blame(status int, err error) error {
	if err == nil {
		return nil
	}
	return &refusal{status: status, sentence: err.Error()}
}

// blamed returns an error with the status of an answer if it is of a kind.
func blamed[E error](status int, err error) error {
	if bad, ok := errors.AsType[E](err); ok {
		return blame(status, bad)
	}
	return err
}
