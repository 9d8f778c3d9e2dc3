package outbound

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// CommitStatusOptions say which Git host is told what became of commits.
type CommitStatusOptions struct {
	URL       string      // of the repository in the host's API: https://api.github.com/repos/acme/fleet
	TokenFile string      // read each time
	Context   string      // which of the states of a commit this is; default d-aros
	Report    func(error) // hears of trouble, once for each kind of it; nil is fine
}

// A CommitStatus tells a Git host what became of the commit that the fleet follows,
// in the way of GitHub, which Gitea and Forgejo understand, too: pending, success or
// failure, and a sentence. It tells what is new, the latest only, and tries until
// the host has taken or refused it. It is safe for concurrent use.
type CommitStatus struct {
	url       *url.URL
	tokenFile string
	context   string
	client    *http.Client
	pause     func(n int) time.Duration
	report    reporter

	mu   sync.Mutex
	want CommitState
	more chan struct{}

	stop context.CancelFunc
	done chan struct{}
}

// OpenCommitStatus begins to tell.
func OpenCommitStatus(o CommitStatusOptions) (*CommitStatus, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("open commit states: the address is not one of http or https")
	}
	s := &CommitStatus{
		url: u, tokenFile: o.TokenFile, context: cmp.Or(o.Context, "d-aros"), client: newTrustedClient(), pause: pause,
		report: reporter{tell: o.Report}, more: make(chan struct{}, 1), done: make(chan struct{}),
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	go s.run(ctx)
	return s, nil
}

// Close ends the telling.
func (s *CommitStatus) Close() error {
	s.stop()
	<-s.done
	return nil
}

// Tell is given what the status branch says. It never blocks.
func (s *CommitStatus) Tell(ledger *model.Ledger) {
	state := StateOf(ledger)
	s.mu.Lock()
	defer s.mu.Unlock()
	if isCommit(state.Commit) && state != s.want {
		s.want = state
		wake(s.more)
	}
}

// isCommit reports whether text names a commit, and leads nowhere else as part of an
// address.
func isCommit(text string) bool {
	return len(text) >= 40 && strings.Trim(text, "0123456789abcdef") == ""
}

func (s *CommitStatus) wanted() CommitState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.want
}

// run tells the latest state each time that there is another one.
func (s *CommitStatus) run(ctx context.Context) {
	defer close(s.done)
	var said CommitState
	for attempt := 0; ; {
		state := s.wanted()
		if state == said {
			select {
			case <-ctx.Done():
				return
			case <-s.more:
			}
			attempt = 0
			continue
		}
		err := s.say(ctx, state)
		if ctx.Err() != nil {
			return
		}
		s.report.of(err)
		if err == nil || final(err) {
			said, attempt = state, 0
			continue
		}
		attempt++
		if !sleep(ctx, s.pause(attempt)) {
			return
		}
	}
}

// say tells one state once.
func (s *CommitStatus) say(ctx context.Context, state CommitState) error {
	body, err := json.Marshal(map[string]string{"state": state.State, "description": state.Description, "context": s.context})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url.JoinPath("statuses", state.Commit).String(), bytes.NewReader(body))
	if err != nil {
		return &failure{ClassRefused, "tell what became of a commit: the address cannot be asked"}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if s.tokenFile != "" {
		token, err := os.ReadFile(s.tokenFile)
		if err != nil {
			return fmt.Errorf("tell what became of a commit: %w", err)
		}
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	status, _, err := send(s.client, r)
	switch {
	case err != nil:
		return fmt.Errorf("tell what became of commit %s: %w", state.Commit, err)
	case status >= 200 && status < 300:
		return nil
	case again(status):
		return fmt.Errorf("tell what became of commit %s: the Git host answers %d", state.Commit, status)
	}
	return &failure{ClassAnswer, fmt.Sprintf("tell what became of commit %s: the Git host refuses it with %d; look at --commit-status-url and the rights of the token", state.Commit, status)}
}
