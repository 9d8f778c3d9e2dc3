package outbound

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
)

// save is what one save said of applications: a transition each.
func save(n int64, apps ...string) (*model.Ledger, []announce.Announcement) {
	ledger := &model.Ledger{Identity: model.LedgerIdentity{ID: "l", Sequence: n}}
	var list []announce.Announcement
	for _, name := range apps {
		app := model.AppID{Tenant: "acme", Name: name}
		list = append(list, announce.Announcement{Kind: announce.Transition, Key: announce.Key{Ledger: "l", App: app, Save: n, Place: 1},
			Subject: announce.Subject{App: app, Instance: 1}, Change: announce.Change{At: time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC), To: "Running", Reason: model.ReasonReady}})
	}
	return ledger, list
}

// told are the ids of what a receiver heard.
func told(t *testing.T, s *receiver) (ids []string) {
	for _, r := range s.seen() {
		var m struct {
			Type string
			Data struct{ Key, Application, To string }
		}
		require.NoError(t, json.Unmarshal(r.body, &m))
		require.Equal(t, m.Data.Key, r.Header.Get("webhook-id"))
		require.NotEmpty(t, m.Data.Application+m.Data.To)
		ids = append(ids, m.Data.Key)
	}
	return ids
}

// hook opens a webhook that is quick to try again.
func hook(t *testing.T, s *receiver, report func(error)) *Webhook {
	w, err := OpenWebhook(WebhookOptions{URL: s.URL, Key: []byte(key), Report: report})
	require.NoError(t, err)
	w.pause = func(int) time.Duration { return time.Millisecond }
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// reaches waits until all up to a save is delivered.
func reaches(t *testing.T, w *Webhook, save int64) {
	t.Helper()
	require.Eventually(t, func() bool { return w.Delivered() == save }, 2*time.Minute, time.Millisecond)
}

func eventually(t *testing.T, s *receiver, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return len(s.seen()) >= n }, 2*time.Minute, time.Millisecond)
}

// TestAnnouncementsAreDelivered in order, under their keys, as a message that
// docs/operations.md shows. What people are not told is not sent.
func TestAnnouncementsAreDelivered(t *testing.T) {
	s := receive(t, nil)
	w := hook(t, s, nil)
	w.Announce(save(7, "shop", "blog"))
	ledger, list := save(8, "shop")
	admission := list[0]
	admission.Kind, admission.Key.Place = announce.Admission, 2
	w.Announce(ledger, append(list, admission))
	w.Announce(save(9))
	reaches(t, w, 9)
	require.Equal(t, []string{"l/acme/shop/7-1", "l/acme/blog/7-1", "l/acme/shop/8-1"}, told(t, s))
	require.NotEmpty(t, s.seen()[0].Header.Get("webhook-signature"))
	page, err := os.ReadFile("../../docs/operations.md")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(page), "<!-- message -->\n```json\n")
	shown, _, _ := strings.Cut(rest, "```\n<!-- end -->")
	require.JSONEq(t, shown, string(s.seen()[0].body), "docs/operations.md shows it")

	w.Announce(save(7, "shop"))
	eventually(t, s, 4)
	require.Equal(t, "l/acme/shop/7-1", told(t, s)[3], "who repeats it uses the same id")
}

// TestReceiverDown: while nobody answers nothing is lost, nothing overtakes, the trouble is
// said once, and a repetition has the same id.
func TestReceiverDown(t *testing.T) {
	open := make(chan struct{})
	s := receive(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n < 5 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		if n == 5 {
			<-open
		}
		if n == 6 {
			w.WriteHeader(http.StatusBadRequest) // it will never take this one
		}
	})
	var mu sync.Mutex
	var trouble []string
	w := hook(t, s, func(err error) {
		mu.Lock()
		defer mu.Unlock()
		trouble = append(trouble, err.Error())
	})
	w.Announce(save(1, "a"))
	w.Announce(save(2, "b"))
	w.Announce(save(3, "c"))
	eventually(t, s, 5)
	require.Zero(t, w.Delivered())
	close(open)
	reaches(t, w, 3)
	require.Equal(t, []string{"l/acme/a/1-1", "l/acme/a/1-1", "l/acme/a/1-1", "l/acme/a/1-1", "l/acme/a/1-1", "l/acme/b/2-1", "l/acme/c/3-1"}, told(t, s))
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, []string{"deliver announcements: the receiver answers 503", "deliver announcements: the receiver refuses the message with 400"}, trouble)
}

// TestAFullQueueStaysBehind: what has no place in the queue does not count as delivered, so
// that the next process repeats it.
func TestAFullQueueStaysBehind(t *testing.T) {
	w := &Webhook{sender: &sender{more: make(chan struct{}, 1)}}
	w.queue = make([]announce.Announcement, maxQueue-1)
	for i := range w.queue {
		w.queue[i].Key.Save = 5
	}
	w.Announce(save(6, "a", "b"))
	w.Announce(save(7, "a"))
	require.EqualValues(t, 4, w.Delivered())
	w.queue = nil
	require.EqualValues(t, 5, w.Delivered())
}

func TestWebhookAddress(t *testing.T) {
	for _, bad := range []string{"", "hooks.example.com", "file:///etc/passwd", "https://"} {
		_, err := OpenWebhook(WebhookOptions{URL: bad})
		require.Error(t, err, bad)
		_, err = OpenCommitStatus(CommitStatusOptions{URL: bad})
		require.Error(t, err, bad)
	}
}

const head = "1111111111111111111111111111111111111111"

// What became of a commit, case by case.
func TestStateOf(t *testing.T) {
	app := func(name string, phase model.Phase, reason model.Reason, commit string) model.Instance {
		return model.Instance{App: model.AppID{Tenant: "acme", Name: name}, Phase: phase, History: []model.Transition{{To: phase, Reason: reason, Commit: commit}}}
	}
	running := app("blog", model.PhaseRunning, model.ReasonReady, "older")
	refused := app("old", model.PhaseRejected, model.ReasonQuotaExceeded, "older")
	release := app("shop", model.PhaseRunning, model.ReasonWorkflowBegun, head)
	release.Run = &model.Run{Phase: model.RunPaused}
	for _, c := range []struct {
		state, description string
		problems           []model.Problem
		apps               []model.Instance
	}{
		{"success", "0 of 0 applications running", nil, nil},
		{"success", "1 of 2 applications running", nil, []model.Instance{running, refused}},
		{"pending", "on the way: acme/shop", nil, []model.Instance{running, app("shop", model.PhaseScheduled, model.ReasonUpdateAdmitted, head)}},
		{"pending", "on the way: acme/shop", nil, []model.Instance{release}},
		{"pending", "on the way: acme/a, acme/b, acme/c, 1 more", nil, []model.Instance{
			app("a", model.PhaseCreated, "", head), app("b", model.PhaseAdmitted, "", head), app("c", model.PhaseAdmitted, "", head), app("d", model.PhaseScheduled, "", head)}},
		{"failure", "refused or taken back: acme/shop", nil, []model.Instance{app("a", model.PhaseScheduled, "", head), app("shop", model.PhaseRunning, model.ReasonUpdateRefused, head)}},
		{"failure", "refused or taken back: acme/shop", nil, []model.Instance{app("shop", model.PhaseDegraded, model.ReasonWorkflowFailed, head)}},
		{"failure", "2 problems: DA1203 at tenants/acme/apps/shop/app.cue:9:13",
			[]model.Problem{{Code: "DA1203", Places: []model.Place{{At: "tenants/acme/apps/shop/app.cue:9:13"}}}, {}}, []model.Instance{running}},
		{"failure", "1 problem: DA1 " + strings.Repeat("é", 61) + "…", []model.Problem{{Code: "DA1", Path: strings.Repeat("é", 200)}}, nil},
	} {
		got := StateOf(&model.Ledger{Commit: head, Instances: c.apps, Problems: c.problems})
		require.Equal(t, CommitState{head, c.state, c.description}, got)
		require.LessOrEqual(t, len(got.Description), 140)
	}
}

// The Git host hears what is new, and only that.
func TestCommitStatus(t *testing.T) {
	s := receive(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		switch n {
		case 1:
			w.WriteHeader(http.StatusBadGateway)
		case 3:
			w.WriteHeader(http.StatusUnprocessableEntity)
		default:
			w.WriteHeader(http.StatusCreated)
		}
	})
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte("t0k3n\n"), 0o600))
	trouble := make(chan error, 10)
	c, err := OpenCommitStatus(CommitStatusOptions{URL: s.URL + "/api/repos/acme/fleet/", TokenFile: token, Report: func(err error) { trouble <- err }})
	require.NoError(t, err)
	c.pause = func(int) time.Duration { return time.Millisecond }
	ledger := &model.Ledger{Commit: head}
	c.Announce(ledger, nil)
	c.Announce(ledger, nil)
	eventually(t, s, 2)
	require.ErrorContains(t, <-trouble, "the Git host answers 502")
	first := s.seen()[1]
	require.Equal(t, "POST /api/repos/acme/fleet/statuses/"+head, first.Method+" "+first.URL.Path)
	require.Equal(t, "Bearer t0k3n", first.Header.Get("Authorization"))
	require.JSONEq(t, `{"state": "success", "description": "0 of 0 applications running", "context": "d-aros"}`, string(first.body))

	ledger.Problems = []model.Problem{{Code: "DA1203", Path: "application"}}
	c.Announce(ledger, nil)
	refused := <-trouble
	require.ErrorContains(t, refused, "refuses it with 422")
	require.NotContains(t, errors.Join(refused).Error(), "t0k3n")
	c.Announce(ledger, nil) // the same is not said again
	for _, evil := range []string{"", "../../../user", head + "/x", "HEAD"} {
		c.Announce(&model.Ledger{Commit: evil}, nil)
	}
	ledger.Problems = nil
	c.Announce(ledger, nil)
	eventually(t, s, 4)
	require.NoError(t, c.Close())
	require.Len(t, s.seen(), 4)
}
