package lifecycle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// An application that is not evaluated yet begins when it is: it is not Rejected before. One
// that is invalid is.
func TestNotEvaluatedYet(t *testing.T) {
	now, app := time.Unix(1e9, 0), model.AppID{Tenant: "acme", Name: "shop"}
	for code, records := range map[string]int{catalogue.NotYet: 0, catalogue.TooMany: 0, catalogue.Syntax: 1} {
		fleet := model.Fleet{Commit: "c", Platform: &model.Platform{}, Unusable: []model.Unusable{{App: app, Code: code, Message: "a sentence"}}}
		ruling := arbitration.Rule(fleet, model.Observation{}, model.Ledger{}, now)
		next := Advance(model.Ledger{}, fleet, ruling, model.Observation{}, now)
		require.Len(t, next.Instances, records, code)
		require.Len(t, next.Decisions, records, code)
	}
}
