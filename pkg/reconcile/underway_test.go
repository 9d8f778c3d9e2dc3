package reconcile

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// lasting is a runtime that goes on carrying out what it began until it is told to end that.
type lasting struct {
	enteredRuntime
	slow  bool
	asked map[model.AppID][]string // the revisions, of each call of Act
	began map[model.AppID]string
}

func (l *lasting) Act(_ context.Context, list []runtime.Assignment) (report runtime.Report) {
	for i := range list {
		app := list[i].App
		l.asked[app] = append(l.asked[app], list[i].Revision)
		o := runtime.Outcome{App: app, UnderWay: l.slow && app.Name != ""}
		if l.slow && l.began[app] == "" {
			l.began[app] = list[i].Revision
		}
		report.Outcomes = append(report.Outcomes, o)
	}
	return report
}

// TestUnderWayIsAskedAgain: what a runtime goes on carrying out holds back no pass, counts as
// not carried out, and is asked for in each pass until it has ended. That is so, too, if the ledger
// is meanwhile as it was before.
func TestUnderWayIsAskedAgain(t *testing.T) {
	k, calls := newEntered(t)
	l := &lasting{enteredRuntime: enteredRuntime{calls}, slow: true, asked: map[model.AppID][]string{}, began: map[model.AppID]string{}}
	k.start(func(o *Options) { o.Runtime = l })
	shop := model.AppID{Tenant: "acme", Name: "shop"}
	pass := func() Report {
		k.now = k.now.Add(5 * time.Second)
		r, err := k.loop.Pass(t.Context())
		require.NoError(t, err)
		return r
	}
	require.Equal(t, 1, pass().UnderWay)
	require.ErrorContains(t, k.loop.Ready(), "1 applications and tenants are not carried out yet")
	require.Equal(t, 1, pass().UnderWay)
	require.Len(t, l.asked[shop], 2)
	require.Equal(t, l.asked[shop][0], l.asked[shop][1])

	l.slow = false
	require.Zero(t, pass().UnderWay)
	require.NoError(t, k.loop.Ready())
	pass()
	require.Len(t, l.asked[shop], 3, "it is carried out")

	l.slow = true
	k.loop.done.forget(shop) // others changed it
	require.Equal(t, 1, pass().UnderWay)
	l.slow = false
	require.Zero(t, pass().UnderWay)
	require.Len(t, l.asked[shop], 5)

	l.slow = true
	was := k.loop.done.applied[shop]
	k.loop.done.applied[shop] = "that of another release" // so the release of the ledger is begun
	require.Equal(t, 1, pass().UnderWay)
	require.NotEqual(t, "that of another release", k.loop.done.applied[shop], "else to go back to it would be nothing to do")
	l.slow = false
	pass()
	require.Equal(t, was, k.loop.done.applied[shop])
}
