package status_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
)

func TestEvents(t *testing.T) {
	remote, b := story(t, 6)
	l, err := b.Load(t.Context())
	require.NoError(t, err)
	// A second application comes, with two transitions in one commit; and the
	// first one changes without a transition.
	blog := model.Instance{App: model.AppID{Tenant: "acme", Name: "blog"}, Number: 1, Phase: model.Admitted, Since: noon.Add(6 * time.Hour),
		History: []model.Transition{
			{At: noon.Add(2*time.Hour + time.Minute), Instance: 1, To: model.Created, Reason: model.Declared},
			{At: noon.Add(6 * time.Hour), Instance: 1, From: model.Created, To: model.Admitted, Reason: model.AdmissionPassed},
		}}
	next := l
	shop := l.Instances[0]
	shop.Message = "another word"
	next.Instances = []model.Instance{blog, shop}
	require.NoError(t, b.Write(t.Context(), []status.Step{{At: noon.Add(6 * time.Hour), Next: next}}))

	tell := func(filter status.EventFilter) []string {
		events, err := open(t, remote.Dir).Events(t.Context(), filter)
		require.NoError(t, err)
		list := []string{}
		for _, e := range events {
			require.Equal(t, e.Status, remote.Git("rev-parse", e.Status))
			list = append(list, e.At.Format("15:04 ")+e.App.Name+" "+string(e.To))
		}
		return list
	}
	require.Equal(t, []string{"12:00 shop Running", "13:00 shop Degraded", "14:00 shop Running", "14:01 blog Created", "15:00 shop Degraded",
		"16:00 shop Running", "17:00 shop Degraded", "18:00 blog Admitted"}, tell(status.EventFilter{}))
	require.Equal(t, []string{"16:00 shop Running", "17:00 shop Degraded", "18:00 blog Admitted"}, tell(status.EventFilter{Since: noon.Add(4 * time.Hour)}))
	require.Equal(t, []string{"14:01 blog Created", "18:00 blog Admitted"}, tell(status.EventFilter{App: "blog"}))
	require.Empty(t, tell(status.EventFilter{Tenant: "beta"}))

	// After compaction, what the checkpoint still knows.
	_, err = b.Compact(t.Context(), status.CompactOptions{Since: noon.Add(5 * time.Hour)})
	require.NoError(t, err)
	require.Len(t, tell(status.EventFilter{}), 8)
}
