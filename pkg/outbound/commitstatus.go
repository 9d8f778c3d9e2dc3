package outbound

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
)

// CommitStatusOptions name the Git host that shows the state of commits.
type CommitStatusOptions struct {
	URL       string      // of the repository in the host's API: https://api.github.com/repos/acme/fleet
	TokenFile string      // read each time
	Context   string      // the name of the state among those of the commit; default d-aros
	Report    func(error) // gets each new kind of error once; nil is fine
}

// A CommitStatus shows the state of the fleet's commit on a Git host: pending, success
// or failure, and a sentence. It uses the API of GitHub, which Gitea and Forgejo have,
// too. It sends only the latest state, and retries until the host has accepted or
// refused it. It is safe for concurrent use.
type CommitStatus struct {
	*sender
	tokenFile string
	context   string

	mu   sync.Mutex
	want CommitState
}

// OpenCommitStatus starts to send states.
func OpenCommitStatus(o CommitStatusOptions) (*CommitStatus, error) {
	sender, err := newSender(o.URL, o.Report)
	if err != nil {
		return nil, fmt.Errorf("open commit states: %w", err)
	}
	s := &CommitStatus{sender: sender, tokenFile: o.TokenFile, context: cmp.Or(o.Context, "d-aros")}
	s.start(s.run)
	return s, nil
}

// Announce takes the ledger of a save. It never blocks.
func (s *CommitStatus) Announce(ledger *model.Ledger, _ []announce.Announcement) {
	state := StateOf(ledger)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(state.Commit) >= 40 && strings.Trim(state.Commit, "0123456789abcdef") == "" && state != s.want { // else it is not safe in an address
		s.want = state
		s.wake()
	}
}

func (s *CommitStatus) wanted() CommitState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.want
}

// run sends the latest state each time it has changed.
func (s *CommitStatus) run(ctx context.Context) {
	var sent CommitState
	for {
		if s.wanted() == sent {
			if !s.wait(ctx) {
				return
			}
			continue
		}
		if !s.deliver(ctx, func() error {
			sent = s.wanted()
			return s.send(ctx, sent)
		}) {
			return
		}
	}
}

// send sends one state once.
func (s *CommitStatus) send(ctx context.Context, state CommitState) error {
	body, err := json.Marshal(map[string]string{"state": state.State, "description": state.Description, "context": s.context})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url.JoinPath("statuses", state.Commit).String(), bytes.NewReader(body))
	if err != nil {
		return &failure{ClassRefused, "set the state of a commit: the address is invalid"}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if s.tokenFile != "" {
		token, err := os.ReadFile(s.tokenFile)
		if err != nil {
			return fmt.Errorf("set the state of a commit: %w", err)
		}
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	status, _, err := send(s.client, r)
	switch {
	case err != nil:
		return fmt.Errorf("set the state of commit %s: %w", state.Commit, err)
	case status >= 200 && status < 300:
		return nil
	case again(status):
		return fmt.Errorf("set the state of commit %s: the Git host answers %d", state.Commit, status)
	}
	return &failure{ClassAnswer, fmt.Sprintf("set the state of commit %s: the Git host refuses it with %d; look at --commit-status-url and the rights of the token", state.Commit, status)}
}
