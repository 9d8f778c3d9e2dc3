package lifecycle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestShiftsAreNoted: the record says when less and when more was granted, and
// nothing of a decision that grants the same.
func TestShiftsAreNoted(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	grants := func(web, db int) []model.Grant {
		return []model.Grant{{Component: "web", Replicas: web}, {Component: "db", Replicas: db}}
	}
	for name, c := range map[string]struct {
		grants          []model.Grant
		lowered, raised bool
	}{
		"the same":             {grants(3, 2), false, false},
		"less":                 {grants(1, 2), true, false},
		"more":                 {grants(3, 4), false, true},
		"both":                 {grants(1, 4), true, true},
		"nothing is said":      {nil, false, false},
		"of another component": {[]model.Grant{{Component: "cache", Replicas: 1}}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			inst := &model.Instance{}
			for _, g := range grants(3, 2) {
				inst.Components = append(inst.Components, model.ComponentState{Grant: g})
			}
			noteShift(inst, c.grants, now)
			require.Equal(t, c.lowered, inst.Lowered.Equal(now))
			require.Equal(t, c.raised, inst.Raised.Equal(now))
		})
	}
}
