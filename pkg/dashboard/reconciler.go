package dashboard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/text"
)

// LastPass is the header of a reconciler's /readyz that says when its last pass ended.
const LastPass = "Daros-Last-Pass"

// Limits of what a reconciler answers.
const (
	maxStanding = 5 * time.Second
	maxSays     = 4 << 10 // bytes
)

// Reconciler is the program that writes the branch, at an address. Asking it tells that it works even while the branch is silent.
type Reconciler struct {
	address string
	client  *http.Client

	mu   sync.Mutex
	last Standing
}

// Standing is what a reconciler said of itself.
type Standing struct {
	Ended time.Time `json:"ended,omitzero"` // its last pass
	Ready bool      `json:"ready"`
	Says  string    `json:"says"`  // its own words
	Error string    `json:"error"` // why it cannot be asked now; the rest is what it said last
}

// NewReconciler returns the reconciler at an address, such as http://reconciler:8080.
func NewReconciler(address string) (*Reconciler, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery+u.Fragment != "" {
		return nil, fmt.Errorf("%q is no address of a reconciler; write http://HOST:PORT, which is --listen of \"reconciler run\"", address)
	}
	return &Reconciler{address: strings.TrimSuffix(u.String(), "/") + "/readyz", client: &http.Client{
		Timeout: maxStanding, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// look asks once.
func (c *Reconciler) look(ctx context.Context) {
	is, err := c.ask(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.last = is
		return
	}
	c.last.Error = text.Line(err.Error(), maxWhy)
}

func (c *Reconciler) ask(ctx context.Context) (is Standing, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address, nil)
	if err != nil {
		return is, err
	}
	w, err := c.client.Do(r)
	if err != nil {
		if cause := (*url.Error)(nil); errors.As(err, &cause) {
			err = cause.Err
		}
		return is, fmt.Errorf("%s does not answer: %w", c.address, err)
	}
	defer w.Body.Close()
	if w.StatusCode != http.StatusOK && w.StatusCode != http.StatusServiceUnavailable {
		return is, fmt.Errorf("%s answers %s, as no reconciler does", c.address, w.Status)
	}
	body, err := io.ReadAll(io.LimitReader(w.Body, maxSays))
	if err != nil {
		return is, fmt.Errorf("%s does not answer: %w", c.address, err)
	}
	is.Ready, is.Says = w.StatusCode == http.StatusOK, text.Line(string(body), maxSays)
	is.Ended, _ = time.Parse(time.RFC3339, w.Header.Get(LastPass)) // one that has ended no pass does not say
	return is, nil
}

// standing returns what it said last. Nil is none.
func (c *Reconciler) standing() *Standing {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	is := c.last
	return &is
}
