package page

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestOutcomes: a page says what the cluster refuses, why and until when, and what others
// changed.
func TestOutcomes(t *testing.T) {
	at := time.Date(2026, 1, 1, 14, 3, 0, 0, time.UTC)
	in := &model.Instance{
		App: model.AppID{Tenant: "acme", Name: "shop"}, Number: 1, Phase: model.PhaseDegraded,
		Outcomes: []model.Outcome{
			{Object: "Deployment acme/shop-web", Component: "web", Reason: model.OutcomeImmutable, Field: "spec.selector", Message: "cannot | be changed", First: at, Last: at, Next: at.Add(time.Second)},
			{Object: "pods of db", Objects: 3, Component: "db", Reason: model.OutcomeImageUnavailable, Message: "no <image>", First: at, Last: at},
			{Object: "node n1", Objects: 2, Component: "web", Reason: model.OutcomeReservationReduced, Field: "cpu", Message: "it is | small", First: at, Last: at},
		},
		Drift: []model.Drift{
			{Object: "Deployment acme/shop-web", Fields: []string{"spec.replicas", "spec.paused"}, Manager: "kubectl", Count: 3, Time: at},
			{Object: "Service acme/shop-web", Count: 1, Time: at},
		},
	}
	page := string(Application(in.App, in, nil, nil, "", model.Links{}))
	for _, row := range []string{
		"| `Deployment acme/shop-web` | `web` | Immutable | `spec.selector` | cannot &#124; be changed | 2026-01-01 14:03:00 UTC | 2026-01-01 14:03:01 UTC, then at least every 5 minutes |",
		"| `pods of db` and 2 more | `db` | ImageUnavailable |  | no &#60;image&#62; | 2026-01-01 14:03:00 UTC | by the cluster |",
		"| `node n1` and 1 more | `web` | ReservationReduced | `cpu` | it is &#124; small | 2026-01-01 14:03:00 UTC |\n",
		"| `Deployment acme/shop-web` | `spec.replicas, spec.paused` | kubectl | 3 | 2026-01-01 14:03:00 UTC |",
		"| `Service acme/shop-web` | the whole object was gone |  | 1 | 2026-01-01 14:03:00 UTC |",
	} {
		require.Contains(t, page, row)
	}
	in.Outcomes, in.Drift = nil, nil
	require.False(t, strings.Contains(string(Application(in.App, in, nil, nil, "", model.Links{})), "refuses"))
}
