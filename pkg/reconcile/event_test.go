package reconcile

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/test/gittest"
)

// witness is a runtime that keeps the events, and answers acts as it is told to.
type witness struct {
	enteredRuntime
	events  []string // namespace, key and reason
	texts   []string
	results []runtime.Result // of the objects of an application
	drifted []model.AppID
}

func (w *witness) Event(_ context.Context, about *model.Instance, e announce.Event) {
	namespace := ""
	if about != nil {
		namespace = render.Namespace("", about.App, about.Spec.Policy.Namespace)
	}
	w.events = append(w.events, namespace+" "+e.Key+" "+e.Reason)
	w.texts = append(w.texts, e.Text)
}

func (w *witness) Drifted() []model.AppID { return w.drifted }

func (w *witness) Act(_ context.Context, list []runtime.Assignment) (report runtime.Report) {
	for i := range list {
		s := runtime.Outcome{App: list[i].App}
		if s.App.Name != "" {
			s.Results = w.results
		}
		report.Outcomes = append(report.Outcomes, s)
	}
	return report
}

// since returns the events after the first n that have a reason.
func (w *witness) since(n int, reason string) (list []string) {
	for _, e := range w.events[n:] {
		if strings.HasSuffix(e, " "+reason) {
			list = append(list, e)
		}
	}
	return list
}

// TestObjectsAreToldFromTheLedger: what the cluster refuses and what others changed is told
// once it is saved, once, with the key of the announcement; the report of an act is not told.
func TestObjectsAreToldFromTheLedger(t *testing.T) {
	k, ledger := newKeeper(t), gittest.NewBare(t)
	now := time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC)
	w := &witness{enteredRuntime: enteredRuntime{&entries{}}}
	l := newTeller(t, k.Dir, ledger.Dir, func() time.Time { return now }, func(o *Options) { o.Runtime, o.Events = w, w })
	w.results = []runtime.Result{
		{Object: "Deployment acme/web", Component: "web", Action: runtime.Failed, Reason: model.OutcomeForbidden, Message: "Deployment acme/web: no"},
		{Object: "Service acme/web", Component: "web", Action: runtime.Corrected, Drift: []runtime.Difference{{Path: "spec.ports", Manager: "kubectl"}}},
	}
	count := func(part string) int { return strings.Count(l.log.String(), part) }
	l.pass(t)
	require.Equal(t, []int{0, 0}, []int{count("msg=outcome"), count("msg=drift")}, "no ledger has it yet")
	for range 5 {
		now = now.Add(time.Minute)
		l.pass(t)
	}
	require.Equal(t, []int{1, 1, 0, 0}, []int{count("msg=outcome"), count("msg=drift"), count("apply failed"), count("drift corrected")}, l.log.String())
	for _, reason := range []string{"ApplyFailed", "DriftCorrected"} {
		told := w.since(0, reason)
		require.Len(t, told, 1)
		namespace, rest, _ := strings.Cut(told[0], " ")
		require.Equal(t, "acme", namespace)
		key, _, _ := strings.Cut(rest, " ")
		require.Equal(t, 1, count("key="+key))
		require.Contains(t, recordedKeys(t, ledger.Dir), key)
	}
	require.True(t, slices.Contains(w.texts, "Service acme/web: spec.ports (changed by kubectl)"), w.texts)

	w.results = nil
	now = now.Add(time.Hour)
	w.drifted = []model.AppID{{Tenant: "acme", Name: "shop"}}
	l.pass(t)
	l.pass(t)
	require.Equal(t, 1, count("msg=outcome app=acme/shop instance=1 object=\"Deployment acme/web\" kind=outcome to=settled"), l.log.String())
}

// TestEventsAboutTheFleet stand beside its ConfigMap, with the key of the announcement: the
// repo is lost and back, its branch is moved back, and the branch is not the ledger any more.
func TestEventsAboutTheFleet(t *testing.T) {
	k, ledger := newKeeper(t), gittest.NewBare(t)
	k.platform("")
	k.by("root")
	k.app("2")
	first := k.by("bob")
	k.app("3")
	tip := k.by("bob")
	now := time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC)
	w := &witness{enteredRuntime: enteredRuntime{&entries{}}}
	cluster := &remembered{}
	start := func() *teller {
		return newTeller(t, k.Dir, ledger.Dir, func() time.Time { return now }, func(o *Options) {
			o.Runtime, o.Events, o.Recognition.Anchor, o.Recognition.Branch = w, w, cluster, "status"
		})
	}
	l := start()
	l.pass(t)
	k.Git("checkout", "-q", "--detach")
	k.Git("branch", "-D", "main")
	for range 3 {
		now = now.Add(4 * time.Minute)
		l.pass(t)
	}
	k.Git("branch", "main", tip)
	l.pass(t)
	k.Git("branch", "-f", "main", first)
	l.pass(t)
	for _, reason := range []string{"SourceLost", "SourceBack", "SourceMovedBack"} {
		told := w.since(0, reason)
		require.Len(t, told, 1, reason)
		key := strings.Fields(told[0])[0]
		require.True(t, strings.HasPrefix(told[0], " "), "in no namespace of an application")
		require.Contains(t, recordedKeys(t, ledger.Dir), key)
	}

	saved := l.loop.identity.known
	ledger.Git("update-ref", "-d", "refs/heads/status")
	l = start()
	n := len(w.events)
	for range 3 {
		now = now.Add(2 * time.Minute)
		_, err := l.loop.Pass(t.Context())
		require.ErrorContains(t, err, "is not the ledger of this fleet")
	}
	told := w.since(n, "LedgerRefused")
	require.Len(t, told, 3, "each minute at most")
	for _, e := range told {
		require.Equal(t, told[0], e, "it is one Event")
	}
	key := announce.Key{Ledger: saved.ID, Save: saved.Sequence}
	require.Equal(t, " "+key.String()+"-missing LedgerRefused", told[0])
	require.Contains(t, w.texts[len(w.texts)-1], "reconciler restore --write")
}
