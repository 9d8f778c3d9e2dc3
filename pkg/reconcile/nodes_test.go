package reconcile

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// agents take plans, or fail.
type agents struct {
	got  []string
	made int
	err  error

	silent bool // the API server does not answer
}

func (a *agents) Plans(ledger *model.Ledger) map[string][]byte {
	a.made++
	return render.NodePlans(ledger, "")
}

func (a *agents) Plan(ctx context.Context, _ []model.PoolSpec, plans map[string][]byte) error {
	if a.silent {
		<-ctx.Done()
		return ctx.Err()
	}
	a.got = slices.AppendSeq(a.got, maps.Keys(plans))
	return a.err
}

// Plans are brought when they change, compared again after a while, and tried again after an
// error, which is logged once.
func TestPlansAreBroughtToNodes(t *testing.T) {
	var log bytes.Buffer
	now, nodes := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), &agents{}
	o := &Options{Edges: Edges{Nodes: nodes}, Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(&log, nil))}
	ledger := &model.Ledger{Platform: &model.Platform{Pools: []model.PoolSpec{{Name: "general"}}}}
	var p planned
	bring := func(want int) {
		t.Helper()
		p.bring(t.Context(), o, ledger)
		require.Len(t, nodes.got, want)
	}
	bring(1)
	bring(1)
	now = now.Add(plansAgain)
	bring(2)
	ledger.Platform.Pools = append(ledger.Platform.Pools, model.PoolSpec{Name: "gpu"})
	bring(4)

	nodes.err = errors.New("forbidden")
	now = now.Add(plansAgain)
	bring(6)
	now = now.Add(plansAgain / 10)
	bring(8)
	require.Equal(t, 1, strings.Count(log.String(), "forbidden"))
	nodes.err = nil
	now = now.Add(plansAgain / 10)
	bring(10)
	bring(10)

	made := nodes.made
	ledger.Plans = map[string][]byte{"general": []byte("as saved")}
	bring(11)
	require.Equal(t, made, nodes.made, "they were made with the save")
	require.Equal(t, ledger.Plans, p.plans)
}

// A pass does not wait long for an API server that does not answer.
func TestSilentNodesHoldNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &Options{Edges: Edges{Nodes: &agents{silent: true}}, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
		began := time.Now()
		new(planned).bring(t.Context(), o, &model.Ledger{Platform: &model.Platform{Pools: []model.PoolSpec{{Name: "general"}}}})
		require.Equal(t, plansWithin, time.Since(began))
	})
}
