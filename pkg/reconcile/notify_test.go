package reconcile

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// heard is a listener that remembers the commits it was told of.
type heard []string

func (h *heard) Announce(ledger *model.Ledger) { *h = append(*h, ledger.Commit) }

// Listeners hear what the branch is known to hold, and nothing before it is known.
func TestListenersHearWhatIsSaved(t *testing.T) {
	var h heard
	l := New(Options{Edges: Edges{Listeners: []Listener{&h}}})
	l.publish(t.Context(), &Report{}, errors.New("the branch cannot be read"))
	require.Empty(t, h)
	l.saved = model.Ledger{Commit: "1"}
	l.publish(t.Context(), &Report{}, nil)
	l.publish(t.Context(), &Report{}, errors.New("the branch cannot be written"))
	require.Equal(t, heard{"1", "1"}, h)
}

// What the platform or the tenant does not allow any more, no old spec may call.
func TestEgressIsThatOfToday(t *testing.T) {
	allowing := func(hosts ...string) model.Policy { return model.Policy{Egress: hosts} }
	spec := &model.Application{ID: model.AppID{Tenant: "acme", Name: "shop"}, Policy: allowing("a.test", "b.test", "c.test")}
	fleet := &model.Fleet{
		Platform: &model.Platform{Policy: allowing("*.test")},
		Tenants:  []model.Tenant{{Name: "acme", Policy: allowing("a.test", "b.test")}, {Name: "globex"}},
	}
	require.Equal(t, []string{"a.test", "b.test"}, egress(fleet, spec))
	fleet.Platform.Policy = allowing("b.test", "c.test")
	require.Equal(t, []string{"b.test"}, egress(fleet, spec))
	require.Empty(t, egress(&model.Fleet{Platform: &model.Platform{}}, spec))
}
