package arbitration_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/story"
)

// Two devices that are shared by four are eight shares and no device: shares are granted until there are none left, and
// nothing that asks for a whole one.
func TestSharesOfDevices(t *testing.T) {
	s := sharing(t, "pool gpu cpu=64 gpu=2\ntenant a weight=1\nasks a/small size=1 x=5 min=5\nasks a/next size=1 x=3 min=3\nasks a/third size=1\nasks a/whole size=1,1gpu\n",
		model.Resources{CPU: 1000, Devices: map[string]int64{model.SharesOf(story.GPU): 1}}, true)
	ruling := s.Decide()
	told := map[string]string{}
	for _, d := range ruling.Decisions {
		told[d.App.Name] = string(d.Verdict) + ": " + d.Message
	}
	require.Equal(t, map[string]string{
		"small": "granted: everything it asks for is granted in pool gpu; its shares of example.com/gpu are counted, and nothing isolates them from the others",
		"next":  "granted: everything it asks for is granted in pool gpu; its shares of example.com/gpu are counted, and nothing isolates them from the others",
		"third": "waiting: waits for capacity, number 1 in the line of its tenant; it needs 1 example.com/gpu.shared in pool gpu, where 0 is free; " +
			"admitting it would exceed tenant a's fair share (100%), so nothing is preempted for it; its shares of example.com/gpu are counted, and nothing isolates them from the others",
		"whole": "rejected: needs at least 1 example.com/gpu at once, pool gpu has 0 in all",
	}, told)
}

// Nodes whose device plugin does not share offer devices whole, whatever the platform declares: they count as they are.
func TestNodesThatDoNotShare(t *testing.T) {
	s := sharing(t, "pool gpu cpu=64 gpu=2\ntenant a weight=1\nasks a/small size=1\nasks a/whole size=1,1gpu\n",
		model.Resources{CPU: 1000, Devices: map[string]int64{model.SharesOf(story.GPU): 1}}, false)
	ruling := s.Decide()
	whole, _ := ruling.Find(model.AppID{Tenant: "a", Name: "whole"})
	require.Equal(t, model.VerdictGranted, whole.Verdict)
	small, _ := ruling.Find(model.AppID{Tenant: "a", Name: "small"})
	require.Equal(t, "needs at least 1 example.com/gpu.shared at once, pool gpu has 0 in all, and 2 example.com/gpu whole, which its device plugin does not share", small.Message)
}

// A quota counts shares by their own name.
func TestQuotaOfShares(t *testing.T) {
	s := sharing(t, "pool gpu cpu=64 gpu=2\ntenant a weight=1\nasks a/small size=1 x=5 min=5\n",
		model.Resources{CPU: 1000, Devices: map[string]int64{model.SharesOf(story.GPU): 1}}, true)
	s.Fleet.Tenants[0].Quota = &model.Resources{CPU: 64000, Memory: 1 << 40, Devices: map[string]int64{model.SharesOf(story.GPU): 4}}
	ruling := s.Decide()
	require.Equal(t, model.ReasonQuotaExceeded, ruling.Decisions[0].Reason)
}

// sharing reads a story in which what asks for no device asks for other requests, and the devices of the pool may be shared
// by four.
func sharing(t *testing.T, text string, requests model.Resources, shared bool) *story.Story {
	s, err := story.Read(text)
	require.NoError(t, err)
	for _, app := range s.Fleet.Applications {
		if comp := &app.Components[0]; comp.Requests.Devices == nil {
			comp.Requests = model.Resources{CPU: requests.CPU, Devices: maps.Clone(requests.Devices)}
		}
	}
	if pool := &s.Seen.Pools[0]; shared {
		pool.Capacity = pool.Capacity.Shared(map[string]int64{story.GPU: 4})
		pool.Largest = model.Resources{}
	}
	return s
}
