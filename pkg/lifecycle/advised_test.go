package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
)

// A decision that rules the same and advises something else stays as it was made, with its words and its time; only its
// advice is the new one, with a time of its own. Advice of an older program goes.
func TestOnlyTheAdviceOfADecisionIsRecordedAnew(t *testing.T) {
	app := model.Application{ID: model.AppID{Tenant: "acme", Name: "shop"}, Desired: model.DesiredRunning}.Seal()
	fleet := model.Fleet{Commit: "c0ffee", Platform: &model.Platform{}, Tenants: []model.Tenant{{Name: "acme"}}, Applications: []*model.Application{&app}}
	at := time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)
	pass := func(ledger model.Ledger, d model.Decision) model.Ledger {
		at = at.Add(time.Minute)
		d.App, d.Verdict, d.Reason, d.Spec = app.ID, model.VerdictWaiting, model.ReasonCapacityShort, app.Digest
		return lifecycle.Advance(ledger, fleet, model.Ruling{Decisions: []model.Decision{d}}, model.Observation{}, at)
	}
	first := pass(model.Ledger{}, model.Decision{Message: "as it was made", WouldAdmit: []string{"ask for less"}})
	made := at
	advised := &model.Advised{At: at, Checked: at, Kinds: []string{"request"}}
	second := pass(first, model.Decision{Message: "as it would be made now", Advised: advised})

	d, ok := second.Decision(app.ID)
	require.True(t, ok)
	require.Equal(t, "as it was made", d.Message)
	require.Equal(t, made, d.Inputs.At)
	require.Equal(t, advised, d.Advised)
	require.Empty(t, d.WouldAdmit)
	third := pass(second, model.Decision{Advised: advised})
	require.Equal(t, model.DigestOf(second.Decisions), model.DigestOf(third.Decisions))
}
