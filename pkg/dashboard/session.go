package dashboard

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	maxSessions  = 256             // the oldest ends when one more begins
	betweenSigns = 5 * time.Second // from one sign-in to the next
	maxTokenBody = 1 << 10
)

// sessions are the browsers that have shown the token.
type sessions struct {
	token [sha256.Size]byte
	now   func() time.Time

	mu    sync.Mutex
	last  time.Time // that somebody signed in
	open  map[string]*session
	order []string // of open, the oldest first
}

// session is one browser.
type session struct {
	questions newest
	previews  newest
	streams   chan struct{} // one element for each that is open; nil: all browsers share them
	turn      chan struct{} // one element while something is evaluated; nil: the same

	mu      sync.Mutex
	planned *planning // nil: it asked for no plan
}

// newest is the newest of the requests of one kind of a browser: it takes the place of the one before.
type newest struct {
	mu  sync.Mutex
	end context.CancelCauseFunc // nil: there was none
}

// begin begins a request, and ends the one before. It has some time, and ends with the cause slow after it. The caller calls end.
func (n *newest) begin(ctx context.Context, within time.Duration, slow error) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ctx, stop := context.WithTimeoutCause(ctx, within, slow)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.end != nil {
		n.end(errReplaced)
	}
	n.end = cancel
	return ctx, func() { stop(); cancel(nil) }
}

// signIn exchanges the token for a cookie.
func (s *sessions) signIn(w http.ResponseWriter, r *http.Request) error {
	var shown struct {
		Token string `json:"token"`
	}
	if err := readJSON(w, r, maxTokenBody, &shown); err != nil {
		return err
	}
	digest := sha256.Sum256([]byte(shown.Token))
	if subtle.ConstantTimeCompare(digest[:], s.token[:]) != 1 {
		return refuse(http.StatusForbidden, "this is not the token of the dashboard; the command that serves it prints it")
	}
	key, ok := s.begin()
	if !ok {
		return tooMuch(betweenSigns, "somebody signed in less than %s ago; try again", betweenSigns)
	}
	http.SetCookie(w, &http.Cookie{Name: cookieOf(r), Value: key, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// begin opens a session, unless the last one began a moment ago.
func (s *sessions) begin() (key string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if !s.last.IsZero() && now.Sub(s.last) < betweenSigns {
		return "", false
	}
	s.last = now
	if len(s.order) == maxSessions {
		delete(s.open, s.order[0])
		s.order = s.order[1:]
	}
	key = rand.Text()
	s.open[key], s.order = &session{}, append(s.order, key)
	return key, true
}

// of returns the session of a request, nil if it has none.
func (s *sessions) of(r *http.Request) *session {
	c, err := r.Cookie(cookieOf(r))
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[c.Value]
}

// cookieOf names the cookie. It has the port: browsers give cookies to all ports of a host, and another dashboard may have one.
func cookieOf(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "80"
	}
	return "daros_session_" + port
}

// readJSON reads a body of at most so many bytes.
func readJSON(w http.ResponseWriter, r *http.Request, most int64, into any) error {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, most))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return refuse(http.StatusRequestEntityTooLarge, "the body has more than %d bytes", most)
	}
	if err == nil && d.More() {
		err = errors.New("something follows the value")
	}
	if err != nil {
		return refuse(http.StatusBadRequest, "the body cannot be read: %v", err)
	}
	return nil
}
