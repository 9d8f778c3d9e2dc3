package status_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// ownTime is the CPU time of this process without the git programs.
func ownTime(b *testing.B) time.Duration {
	var used unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// touch changes the record of one application of many.
func touch(l model.Ledger, app int, at time.Time) model.Ledger {
	one := move(model.Ledger{Instances: []model.Instance{l.Instances[app]}}, model.PhaseRunning, at).Instances[0]
	if len(one.History) > model.HistoryLimit {
		one.History = one.History[1:]
	}
	l.Instances = slices.Clone(l.Instances)
	l.Instances[app] = one
	return l
}

// BenchmarkFollow reads the branch after another process has changed one application of
// many: as a process that follows it, and as one that starts.
func BenchmarkFollow(b *testing.B) {
	for _, n := range []int{2000, 10_000} {
		remote := gittest.NewBare(b)
		writer := open(b, remote.Dir)
		require.NoError(b, save(writer, b, func(model.Ledger) model.Ledger { return large(n) }))
		follower, i := open(b, remote.Dir), 0
		for name, reader := range map[string]func() *status.Branch{
			"following": func() *status.Branch { return follower },
			"whole":     func() *status.Branch { return open(b, remote.Dir) },
		} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				_, err := follower.Load(b.Context())
				require.NoError(b, err)
				var own, all time.Duration
				for b.Loop() {
					i++
					require.NoError(b, save(writer, b, func(l model.Ledger) model.Ledger { return touch(l, i*37%n, noon.Add(time.Duration(i)*time.Minute)) }))
					reader, before, beforeAll := reader(), ownTime(b), cpuTime(b)
					l, err := reader.Load(b.Context())
					own, all = own+ownTime(b)-before, all+cpuTime(b)-beforeAll
					require.NoError(b, err)
					require.Len(b, l.Instances, n)
				}
				b.ReportMetric(own.Seconds()*1000/float64(b.N), "own-cpu-ms/op")
				b.ReportMetric(all.Seconds()*1000/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// BenchmarkPast looks back from the tip of a branch of 10,000 applications, each of whose
// commits changes ten of them.
func BenchmarkPast(b *testing.B) {
	const n, commits, each = 10_000, 200, 10
	remote := gittest.NewBare(b)
	writer := open(b, remote.Dir)
	require.NoError(b, save(writer, b, func(model.Ledger) model.Ledger { return large(n) }))
	l, err := writer.Load(b.Context())
	require.NoError(b, err)
	var steps []status.Step
	for i := range commits {
		at := noon.Add(time.Duration(i+1) * time.Minute)
		for k := range each {
			l = touch(l, (i*each+k)*37%n, at)
		}
		steps = append(steps, status.Step{At: at, Next: l})
	}
	require.NoError(b, writer.Write(b.Context(), steps))
	remote.Git("gc", "-q")
	reader := open(b, remote.Dir)
	_, err = reader.Load(b.Context())
	require.NoError(b, err)
	_, _, err = reader.Log(b.Context(), "", 1)
	require.NoError(b, err)
	before := ownTime(b)
	_, err = reader.At(b.Context(), remote.Git("rev-parse", "status~"+fmt.Sprint(commits)))
	require.NoError(b, err)
	b.Logf("the first moment, the oldest: %v of CPU", ownTime(b)-before)
	hashes := strings.Fields(remote.Git("rev-list", "status"))
	b.Run("At", func(b *testing.B) {
		random, before := rand.New(rand.NewPCG(1, 2)), ownTime(b)
		var worst time.Duration
		for b.Loop() {
			begin := ownTime(b)
			_, err := reader.At(b.Context(), hashes[random.IntN(len(hashes))])
			require.NoError(b, err)
			worst = max(worst, ownTime(b)-begin)
		}
		b.ReportMetric((ownTime(b)-before).Seconds()*1000/float64(b.N), "own-cpu-ms/op")
		b.ReportMetric(worst.Seconds()*1000, "worst-cpu-ms")
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc>>20), "live-MiB") // of the writer and of a reader that holds the newest and eight others
	})
	fresh, err := status.Open(b.Context(), status.Options{URL: remote.Dir, Dir: b.TempDir(), Recheck: time.Hour})
	require.NoError(b, err)
	b.Cleanup(func() { _ = fresh.Close() })
	_, err = fresh.Load(b.Context())
	require.NoError(b, err)
	_, _, err = fresh.Log(b.Context(), "", 1)
	require.NoError(b, err)
	for name, f := range map[string]func() error{
		"Log/50": func() error { _, _, err := fresh.Log(b.Context(), "", 50); return err },
		"Events/100": func() error {
			_, err := fresh.Events(b.Context(), status.EventFilter{Last: 100})
			return err
		},
		"Events/all": func() error { _, err := fresh.Events(b.Context(), status.EventFilter{}); return err },
	} {
		b.Run(name, func(b *testing.B) {
			before := ownTime(b)
			for b.Loop() {
				require.NoError(b, f())
			}
			b.ReportMetric((ownTime(b)-before).Seconds()*1000/float64(b.N), "own-cpu-ms/op")
		})
	}
}
