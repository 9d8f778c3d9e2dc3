package offline_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/test/fleettest"
)

// TestPreviewOfAllHoldsLittle: an edit of the platform changes all applications, and its preview holds of each what a plan says of
// it, beside the base. With the objects as they were rendered it was more than twice as much.
func TestPreviewOfAllHoldsLittle(t *testing.T) {
	const apps, most = 300, 18 << 10 // bytes of each
	base, draft := runningFleet(t, apps)
	before := heldBytes()
	p, err := base.Preview(t.Context(), draft)
	require.NoError(t, err)
	require.True(t, p.Saves(), "%v", p.Problems)
	require.Greater(t, len(p.Plan.Applications), apps*9/10)
	held := (heldBytes() - before) / apps
	t.Logf("%d bytes for each application", held)
	require.Less(t, held, most)
	runtime.KeepAlive(p)
	runtime.KeepAlive(base)
}

// BenchmarkPlatformEdit measures the preview of an edit of the platform of 10,000 applications: CPU time without children, and what
// is live before it and at its end. A worker of the dashboard has 10 s, a minute where the draft is saved, and 1 GiB.
func BenchmarkPlatformEdit(b *testing.B) {
	base, draft := runningFleet(b, 10_000)
	b.ReportMetric(float64(heldBytes()>>20), "base-MiB")
	before, n := usedTime(), 0
	for b.Loop() {
		n++
		draft.Edits[0].Value = 20 + n // all are evaluated each time
		p, err := base.Preview(b.Context(), draft)
		require.NoError(b, err)
		b.StopTimer()
		b.ReportMetric(float64(heldBytes()>>20), "held-MiB")
		runtime.KeepAlive(p)
		b.StartTimer()
	}
	b.ReportMetric((usedTime()-before).Seconds()/float64(b.N), "cpu-s/op")
}

// runningFleet returns the base of a fleet in which all runs that fits, and a draft that edits its platform.
func runningFleet(t testing.TB, apps int) (*offline.Base, offline.Draft) {
	base := followed(t, caseOf(t, fleettest.Large(t, apps).Dir), "HEAD")
	for _, commit := range []string{"first", "second"} { // passes
		next, err := base.WhatIf(t.Context(), nil, nil)
		require.NoError(t, err)
		require.NoError(t, base.Follow(t.Context(), offline.Recorded{Commit: commit, Ledger: next.Next}, now))
	}
	fewer := cuefile.Edit{Op: cuefile.Set, Path: []string{"platform", "policy", "limits", "maxReplicas"}, Value: 19}
	return base, offline.Draft{Edits: []offline.DraftEdit{{Dir: ".", Edit: fewer}}}
}

// heldBytes is what is live.
func heldBytes() int {
	runtime.GC()
	runtime.GC() // what the first one finalizes
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
