package reconcile

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/turn"
)

// TestNewsUntilItIsSaved: what an act came to is told to the next pass, once.
func TestNewsUntilItIsSaved(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	shop := model.AppID{Tenant: "acme", Name: "shop"}
	inst := &model.Instance{App: shop, Number: 2, Spec: &model.Application{ID: shop, Release: "r"}, Phase: model.PhaseScheduled}
	ledger := func() *model.Ledger { return &model.Ledger{Instances: []model.Instance{*inst}} }
	object := func(name string, action runtime.Action, reason model.Reason) runtime.Result {
		return runtime.Result{Object: "ConfigMap acme/" + name, Component: "web", Action: action, Reason: reason, Message: string(reason)}
	}
	n := news{}

	n.note(&runtime.Outcome{App: shop, Results: []runtime.Result{object("a", runtime.Created, "")}}, inst, at, time.Time{})
	require.Empty(t, n, "all went well, as the ledger says")

	n.note(&runtime.Outcome{App: shop, Results: []runtime.Result{
		object("b", runtime.Failed, model.OutcomeForbidden), object("c", runtime.Failed, model.OutcomeForbidden), object("a", runtime.Failed, model.OutcomeInvalid),
	}}, inst, at, at.Add(time.Second))
	want := model.Applied{App: shop, Instance: 2, Release: "r", Outcomes: []model.Outcome{
		{Object: "ConfigMap acme/a", Component: "web", Reason: model.OutcomeInvalid, Message: "Invalid", First: at, Last: at, Next: at.Add(time.Second)},
		{Object: "ConfigMap acme/b", Objects: 2, Component: "web", Reason: model.OutcomeForbidden, Message: "Forbidden", First: at, Last: at, Next: at.Add(time.Second)},
	}}
	require.Equal(t, []model.Applied{want}, n.list())
	inst.Outcomes = want.Outcomes
	n.saved(ledger())
	require.Empty(t, n)

	n.note(&runtime.Outcome{App: shop, Results: []runtime.Result{object("a", runtime.Failed, ""), object("b", runtime.Skipped, "")}}, inst, at, at)
	require.Empty(t, n, "the API server said nothing")
	n.note(&runtime.Outcome{App: shop, Results: []runtime.Result{object("a", runtime.Created, "")}}, inst, at, time.Time{})
	require.Equal(t, []model.Applied{{App: shop, Instance: 2, Release: "r"}}, n.list(), "the ledger has outcomes that are over")
	inst.Number++
	n.saved(ledger())
	require.Empty(t, n, "it was about another instance")

	inst.Spec.At = model.Positions{"adopt.1": "app.cue:3:9"}
	n.note(&runtime.Outcome{App: shop, Results: []runtime.Result{object("a", runtime.Created, "")}, NotAdopted: []runtime.NotAdopted{{Entry: 1, Message: "none"}}}, inst, at, time.Time{})
	require.Equal(t, []model.Outcome{{
		Object: "application.adopt.1", Reason: model.OutcomeNothingAdopted, Field: "application.adopt.1", Message: "none (app.cue:3:9)", First: at, Last: at,
	}}, n.list()[0].Outcomes)
}

// TestDriftIsCounted: a fight over one field is an entry whose count is saved now and then.
func TestDriftIsCounted(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	shop := model.AppID{Tenant: "acme", Name: "shop"}
	spec := new(model.Application{ID: shop}.Seal())
	ledger := model.Ledger{Instances: []model.Instance{{App: shop, Number: 1, Spec: spec, Phase: model.PhaseRunning}}}
	n, saves := news{}, 0
	for i := range 100 { // every 15 s
		now := at.Add(time.Duration(i) * 15 * time.Second)
		n.note(&runtime.Outcome{App: shop, Results: []runtime.Result{{
			Object: "Deployment acme/web", Action: runtime.Corrected,
			Drift: []runtime.Difference{{Path: "spec.replicas", Manager: "hpa"}, {Path: "spec.paused", Manager: "hpa"}},
		}}}, &ledger.Instances[0], now, time.Time{})
		next := turn.Take(turn.Case{
			Fleet: model.Fleet{Platform: &model.Platform{}, Applications: []*model.Application{spec}}, Ledger: ledger, Seen: model.Observation{Applied: n.list()}, Now: now,
			Series: turn.Series{Decide: func(model.Fleet, model.Observation, model.Ledger, time.Time) model.Ruling { return model.Ruling{} }},
		}).Next
		if model.DigestOf(next.Instances[0].Drift) != model.DigestOf(ledger.Instances[0].Drift) {
			saves++
		}
		ledger = next
		n.saved(&ledger)
	}
	require.Equal(t, 3, saves)
	require.Equal(t, []model.Drift{{
		Object: "Deployment acme/web", Fields: []string{"spec.replicas", "spec.paused"}, Manager: "hpa", Count: 81, Time: at.Add(20 * time.Minute),
	}}, ledger.Instances[0].Drift)
	require.Equal(t, 19, n[shop].Drift[0].Count, "they are counted later")
}
