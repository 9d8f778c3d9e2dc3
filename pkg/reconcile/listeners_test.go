package reconcile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// hooks is a receiver of messages, and what it got: by key, under which ids and how often.
type hooks struct {
	*httptest.Server
	mu   sync.Mutex
	ids  map[string]map[string]int
	down bool
}

func newHooks(t *testing.T) *hooks {
	h := &hooks{ids: map[string]map[string]int{}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.down {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		var m struct{ Data struct{ Key string } }
		if json.NewDecoder(r.Body).Decode(&m) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if h.ids[m.Data.Key] == nil {
			h.ids[m.Data.Key] = map[string]int{}
		}
		h.ids[m.Data.Key][r.Header.Get("webhook-id")]++
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hooks) set(down bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.down = down
}

// keys are those that were delivered; each has one id.
func (h *hooks) keys(t *testing.T) (keys []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, ids := range h.ids {
		require.Len(t, ids, 1, key)
		require.Contains(t, ids, key)
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// delivering makes a loop send what it tells to the receiver.
func (h *hooks) delivering(t *testing.T) (*outbound.Webhook, func(*Options)) {
	w, err := outbound.OpenWebhook(outbound.WebhookOptions{URL: h.URL})
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.Close() })
	return w, func(o *Options) { o.Listeners, o.Delivered = []Listener{w}, w.Delivered }
}

// killed is a status branch to whose writer something happens after the next push.
type killed struct {
	Ledger
	next bool
}

func (k *killed) Commit(ctx context.Context, previous, next model.Ledger) (model.Ledger, bool, error) {
	saved, changed, err := k.Ledger.Commit(ctx, previous, next)
	if k.next && changed {
		return model.Ledger{}, false, errors.New("killed")
	}
	return saved, changed, err
}

// recordedKeys are the keys of all that the branch says, and that people are told.
func recordedKeys(t *testing.T, ledger string) (keys []string) {
	branch, err := status.Open(t.Context(), status.Options{URL: ledger, Dir: t.TempDir()})
	require.NoError(t, err)
	defer branch.Close()
	events, err := branch.Events(t.Context(), status.EventFilter{})
	require.NoError(t, err)
	for i := range events {
		if events[i].Kind.Told() {
			keys = append(keys, events[i].Key.String())
		}
	}
	slices.Sort(keys)
	return keys
}

// TestEachKeyIsDelivered, under one id: a process is killed between its push and what it
// tells of it, another one takes over; and one is killed before the receiver, which was
// down, has heard what it told, and the next one repeats that.
func TestEachKeyIsDelivered(t *testing.T) {
	k, ledger, h := newKeeper(t), gittest.NewBare(t), newHooks(t)
	now := time.Now()
	cluster := &remembered{}
	anchored := func(o *Options) { o.Recognition.Anchor, o.Recognition.Branch = cluster, "status" }
	start := func() (*teller, *outbound.Webhook) {
		w, delivering := h.delivering(t)
		return newTeller(t, k.Dir, ledger.Dir, func() time.Time { return now }, anchored, delivering), w
	}
	complete := func() {
		t.Helper()
		require.Eventually(t, func() bool { return slices.Equal(recordedKeys(t, ledger.Dir), h.keys(t)) }, 2*time.Minute, 10*time.Millisecond)
	}
	a, first := start()
	a.pass(t)
	a.pass(t)
	complete()
	require.Positive(t, first.Delivered())

	mortal := &killed{a.loop.o.Status, true}
	a.loop.o.Status = mortal
	k.app("2")
	k.by("bob")
	_, err := a.loop.Pass(t.Context())
	require.ErrorContains(t, err, "killed")
	require.NoError(t, first.Close())
	require.Less(t, len(h.keys(t)), len(recordedKeys(t, ledger.Dir)), "nobody has told of the last save")
	b, second := start()
	b.pass(t)
	now = now.Add(2 * time.Minute)
	b.pass(t)
	complete()

	h.set(true)
	for i := range 3 {
		k.app(fmt.Sprint("down", i))
		k.by("bob")
		b.pass(t)
		b.pass(t)
	}
	told := cluster.anchor.Announced
	require.Less(t, cluster.anchor.Delivered, told-1)
	require.NoError(t, second.Close())
	h.set(false)
	c, third := start()
	c.pass(t)
	complete()
	require.Eventually(t, func() bool { return third.Delivered() == told }, 2*time.Minute, time.Millisecond)
	require.Empty(t, c.lines(), "the log had told of it")

	k.app("last")
	k.by("bob")
	c.pass(t)
	complete()
	require.GreaterOrEqual(t, cluster.anchor.Delivered, told)
}

// heard is a listener that remembers the commits and keys it was told of.
type heard []string

func (h *heard) Announce(ledger *model.Ledger, list []announce.Announcement) {
	if len(list) == 0 {
		*h = append(*h, "start")
	}
	for i := range list {
		*h = append(*h, ledger.Commit+" "+list[i].Key.String())
	}
}

// TestListenersHearWhatIsSaved: at a start the present ledger, then what each save changed,
// and nothing of a pass that saves nothing or whose save is refused.
func TestListenersHearWhatIsSaved(t *testing.T) {
	k, ledger := newKeeper(t), gittest.NewBare(t)
	var h heard
	l := newTeller(t, k.Dir, ledger.Dir, time.Now, func(o *Options) { o.Listeners = []Listener{&h} })
	for range 3 {
		l.pass(t)
	}
	require.Equal(t, "start", h[0])
	var keys []string
	for _, line := range h[1:] {
		commit, key, _ := strings.Cut(line, " ")
		require.Equal(t, k.head(), commit)
		keys = append(keys, key)
	}
	for _, key := range recordedKeys(t, ledger.Dir) {
		require.Contains(t, keys, key)
	}
	n := len(h)
	l.pass(t)
	require.Len(t, h, n)
	hook := filepath.Join(ledger.Dir, "hooks", "pre-receive")
	require.NoError(t, os.MkdirAll(filepath.Dir(hook), 0o755))
	require.NoError(t, os.WriteFile(hook, []byte("#!/bin/sh\nexit 1\n"), 0o755))
	k.app("refused")
	k.by("bob")
	_, err := l.loop.Pass(t.Context())
	require.ErrorContains(t, err, "save")
	require.Len(t, h, n)
}

// What the platform or the tenant does not allow any more, no old spec may call.
func TestEgressIsThatOfToday(t *testing.T) {
	allowing := func(hosts ...string) model.Policy { return model.Policy{Egress: hosts} }
	spec := &model.Application{ID: model.AppID{Tenant: "acme", Name: "shop"}, Policy: new(allowing("a.test", "b.test", "c.test"))}
	saved := &model.Ledger{
		Platform: &model.Platform{Policy: allowing("*.test")},
		Tenants:  []model.Tenant{{Name: "acme", Policy: allowing("a.test", "b.test")}, {Name: "globex"}},
	}
	require.Equal(t, []string{"a.test", "b.test"}, egress(saved, spec))
	saved.Platform.Policy = allowing("b.test", "c.test")
	require.Equal(t, []string{"b.test"}, egress(saved, spec))
	require.Empty(t, egress(&model.Ledger{Platform: &model.Platform{}}, spec))
}
