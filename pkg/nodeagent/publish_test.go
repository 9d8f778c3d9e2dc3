//go:build linux

package nodeagent

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// The report has what concerns a promise, and nothing that the host cannot do for anybody.
func TestShortfallsOfAReport(t *testing.T) {
	refused := cgroup.Outcome{Setting: qos.Setting{Workload: "acme/shop/web@shop-web-1", File: "cpu.max"}, State: cgroup.Refused, Reason: "invalid argument"}
	r := Report{
		Outcomes: []cgroup.Outcome{refused, {Setting: qos.Setting{Workload: "acme/shop/db", File: "cpu.max"}, State: cgroup.InForce}},
		Degradations: []qos.Degradation{
			{Promise: "network.share", Instead: "none", Reason: "the agent does not shape network traffic"},
			{Workload: "acme/shop/db", Promise: "reserved", Reason: "ReservationReduced: too much", Reserved: model.Resources{CPU: 500, Memory: 1 << 30}},
		},
		Broken:   []qos.Broken{{Workload: "acme/shop/api", Promise: qos.ReservedCPU, Reserved: 1000, Got: 10}},
		Evict:    &qos.Eviction{Workload: "acme/shop/batch@shop-batch-1", Memory: 3 << 30, Reason: "the host is short"},
		Unplaced: []Unplaced{{Unplaced: qos.Unplaced{Workload: "acme/shop/a"}}, {Unplaced: qos.Unplaced{Workload: "acme/shop/b", Refused: true, Reason: "twice"}}},
	}
	var names []string
	for _, s := range qos.NewReport(r.Shortfalls()).Shortfalls {
		names = append(names, s.Workload+" "+s.Resource+s.Setting)
	}
	require.Equal(t, []string{"acme/shop/api cpu", "acme/shop/b cgroup", "acme/shop/batch evict", "acme/shop/db cpu", "acme/shop/db memory", "acme/shop/web cpu.max"}, names)
	read, err := qos.ParseReport(qos.NewReport(r.Shortfalls()).Encode())
	require.NoError(t, err)
	require.Equal(t, "pod shop-batch-1 has 3Gi; the host is short", read.Shortfalls[2].Reason)
}

// A promise that is not kept is told at once, and that it is kept again after a while: one
// that breaks again and again makes no news. Nor do other figures.
func TestPublishedReportSettles(t *testing.T) {
	p := newPublisher(Publishing{Settle: time.Minute})
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	after := func(d time.Duration, got ...int64) string {
		at = at.Add(d)
		p.now = qos.Report{}
		for _, n := range got {
			p.now.Shortfalls = append(p.now.Shortfalls, qos.Shortfall{Workload: "acme/shop/web", Resource: "cpu", Promised: 1000, Kept: n, Reason: "x"})
		}
		return p.settled(at).Encode()
	}
	require.Empty(t, after(0))
	broken := after(time.Second, 10)
	require.NotEmpty(t, broken)
	require.Equal(t, broken, after(time.Second, 300), "other figures")
	require.Equal(t, broken, after(time.Minute), "it is kept again, and was not a minute ago")
	require.Equal(t, broken, after(time.Second/2, 20))
	require.Equal(t, broken, after(time.Minute))
	require.Empty(t, after(time.Second))
}

// What cannot be sent is tried again with growing waits, and said once.
func TestPublishWaitsLongerAfterEachError(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, (&state{dir: dir}).keepReport(Report{}))
	var log strings.Builder
	p := newPublisher(Publishing{StateDir: dir, CAFile: filepath.Join(dir, "absent"), Log: slog.New(slog.NewTextHandler(&log, nil))})
	p.waits.RandomizationFactor = 0
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	var waits []time.Duration
	for range 16 {
		p.turn(t.Context(), at)
		require.Contains(t, p.said, "absent")
		waits = append(waits, p.next.Sub(at))
		at = p.next
	}
	require.Equal(t, 5*time.Second, waits[0])
	require.Greater(t, waits[1], waits[0])
	require.Equal(t, 5*time.Minute, waits[15])

	p.turn(t.Context(), at.Add(-time.Second))
	require.Equal(t, at, p.next, "not before it is time")
	require.Equal(t, 1, strings.Count(log.String(), "\n"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, reportFile), []byte("{"), 0o600))
	p.turn(t.Context(), at)
	require.Contains(t, p.said, "status.json")
}
