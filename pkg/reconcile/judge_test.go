package reconcile

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/inprocess"
)

// spent is an evaluator whose tenants have used their shares, now and then.
type spent struct {
	*evaluate.Evaluator
	asked int
	err   error
}

func (b *spent) Health(tenant string, c *model.Component, live []byte) (model.Health, error) {
	if b.asked++; b.err != nil {
		return model.Health{}, b.err
	}
	return b.Evaluator.Health(tenant, c, live)
}

// Definitions judge what is live again only when something else is live, and the last judgement holds while a tenant has
// used its share. A workload that is not healthy is not ready, and none becomes ready by a judgement.
func TestDefinitionsJudgeWhatIsLive(t *testing.T) {
	app := model.AppID{Tenant: "acme", Name: "shop"}
	spec := &model.Application{ID: app, Components: []model.Component{{Name: "db", Definition: "database", Health: "live: _\nhealth: live.ok\nstatus: \"\\(live.n) rows\"\n"}, {Name: "web"}}}
	ledger := &model.Ledger{Instances: []model.Instance{{App: app, Number: 1, Spec: spec}}}
	e := &spent{Evaluator: evaluate.Through(inprocess.By[evaluate.Worker]())}
	d := &declared{o: &Options{Edges: Edges{Evaluator: e}}}
	see := func(live string, ready int) model.Workload {
		seen := []model.Workload{{App: app, Component: "db", Replicas: 2, Ready: ready, Current: true, Live: []byte(live)}, {App: app, Component: "web", Replicas: 1, Ready: 1, Current: true}}
		list := d.judge(seen, ledger)
		require.NotNil(t, seen[0].Live, "the runtime's own is left alone")
		require.Equal(t, seen[1], list[1])
		require.Nil(t, list[0].Live, "no decision follows from it")
		return list[0]
	}
	good := model.Workload{App: app, Component: "db", Replicas: 2, Ready: 2, Current: true, Says: "3 rows"}
	require.Equal(t, good, see(`{"ok": true, "n": 3}`, 2))
	require.Equal(t, good, see(`{"ok": true, "n": 3}`, 2))
	require.Equal(t, 1, e.asked)
	require.Equal(t, 1, see(`{"ok": true, "n": 3}`, 1).Ready)
	bad := model.Workload{App: app, Component: "db", Replicas: 2, Says: "4 rows", Why: "not healthy by its definition"}
	require.Equal(t, bad, see(`{"ok": false, "n": 4}`, 2))

	e.err = errors.New("it has used its share")
	require.Equal(t, bad, see(`{"ok": true, "n": 5}`, 2), "the last judgement")
	e.err = nil
	require.Equal(t, "5 rows", see(`{"ok": true, "n": 5}`, 2).Says)
	e.err, d.judged = errors.New("it has used its share"), nil
	require.Equal(t, "its definition has not judged it yet", see(`{"ok": true, "n": 5}`, 2).Why)
}
