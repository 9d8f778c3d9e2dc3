package main

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/view"
)

// refusedShop is an application of which the cluster refuses two objects.
func refusedShop() model.Instance {
	at := worldBegins
	return model.Instance{
		App: id("acme", "shop"), Number: 1, Phase: model.PhaseDegraded, Reason: model.ReasonApplyFailed, Message: "an object is refused for good",
		Since: at,
		Outcomes: []model.Outcome{
			{Object: "Deployment acme/web", Component: "web", Reason: model.OutcomeImmutable, Field: "spec.selector", Message: "Deployment acme/web: spec.selector cannot be changed", First: at, Last: at, Next: at.Add(time.Second)},
			{Object: "ConfigMap acme/a", Objects: 3, Reason: model.OutcomeForbidden, Message: "ConfigMap acme/a: the API server forbids it\x1b[2J", First: at, Last: at, Next: at.Add(time.Second)},
		},
		Drift: []model.Drift{{Object: "Service acme/web", Fields: []string{"spec.ports"}, Manager: "kubectl", Count: 2, Time: at}},
	}
}

// TestWaitEndsOnRefusedObjects: what only another commit mends ends the wait, with the
// sentence. What may be taken later does not.
func TestWaitEndsOnRefusedObjects(t *testing.T) {
	ledger := model.Ledger{Instances: []model.Instance{refusedShop()}}
	wait := waitFlags{phases: []string{"Running"}}
	v := view.StatusOf(&ledger, view.Selection{})
	why, final := wait.missing(&v)
	require.True(t, final)
	require.Equal(t, "acme/shop is Degraded (Deployment acme/web: spec.selector cannot be changed)", why)

	ledger.Instances[0].Outcomes = ledger.Instances[0].Outcomes[1:]
	v = view.StatusOf(&ledger, view.Selection{})
	_, final = wait.missing(&v)
	require.False(t, final)
}

// TestRefusedObjectsAreShown by status and explain.
func TestRefusedObjectsAreShown(t *testing.T) {
	ledger := model.Ledger{Instances: []model.Instance{refusedShop()}}
	v := view.StatusOf(&ledger, view.Selection{})
	p := newPrinter(io.Discard)
	p.now = worldBegins.Add(time.Minute)
	p.status(&v, view.Selection{}, true)
	require.Contains(t, p.buf.String(), "Refused by the cluster\n"+
		"  acme/shop: Immutable: Deployment acme/web: spec.selector cannot be changed\n"+
		"  acme/shop: Forbidden: ConfigMap acme/a: the API server forbids it [2J, and so of 2 more\n")

	x, err := view.Explain(&ledger, id("acme", "shop"))
	require.NoError(t, err)
	p.buf.Reset()
	p.explanation(&x)
	require.Contains(t, p.buf.String(), "Refused by the cluster\n  Immutable: Deployment acme/web: spec.selector cannot be changed\n     since ")
	require.Contains(t, p.buf.String(), "Changed by others, and put back\n  Service acme/web: spec.ports, by kubectl (2 times, the last one ")
}

// TestForeignObjectIsShown by status and explain, with whose it is and what to do.
func TestForeignObjectIsShown(t *testing.T) {
	const why = "ConfigMap acme/settings: it exists already and belongs to Helm release ops/legacy; remove or rename one of the two"
	shop := refusedShop()
	shop.Outcomes = []model.Outcome{{Object: "ConfigMap acme/settings", Component: "settings", Reason: model.OutcomeForeign, Message: why, First: worldBegins, Last: worldBegins}}
	ledger := model.Ledger{Instances: []model.Instance{shop}}
	v := view.StatusOf(&ledger, view.Selection{})
	p := newPrinter(io.Discard)
	p.now = worldBegins.Add(time.Minute)
	p.status(&v, view.Selection{}, true)
	require.Contains(t, p.buf.String(), "Refused by the cluster\n  acme/shop: Foreign: "+why+"\n")

	x, err := view.Explain(&ledger, shop.App)
	require.NoError(t, err)
	p.buf.Reset()
	p.explanation(&x)
	require.Contains(t, p.buf.String(), "Refused by the cluster\n  Foreign: "+why+"\n     since ")
}

// TestWhatNodesDoNotKeepIsShown by status and explain, with the node, what was promised and what
// is kept, why, and since when; apart from what the cluster refuses.
func TestWhatNodesDoNotKeepIsShown(t *testing.T) {
	shop := refusedShop()
	short := model.Shortfall{App: shop.App, Component: "web", Pool: "general", Node: "n1", Resource: "memory", Promised: 2 << 30, Kept: 1 << 30, Why: "cgroup v1 has no such knob"}
	o := short.Outcome()
	o.First, o.Last, o.Objects = worldBegins, worldBegins, 3
	shop.Outcomes = append(shop.Outcomes[:1:1], o)
	ledger := model.Ledger{Instances: []model.Instance{shop}}
	v := view.StatusOf(&ledger, view.Selection{})
	p := newPrinter(io.Discard)
	p.now = worldBegins.Add(time.Minute)
	p.status(&v, view.Selection{}, true)
	const line = "ReservationReduced: node n1 keeps 1Gi of the 2Gi memory that is reserved for web: cgroup v1 has no such knob, and so of 2 more\n"
	require.Contains(t, p.buf.String(), "\nNot kept by nodes\n  acme/shop: "+line)

	x, err := view.Explain(&ledger, shop.App)
	require.NoError(t, err)
	p.buf.Reset()
	p.explanation(&x)
	require.Contains(t, p.buf.String(), "Refused by the cluster\n  Immutable")
	require.Contains(t, p.buf.String(), "\nNot kept by nodes\n  "+line+"     since ")
}

// TestFailuresOfAPass are those of objects, and not what was skipped because of them.
func TestFailuresOfAPass(t *testing.T) {
	r := reconcile.Report{Acted: reconcile.Acted{Applied: runtime.Report{Outcomes: []runtime.Outcome{{Results: []runtime.Result{
		{Action: runtime.Failed, Message: "Deployment acme/web: no"}, {Action: runtime.Skipped, Message: "not tried"}, {Action: runtime.Created},
	}}}}}}
	require.Equal(t, []string{"Deployment acme/web: no"}, failures(&r))
}
