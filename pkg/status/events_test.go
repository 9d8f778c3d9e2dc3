package status_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

func TestEvents(t *testing.T) {
	remote, b := story(t, 6)
	l, err := b.Load(t.Context())
	require.NoError(t, err)
	// A second application comes, with two transitions in one commit; and the
	// first one changes without a transition.
	blog := model.Instance{App: model.AppID{Tenant: "acme", Name: "blog"}, Number: 1, Phase: model.PhaseAdmitted, Since: noon.Add(6 * time.Hour),
		History: []model.Transition{
			{At: noon.Add(2*time.Hour + time.Minute), Instance: 1, To: model.PhaseCreated, Reason: model.ReasonDeclared},
			{At: noon.Add(6 * time.Hour), Instance: 1, From: model.PhaseCreated, To: model.PhaseAdmitted, Reason: model.ReasonAdmissionPassed},
		}}
	next := l
	shop := l.Instances[0]
	shop.Message, shop.Revision = "another word", model.Revision{}
	next.Instances = []model.Instance{blog, shop}
	require.NoError(t, b.Write(t.Context(), []status.Step{{At: noon.Add(6 * time.Hour), Next: next}}))

	tell := func(filter status.EventFilter) []string {
		events, err := open(t, remote.Dir).Events(t.Context(), filter)
		require.NoError(t, err)
		list := []string{}
		for _, e := range events {
			if e.Kind == announce.Commit {
				continue
			}
			require.Equal(t, e.Status, remote.Git("rev-parse", e.Status))
			list = append(list, e.At.Format("15:04 ")+e.App.Name+" "+string(e.To))
		}
		return list
	}
	require.Equal(t, []string{"12:00 shop Running", "13:00 shop Degraded", "14:00 shop Running", "14:01 blog Created", "15:00 shop Degraded",
		"16:00 shop Running", "17:00 shop Degraded", "18:00 blog Admitted"}, tell(status.EventFilter{}))
	require.Equal(t, []string{"16:00 shop Running", "17:00 shop Degraded", "18:00 blog Admitted"}, tell(status.EventFilter{Since: noon.Add(4 * time.Hour)}))
	require.Equal(t, []string{"14:01 blog Created", "18:00 blog Admitted"}, tell(status.EventFilter{App: "blog"}))
	require.Empty(t, tell(status.EventFilter{Tenant: "beta"}))

	// The newest are the end of all, although one was recorded hours after it happened.
	all, err := b.Events(t.Context(), status.EventFilter{})
	require.NoError(t, err)
	for n := 1; n <= len(all)+1; n++ {
		last, err := b.Events(t.Context(), status.EventFilter{Last: n})
		require.NoError(t, err)
		require.Equal(t, all[max(0, len(all)-n):], last, n)
	}

	// After compaction, what the checkpoint still knows.
	_, err = b.Compact(t.Context(), status.CompactOptions{Since: noon.Add(5 * time.Hour)})
	require.NoError(t, err)
	require.Len(t, tell(status.EventFilter{}), 8)
}

// TestEventsWithinASecond: commits know no parts of a second, changes do. None is taken for
// older than it is.
func TestEventsWithinASecond(t *testing.T) {
	b := open(t, gittest.NewBare(t).Dir)
	_, err := b.Load(t.Context())
	require.NoError(t, err)
	l := example(model.PhaseRunning)
	at := func(ms int) time.Time { return noon.Add(time.Hour + time.Duration(ms)*time.Millisecond) }
	first := move(l, model.PhaseDegraded, at(700))
	second := declare(first, model.AppID{Tenant: "beta", Name: "late"}) // recorded later, and older
	second.Instances[1].History[0].At = at(600)
	require.NoError(t, b.Write(t.Context(), []status.Step{{At: noon, Next: l}, {At: at(900), Next: first}, {At: at(950), Next: second}}))
	names := func(f status.EventFilter) (names []string) {
		events, err := b.Events(t.Context(), f)
		require.NoError(t, err)
		for _, e := range events {
			names = append(names, e.App.Name)
		}
		return names
	}
	require.Equal(t, []string{"late", "shop"}, names(status.EventFilter{Since: at(500)}))
	require.Equal(t, []string{"shop"}, names(status.EventFilter{Last: 1}))
	require.Equal(t, []string{"late", "shop"}, names(status.EventFilter{Last: 2}))
}

// TestEventsReadNoMoreThanAsked: the newest of many are found without the commits behind
// them.
func TestEventsReadNoMoreThanAsked(t *testing.T) {
	remote, _ := story(t, 18)
	b := open(t, remote.Dir)
	want, err := b.Events(t.Context(), status.EventFilter{})
	require.NoError(t, err)

	// What is behind the fourth commit is not there any more.
	shallow := gittest.NewBare(t)
	shallow.Git("fetch", "-q", "--depth=4", "file://"+remote.Dir, "status:status")
	cut := open(t, shallow.Dir)
	last, err := cut.Events(t.Context(), status.EventFilter{Last: 2})
	require.NoError(t, err)
	require.Equal(t, want[len(want)-2:], last)
	_, err = cut.Events(t.Context(), status.EventFilter{})
	require.Error(t, err)
	page, next, err := cut.Log(t.Context(), "", 3)
	require.NoError(t, err)
	require.Len(t, page, 3)
	require.Equal(t, page[2].Commit, next)
}

// TestStepsAreToldToo: what became of a run and its steps is in the history, among
// the events, and in the messages of commits.
func TestStepsAreToldToo(t *testing.T) {
	remote := gittest.NewBare(t)
	b := open(t, remote.Dir)
	_, err := b.Load(t.Context())
	require.NoError(t, err)
	app := model.AppID{Tenant: "beta", Name: "web"}
	first := releasing(app)
	run := *first.Run
	run.Steps = []model.StepRun{{Name: "migrate", Phase: model.StepActive, Since: noon, Started: noon}, {Name: "agree", Phase: model.StepPending}}
	first.Run = &run
	second := releasing(app)
	require.NoError(t, b.Write(t.Context(), []status.Step{
		{At: noon.Add(time.Minute), Next: model.Ledger{Instances: []model.Instance{first}}},
		{At: noon.Add(time.Hour), Next: model.Ledger{Instances: []model.Instance{second}}},
	}))
	require.Equal(t, "beta/web: step release active\n\nbeta/web: step migrate succeeded\nbeta/web: step agree active\nbeta/web: step release active\n\n"+
		"Transitions: 0", remote.Git("log", "-1", "--format=%B", "status"))

	events, err := b.Events(t.Context(), status.EventFilter{})
	require.NoError(t, err)
	var told []string
	for _, e := range events {
		told = append(told, strings.TrimSpace(fmt.Sprintf("%s %d %s %s → %s", e.At.Format("15:04"), e.Run, e.Step, e.From, e.To)))
	}
	require.Equal(t, []string{
		"12:00 0  Running → Scheduled", "12:00 2   → running", "12:00 2 migrate  → active",
		"12:01 2 agree  → approve", "12:01 2 agree  → approve", "12:03 2 migrate active → succeeded", "12:03 2 agree pending → active", "12:03 2 release  → active",
	}, told)

	entries, err := b.History(t.Context(), "", app, 10)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.Len(t, entries[0].Changes, 3)
	require.Equal(t, "migrate", entries[0].Changes[0].Step)
	require.Len(t, entries[1].Changes, 5)

	// A run whose record goes leaves no trace, and nothing breaks.
	second.Run = nil
	l, err := b.Load(t.Context())
	require.NoError(t, err)
	_, _, err = b.Commit(t.Context(), l, model.Ledger{Instances: []model.Instance{second}})
	require.NoError(t, err)
	require.NotContains(t, remote.Git("ls-tree", "-r", "--name-only", "status"), "workflow.json")
	entries, err = b.History(t.Context(), "", app, 10)
	require.NoError(t, err)
	require.Len(t, entries, 3)
}
