package turn_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/turn"
)

var (
	now  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	shop = model.AppID{Tenant: "acme", Name: "shop"}
)

// noRuling stands in for an arbiter.
func noRuling(model.Fleet, model.Observation, model.Ledger, time.Time) (none model.Ruling) {
	return none
}

// TestNothingToDecideOn: without a platform, the ledger keeps what it has and tells
// the problems, and nobody rules.
func TestNothingToDecideOn(t *testing.T) {
	ledger := model.Ledger{Commit: "a", Instances: []model.Instance{{App: shop, Number: 1, Phase: model.PhaseAdmitted}}}
	broken := model.Problem{Code: "DA1001", Message: "it is broken"}
	out := turn.Take(turn.Case{
		Fleet: model.Fleet{Commit: "b", Problems: []model.Problem{broken}}, Ledger: ledger, Now: now,
		Series: turn.Series{Decide: func(model.Fleet, model.Observation, model.Ledger, time.Time) model.Ruling {
			t.Error("there is nothing to rule on")
			return model.Ruling{}
		}},
	})
	require.False(t, out.Decided())
	require.Equal(t, model.Ledger{Commit: "b", Instances: ledger.Instances, Problems: []model.Problem{broken}}, out.Next)
}

// TestOrderOfProblems: first what keeps a commit from being accepted, then keys, then
// what the fleet has, then what was kept of the ledger, then requests.
func TestOrderOfProblems(t *testing.T) {
	problem := func(code string) []model.Problem { return []model.Problem{{Code: code, Message: code}} }
	platform := &model.Platform{Name: "test", Access: &model.Access{Enforce: model.EnforceSigned}}
	out := turn.Take(turn.Case{
		Fleet:    model.Fleet{Commit: "b", Platform: platform, Problems: problem("DA1001"), Incomplete: true},
		Refused:  &access.Violation{Code: access.CodeUnsigned, Commit: "c"},
		Ledger:   model.Ledger{Commit: "b", Instances: []model.Instance{{App: shop, Number: 1, Phase: model.PhaseAdmitted}}},
		Requests: access.Requests{Problems: problem(access.CodeNoOrigin)},
		Now:      now, Series: turn.Series{Decide: noRuling},
	})
	var codes []string
	for _, p := range out.Next.Problems {
		codes = append(codes, p.Code)
	}
	require.Equal(t, []string{access.CodeUnsigned, access.CodeLockout, "DA1001", "DA1015", access.CodeNoOrigin}, codes)
	require.Equal(t, out.Fleet.Problems, out.Next.Problems)
}

// TestPlatform: the last good one stands in for one that is not valid.
func TestPlatform(t *testing.T) {
	good, newer := &model.Platform{Name: "good"}, &model.Platform{Name: "newer"}
	require.Nil(t, turn.Platform(model.Fleet{}, model.Ledger{}))
	require.Same(t, good, turn.Platform(model.Fleet{}, model.Ledger{Platform: good}))
	require.Same(t, newer, turn.Platform(model.Fleet{Platform: newer}, model.Ledger{Platform: good}))
}

// TestCheckRenderings: whose directory cannot be read is unusable, the others are
// checked once, and the fleet that was given stays as it is.
func TestCheckRenderings(t *testing.T) {
	application := func(name, image string) *model.Application {
		a := model.Application{ID: model.AppID{Tenant: "acme", Name: name}, Policy: &model.Policy{Registries: []string{"example.com"}},
			Components: []model.Component{{Name: "web", Type: "worker", Replicas: 1, Properties: []byte(`{"image":"` + image + `"}`)}}}.Seal()
		return &a
	}
	fleet := model.Fleet{
		Platform: &model.Platform{}, Tenants: []model.Tenant{{Name: "acme"}},
		Applications: []*model.Application{application("a", "example.com/a"), application("b", "example.com/b")},
	}
	asked := 0
	r := turn.Renderings{Fleet: "test", Builds: func(a *model.Application) (render.Builds, error) {
		asked++
		if a.ID.Name == "b" {
			return nil, errors.New("it is gone")
		}
		return nil, nil
	}}
	for range 2 {
		checked, known := turn.CheckRenderings(fleet, r)
		require.Equal(t, fleet.Applications[:1], checked.Applications)
		require.Equal(t, "it is gone", checked.Unusable[0].Message)
		require.Len(t, checked.Problems, 1)
		require.NotNil(t, known)
		require.Len(t, fleet.Applications, 2)
		r.Checked = known
	}
	require.Equal(t, 3, asked, "what was good once is not looked at again")
}
