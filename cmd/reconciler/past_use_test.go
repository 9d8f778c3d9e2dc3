package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/view"
)

// TestPastUse: a platform lets weights follow past use. The loop keeps it on the status branch, replay decides the same
// again, explain shows both weights, and what-if tries another half-life and none.
func TestPastUse(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: plays half a day of passes")
	}
	w := newWorld(t)
	require.NoError(t, replaceIn(w.repo.Dir+"/fleet.cue", `runtimes: ["container"]`, `runtimes: ["container"], preemption: "reclaim", history: halfLife: "2h"`))
	for i := range 4 {
		w.app("acme", fmt.Sprint("early-", i), 4, 200)
	}
	w.repo.Commit("acme alone")
	for range 6 {
		w.now = w.now.Add(time.Hour)
		w.pass()
	}
	for i := range 4 {
		w.app("globex", fmt.Sprint("late-", i), 4, 200)
	}
	w.repo.Commit("globex comes")
	for range 6 {
		w.now = w.now.Add(20 * time.Minute)
		w.pass()
	}

	var x view.Explanation
	w.run(0, &x, "explain", "globex/late-0", "--repo", w.repo.Dir, "-o", "json")
	require.Len(t, x.Decision.Past, 1)
	require.Equal(t, 1, x.Decision.Past[0].Weight)
	require.Greater(t, x.Decision.Past[0].Scaled, 1000)
	text := w.text(0, "explain", "globex/late-0", "--repo", w.repo.Dir)
	require.Regexp(t, `globex had [0-9.]+ % of all capacity on average lately, so its weight 1 counts [12]\.[0-9]{2}\n`, text)

	var v offline.Replayed
	w.run(0, &v, "replay", "--repo", w.repo.Dir, "-n", "100000", "-o", "json")
	require.Zero(t, v.Differs+v.Unknown)
	require.GreaterOrEqual(t, v.Equal, 8)

	tries := func(value string) (code int, out, errOut string) {
		return w.command("what-if", "--repo", w.repo.Dir, "--set", "platform.policy.history.halfLife="+value)
	}
	code, _, errOut := tries("30m")
	require.Equal(t, 2, code)
	require.Contains(t, errOut, "write a half-life from 1h to 8760h")
	for _, value := range []string{"1h", "0s"} {
		code, out, errOut := tries(value)
		require.Less(t, code, 2, "%s%s", out, errOut)
	}
}
