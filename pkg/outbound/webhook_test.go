package outbound

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

var began = time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC)

// history is that of an application which changed its phase n times, a minute apart.
func history(n int) (h []model.Transition) {
	for i := range n {
		h = append(h, model.Transition{At: began.Add(time.Duration(i) * time.Minute), Instance: 1, To: model.PhaseRunning, Reason: model.ReasonReady, Message: fmt.Sprint(i)})
	}
	return h
}

func ledgerOf(histories map[string][]model.Transition) *model.Ledger {
	l := &model.Ledger{}
	for name, h := range histories {
		l.Instances = append(l.Instances, model.Instance{App: model.AppID{Tenant: "acme", Name: name}, History: h})
	}
	return l
}

// told is what a receiver heard, a line each, and their ids.
func told(t *testing.T, s *receiver) (lines []string, ids []string) {
	for _, r := range s.seen() {
		var m struct {
			Type string
			Data transitionData
		}
		require.NoError(t, json.Unmarshal(r.body, &m))
		require.Equal(t, "application.transition", m.Type)
		lines = append(lines, m.Data.App.Name+" "+m.Data.Message)
		ids = append(ids, r.Header.Get("webhook-id"))
	}
	return lines, ids
}

// hook opens a webhook whose clock stands a little after the histories begin.
func hook(t *testing.T, s *receiver, cursor string) *Webhook {
	w, err := OpenWebhook(WebhookOptions{URL: s.URL, Key: []byte(key), Cursor: cursor, Now: func() time.Time { return began.Add(30 * time.Minute) }})
	require.NoError(t, err)
	w.pause = func(int) time.Duration { return time.Millisecond }
	return w
}

// shut closes a webhook once everything is delivered: what it is interrupted in is
// told again.
func shut(t *testing.T, w *Webhook) {
	t.Helper()
	require.Eventually(t, func() bool { _, more := w.first(); return !more }, 2*time.Minute, time.Millisecond)
	require.NoError(t, w.Close())
}

func eventually(t *testing.T, s *receiver, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return len(s.seen()) >= n }, 2*time.Minute, time.Millisecond)
}

// Every transition is told once, in order; after a restart the telling goes on where
// it was.
func TestTransitionsAreTold(t *testing.T) {
	s := receive(t, nil)
	cursor := filepath.Join(t.TempDir(), "state", "told.json")
	w := hook(t, s, cursor)
	w.Announce(ledgerOf(map[string][]model.Transition{"shop": history(2)}))
	w.Announce(ledgerOf(map[string][]model.Transition{"shop": history(2)}))
	w.Announce(ledgerOf(map[string][]model.Transition{"shop": history(4)[1:]})) // histories are cut at the beginning
	eventually(t, s, 4)
	shut(t, w)
	lines, ids := told(t, s)
	require.Equal(t, []string{"shop 0", "shop 1", "shop 2", "shop 3"}, lines)
	require.NotEmpty(t, s.seen()[0].Header.Get("webhook-signature"))

	w = hook(t, s, cursor)
	w.Announce(ledgerOf(map[string][]model.Transition{"shop": history(5), "blog": history(1)}))
	eventually(t, s, 6)
	shut(t, w)
	lines, _ = told(t, s)
	require.ElementsMatch(t, []string{"shop 4", "blog 0"}, lines[4:])

	t.Log("who forgot what was told tells it again, under the same ids")
	require.NoError(t, os.Remove(cursor))
	w = hook(t, s, cursor)
	w.Announce(ledgerOf(map[string][]model.Transition{"shop": history(5)}))
	eventually(t, s, 11)
	shut(t, w)
	_, again := told(t, s)
	require.Equal(t, ids, again[6:10])
}

// Who begins does not tell old stories, also not the next time.
func TestOldTransitionsAreNoNews(t *testing.T) {
	s := receive(t, nil)
	cursor := filepath.Join(t.TempDir(), "told.json")
	old := history(2)
	for i := range old {
		old[i].At = old[i].At.Add(-2 * time.Hour)
	}
	w := hook(t, s, cursor)
	w.Announce(ledgerOf(map[string][]model.Transition{"shop": old}))
	shut(t, w)
	w = hook(t, s, cursor)
	w.Announce(ledgerOf(map[string][]model.Transition{"shop": append(old, history(1)...)}))
	eventually(t, s, 1)
	shut(t, w)
	lines, _ := told(t, s)
	require.Equal(t, []string{"shop 0"}, lines)
}

// While nobody answers nothing is lost, nothing overtakes, and it is said once.
func TestReceiverDown(t *testing.T) {
	s := receive(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n < 5 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		if n == 6 {
			w.WriteHeader(http.StatusBadRequest) // it will never take this one
		}
	})
	var mu sync.Mutex
	var trouble []string
	w, err := OpenWebhook(WebhookOptions{URL: s.URL, Now: func() time.Time { return began }, Report: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		trouble = append(trouble, err.Error())
	}})
	require.NoError(t, err)
	w.pause = func(int) time.Duration { return time.Millisecond }
	w.Announce(ledgerOf(map[string][]model.Transition{"shop": history(3)}))
	eventually(t, s, 7)
	shut(t, w)
	lines, ids := told(t, s)
	require.Equal(t, []string{"shop 0", "shop 0", "shop 0", "shop 0", "shop 0", "shop 1", "shop 2"}, lines)
	require.Equal(t, ids[0], ids[4])
	require.Equal(t, []string{"deliver transitions: the receiver answers 503", "deliver transitions: the receiver refuses the message with 400"}, trouble)
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
	c.Announce(ledger)
	c.Announce(ledger)
	eventually(t, s, 2)
	require.ErrorContains(t, <-trouble, "the Git host answers 502")
	first := s.seen()[1]
	require.Equal(t, "POST /api/repos/acme/fleet/statuses/"+head, first.Method+" "+first.URL.Path)
	require.Equal(t, "Bearer t0k3n", first.Header.Get("Authorization"))
	require.JSONEq(t, `{"state": "success", "description": "0 of 0 applications running", "context": "d-aros"}`, string(first.body))

	ledger.Problems = []model.Problem{{Code: "DA1203", Path: "application"}}
	c.Announce(ledger)
	refused := <-trouble
	require.ErrorContains(t, refused, "refuses it with 422")
	require.NotContains(t, errors.Join(refused).Error(), "t0k3n")
	c.Announce(ledger) // the same is not said again
	for _, evil := range []string{"", "../../../user", head + "/x", "HEAD"} {
		c.Announce(&model.Ledger{Commit: evil})
	}
	ledger.Problems = nil
	c.Announce(ledger)
	eventually(t, s, 4)
	require.NoError(t, c.Close())
	require.Len(t, s.seen(), 4)
}
