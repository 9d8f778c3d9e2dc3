package dashboard

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Options are what a dashboard shows, and to whom.
type Options struct {
	Branch     Branch
	Workers    []Worker    // as many questions are answered at a time; none: there is no clone that could be asked
	Proposals  Proposals   // nil: the same
	Saver      Saver       // nil: its files are in no Git repository, so nobody drafts
	ReadOnly   bool        // nobody drafts
	Saves      Saving      // where drafts become branches
	Cluster    Cluster     // nil: nobody sees live objects
	Reconciler *Reconciler // nil: it is not asked
	Pages      fs.FS       // the front end
	Token      string      // that a browser signs in with
	Gate       Gate        // tells who asks; nil: the token lets in, to all
	SignIn     *OIDC       // the gate, where people sign in here; nil: they sign in elsewhere
	Hosts      []string    // names of the dashboard beside its address
	TLS        *tls.Config // nil: it is served without

	Version string      // of the program
	Repo    string      // for people, without credentials
	Name    string      // of the status branch
	Links   model.Links // where the platform names none

	Head     func(ctx context.Context) string // the last commit of the clone, "" if it cannot be read; nil: nobody drafts
	Proposal func(branch string) string       // URL where the merge of a branch is proposed, "" where that is not known; nil: nowhere

	Interval time.Duration   // from one look at the branch to the next
	Hints    <-chan struct{} // to look sooner; nil: there are none
	Now      func() time.Time
}

// Server is a dashboard.
type Server struct {
	Options
	pages     assets
	sessions  *sessions
	people    *people
	follower  *follower
	pace      pace
	streams   chan struct{} // one element for each that is open
	workers   *benches      // nil: there is no clone
	answerIn  time.Duration
	planIn    time.Duration
	previewIn time.Duration
	headerIn  time.Duration // that a client has to send the headers of a request
	bodyIn    time.Duration // and all of it
	budgets   *budgets
	viewings  *viewings     // nil: there is no cluster
	readers   *tally        // of logs
	reading   chan struct{} // one element for each moment of the past that is read

	running context.Context // ends with the server
	work    sync.WaitGroup
}

// Limits of connections.
const (
	maxConnections = 64   // of one person
	maxShared      = 1024 // of several people
	maxAddress     = 256  // of one address, where several people sign in here; all of a proxy come from one
	maxHeader      = 32 << 10
	maxHeaders     = 8 * time.Second
	maxBody        = 30 * time.Second
	maxReading     = 2 // moments of the past at a time: each may be as large as the branch
)

// New prepares a dashboard. It does not look at the branch yet.
func New(o Options) (*Server, error) {
	pages, err := readAssets(o.Pages)
	if err != nil {
		return nil, err
	}
	if o.SignIn != nil {
		o.Gate = o.SignIn
	}
	s := &Server{
		Options: o, pages: pages, sessions: &sessions{token: sha256.Sum256([]byte(o.Token)), now: o.Now, open: map[string]*session{}},
		people: &people{sessions: map[string]*session{}, tenants: map[string]bool{}}, follower: &follower{branch: o.Branch, head: o.Head, now: o.Now, changed: make(chan struct{})},
		pace: usualPace, streams: make(chan struct{}, usualPace.most), answerIn: maxAnswer, planIn: maxPlanning,
		reading: make(chan struct{}, maxReading), previewIn: maxPreview, headerIn: maxHeaders, bodyIn: maxBody, readers: newTally(mostLogs),
		budgets: newBudgets(o.Now),
	}
	if o.Cluster != nil {
		s.viewings = newViewings(o.Cluster)
	}
	if len(o.Workers) > 0 {
		s.workers = newBenches(o.Workers)
	}
	return s, nil
}

// Serve looks at the branch and answers requests until ctx ends. When it returns, nothing that it began goes on.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	if s.viewings != nil {
		defer s.viewings.close()
	}
	defer s.work.Wait()
	defer stop()
	s.running = ctx
	s.follower.look(ctx)
	debug.FreeOSMemory() // to read all of a branch takes several times as much as to hold it
	s.work.Go(func() { lookAgain(ctx, s.Interval, s.Hints, s.follower.look) })
	if s.Reconciler != nil {
		s.work.Go(func() {
			s.Reconciler.look(ctx)
			lookAgain(ctx, s.Interval, nil, s.Reconciler.look)
		})
	}
	server := &http.Server{
		Handler:           s.handler(append(hostsOf(l.Addr().String()), s.Hosts...)),
		ReadHeaderTimeout: s.headerIn, ReadTimeout: s.bodyIn, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: maxHeader, BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog: log.New(io.Discard, "", 0), // what clients do wrong is no news
	}
	s.work.Go(func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		if server.Shutdown(grace) != nil {
			_ = server.Close()
		}
	})
	serve, most, share := server.Serve, maxConnections, 0
	if s.TLS != nil {
		server.TLSConfig = s.TLS
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	if s.Gate != nil {
		most = maxShared
	}
	if s.SignIn != nil {
		share = maxAddress
	}
	if err := serve(limited(l, most, share)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// handler returns all routes.
func (s *Server) handler(hosts []string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.pages)
	if s.Gate == nil {
		mux.Handle("POST /api/v1/session", handler(s.sessions.signIn))
	}
	if s.SignIn != nil {
		s.SignIn.handle(mux)
	}
	mux.Handle("/api/", s.admitted(s.api()))
	return guard(hosts, mux)
}
