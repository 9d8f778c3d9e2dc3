package story

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

func TestRead(t *testing.T) {
	s, err := Read(`
pool general cpu=9 gpu=2 racks=3 full=1
group g weight=2 guarantee=5
tenant a weight=2 guarantee=3,1gpu borrow=0 in=g
runs a/1 a/2 size=1 priority=300
asks a/shop
  web 3 x 500m min=1 qos=burstable spread=2
  db  1 x 1,4Gi optional
asks a/new size=2,1gpu x=3 min=2
`)
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, s.Fleet.Platform.Groups[0].Tenants)
	require.Equal(t, &model.Resources{}, s.Fleet.Tenants[0].Borrow)
	require.Nil(t, s.Fleet.Tenants[0].Lend)
	require.Equal(t, model.Resources{CPU: 2000}, s.Used("general"))
	require.Equal(t, []model.AppID{{Tenant: "a", Name: "shop"}, {Tenant: "a", Name: "new"}}, s.Asking)
	shop := s.App(s.Asking[0])
	require.Len(t, shop.Components, 2)
	require.False(t, shop.Components[1].Critical)
	require.Equal(t, int64(4<<30), shop.Components[1].Requests.Memory)
	require.Equal(t, 2, s.App(s.Asking[1]).Components[0].MinReplicas())
	require.Len(t, s.Seen.Pools[0].Domains, 3)
	require.True(t, s.Seen.Pools[0].Domains[2].Capacity.IsZero(), "one rack is full")
	first, _ := s.Ledger.Find(model.AppID{Tenant: "a", Name: "1"})
	second, _ := s.Ledger.Find(model.AppID{Tenant: "a", Name: "2"})
	require.True(t, first.Declared.Before(second.Declared), "who stands first came first")
}

func TestReadNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"pool general cpu=many":        "line 1",
		"\nfools rush in":              "line 2",
		"tenant a wait=2":              "no such option: wait",
		"tenant a in=nowhere":          "no group nowhere",
		"  web 3 x 1":                  "below its application",
		"pool p cpu=1\nasks a size=1":  "does not name an application",
		"pool p cpu=1\nfailed a/1":     "is not declared",
		"tenant a\nruns a/1 size=1":    "there is no pool",
		"pool p cpu=1\nnotready a/1":   "write notready",
		"pool p cpu=1 racks=3 racks=x": "invalid syntax",
	} {
		_, err := Read(text)
		require.ErrorContains(t, err, want, text)
	}
}
