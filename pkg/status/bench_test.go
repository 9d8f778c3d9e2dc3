package status_test

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// large is a ledger of n applications, a hundred per tenant.
func large(n int) model.Ledger {
	one := example(model.PhaseRunning)
	l := one
	at, d := &one.Instances[0], &one.Decisions[0]
	for i := range 7 {
		at.History = append(at.History, model.Transition{At: noon, Instance: 1, From: model.PhaseRunning, To: model.PhaseDegraded,
			Reason: model.ReasonComponentFailed, Message: fmt.Sprintf("web has %d of 3 replicas ready", i), Commit: l.Commit})
	}
	for _, name := range []string{"memory", "applications", "workloads", "share", "budget"} {
		c := d.Constraints[0]
		c.Name = "quota." + name
		d.Constraints = append(d.Constraints, c)
	}
	for _, name := range []string{"limits.maxReplicas", "limits.priorityCeiling", "limits.maxShare", "images.registries", "runtimes",
		"preemption", "degradation", "strategies", "defaults.replicas", "defaults.priority", "defaults.startDeadline", "overcommit.cpu"} {
		d.Policies = append(d.Policies, model.PolicyValue{Path: name, Value: "20", Layer: "platform", At: "fleet.cue:14:3"})
	}
	l.Tenants, l.Instances, l.Decisions = nil, nil, nil
	for i := range n {
		id := model.AppID{Tenant: fmt.Sprintf("t%04d", i/100), Name: fmt.Sprintf("a%04d", i%100)}
		if i%100 == 0 {
			t := one.Tenants[0]
			t.Name = id.Tenant
			l.Tenants = append(l.Tenants, t)
		}
		in, d, spec := one.Instances[0], one.Decisions[0], *one.Instances[0].Spec
		in.History, d.Constraints, d.Policies = slices.Clone(in.History), slices.Clone(d.Constraints), slices.Clone(d.Policies)
		spec.ID = id
		spec = spec.Seal()
		in.App, in.Spec, d.App, d.Spec = id, &spec, id, spec.Digest
		l.Instances = append(l.Instances, in)
		l.Decisions = append(l.Decisions, d)
	}
	return l
}

// BenchmarkCommit saves one changed application.
func BenchmarkCommit(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			remote := gittest.NewBare(b)
			remote.Git("config", "receive.unpackLimit", "100000")
			branch := open(b, remote.Dir)
			l, err := branch.Load(b.Context())
			require.NoError(b, err)
			_, _, err = branch.Commit(b.Context(), l, large(n))
			require.NoError(b, err)
			l, err = branch.Load(b.Context())
			require.NoError(b, err)
			objects := func() int {
				for line := range strings.Lines(remote.Git("count-objects", "-v")) {
					if count, ok := strings.CutPrefix(strings.TrimSpace(line), "count: "); ok {
						n, _ := strconv.Atoi(count)
						return n
					}
				}
				return 0
			}
			before, i := objects(), 0
			for b.Loop() {
				i++
				next := move(l, model.PhaseRunning, noon.Add(time.Duration(i)*time.Second))
				_, changed, err := branch.Commit(b.Context(), l, next)
				require.NoError(b, err)
				require.True(b, changed)
				l, err = branch.Load(b.Context())
				require.NoError(b, err)
			}
			b.ReportMetric(float64(objects()-before)/float64(i), "objects/op")
		})
	}
}

// BenchmarkCommitNothing compares an equal ledger: one that shares what it has
// with the last, as after a pass in which nothing happened, and one that was
// computed anew in every part.
func BenchmarkCommitNothing(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		branch := open(b, gittest.NewBare(b).Dir)
		l, err := branch.Load(b.Context())
		require.NoError(b, err)
		_, _, err = branch.Commit(b.Context(), l, large(n))
		require.NoError(b, err)
		l, err = branch.Load(b.Context())
		require.NoError(b, err)
		for name, next := range map[string]model.Ledger{"shared": l, "anew": large(n)} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				before := cpuTime(b)
				for b.Loop() {
					_, changed, err := branch.Commit(b.Context(), l, next)
					require.NoError(b, err)
					require.False(b, changed)
				}
				b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(b.N)/1000, "cpu-ms/op")
			})
		}
	}
}

// BenchmarkCommitSome saves a ledger in which one application in a hundred changed.
func BenchmarkCommitSome(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			branch := open(b, gittest.NewBare(b).Dir)
			l, err := branch.Load(b.Context())
			require.NoError(b, err)
			_, _, err = branch.Commit(b.Context(), l, large(n))
			require.NoError(b, err)
			l, err = branch.Load(b.Context())
			require.NoError(b, err)
			before, i := cpuTime(b), 0
			for b.Loop() {
				i++
				next := l
				next.Instances = slices.Clone(l.Instances)
				for k := i % 100; k < n; k += 100 {
					at := &next.Instances[k]
					*at = move(model.Ledger{Instances: []model.Instance{*at}}, model.PhaseRunning, noon.Add(time.Duration(i)*time.Second)).Instances[0]
				}
				saved, changed, err := branch.Commit(b.Context(), l, next)
				require.NoError(b, err)
				require.True(b, changed)
				l = saved
			}
			b.ReportMetric((cpuTime(b)-before).Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

// cpuTime is what this process and the git programs that it has ended used.
func cpuTime(b *testing.B) time.Duration {
	var sum time.Duration
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var used unix.Rusage
		require.NoError(b, unix.Getrusage(who, &used))
		sum += time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	return sum
}

// liveHeap is how much memory is live, in bytes.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkLoad reads the ledger at a start, with nothing on disk and with what the
// process before has kept.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		remote, dir := gittest.NewBare(b), b.TempDir()
		start := func(o status.Options) *status.Branch {
			o.URL = remote.Dir
			branch, err := status.Open(b.Context(), o)
			require.NoError(b, err)
			return branch
		}
		branch := start(status.Options{Dir: dir, Keep: true})
		l, err := branch.Load(b.Context())
		require.NoError(b, err)
		_, _, err = branch.Commit(b.Context(), l, large(n))
		require.NoError(b, err)
		require.NoError(b, branch.Close())
		for name, o := range map[string]status.Options{"fetched": {Dir: b.TempDir()}, "kept": {Dir: dir, Keep: true}} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				before, empty := cpuTime(b), liveHeap()
				var most uint64
				for b.Loop() {
					branch := start(o)
					l, err := branch.Load(b.Context())
					require.NoError(b, err)
					require.Len(b, l.Instances, n)
					b.StopTimer()
					most = max(most, liveHeap()-empty)
					runtime.KeepAlive(l)
					b.StartTimer()
					require.NoError(b, branch.Close())
				}
				b.ReportMetric((cpuTime(b)-before).Seconds()/float64(b.N), "cpu-s/op")
				b.ReportMetric(float64(most)/float64(n), "live-B/app")
			})
		}
	}
}
