//go:build linux

package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// rig is an agent's view of the host: a tree and a journal kept in memory.
type rig struct {
	t       *testing.T
	tree    *Tree
	journal *Journal
	disk    []byte
	full    bool // the disk
	costs   []qos.DiskCost
}

func newRig(t *testing.T, root string) *rig {
	tree, err := Open(root)
	require.NoError(t, err)
	t.Cleanup(func() { _ = tree.Close() })
	r := &rig{t: t, tree: tree}
	r.restart()
	return r
}

// restart forgets everything but what is on disk.
func (r *rig) restart() {
	var err error
	r.journal, err = LoadJournal(r.disk, func(data []byte) error {
		if r.full {
			return errors.New("no space left on device")
		}
		r.disk = data
		return nil
	})
	require.NoError(r.t, err)
}

// plan makes a plan the whole way from its document.
func (r *rig) plan(workloads ...string) qos.Enforcement {
	doc := "apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nprofiles:\n- {name: heavy, cpu: {weight: 400}}\n- {name: light, cpu: {weight: 100}}\n- {name: slowed, memory: {high: 50}}\n- {name: slow, io: {read: 10Mi, write: 10Mi, latency: 20}, pids: {max: 3}}\n- {name: placed, cpu: {set: \"1\"}, hugepages: {2Mi: 4Mi}}\nworkloads:\n"
	for i, w := range workloads {
		doc += fmt.Sprintf("- {name: w%d, %s}\n", i, w)
	}
	plan, err := qos.Parse([]byte(doc))
	require.NoError(r.t, err)
	host, err := r.tree.Host(plan, r.journal)
	require.NoError(r.t, err)
	host.DiskCosts = r.costs
	return qos.Resolve(plan, host)
}

func (r *rig) apply(settings []qos.Setting) map[string]Outcome {
	outcomes, err := r.tree.Apply(settings, r.journal, false)
	require.NoError(r.t, err)
	return byKnob(outcomes)
}

func byKnob(outcomes []Outcome) map[string]Outcome {
	m := map[string]Outcome{}
	for _, o := range outcomes {
		m[o.Cgroup+"/"+o.File] = o
	}
	return m
}

func states(outcomes map[string]Outcome) map[State]int {
	n := map[State]int{}
	for _, o := range outcomes {
		n[o.State]++
	}
	return n
}

func TestV1(t *testing.T) {
	cgrouptest.V1(t, "cpu", "memory")
	name := cgrouptest.Name(t)
	cpu := cgrouptest.Root + "/cpu"
	capped := cgrouptest.Group(t, cpu, name+"/capped")
	cappedMemory := cgrouptest.Group(t, cgrouptest.Root+"/memory", name+"/capped")
	heavy, light := cgrouptest.Group(t, cpu, name+"/heavy"), cgrouptest.Group(t, cpu, name+"/light")
	cgrouptest.Group(t, cgrouptest.Root+"/memory", name+"/heavy")
	r := newRig(t, cgrouptest.Root)
	require.Equal(t, Hybrid, r.tree.Mode)
	workloads := []string{
		"cgroup: " + name + "/capped, profile: burstable, cpu: {request: 50m, limit: 50m}, memory: {request: 32Mi, limit: 64Mi}",
		"cgroup: " + name + "/heavy, profile: heavy", "cgroup: " + name + "/light, profile: light",
	}
	e := r.plan(workloads...)
	before := cgrouptest.Read(t, capped, "cpu.shares")
	got := r.apply(e.Settings)
	require.Equal(t, "5000", cgrouptest.Read(t, capped, "cpu.cfs_quota_us"))
	require.Equal(t, "5000", cgrouptest.Read(t, capped, "cpu.cfs_burst_us"))
	require.Equal(t, "67108864", cgrouptest.Read(t, cappedMemory, "memory.limit_in_bytes"))
	require.Zero(t, states(got)[Refused], "%v", got)

	t.Run("quota holds", func(t *testing.T) {
		used := cgrouptest.Burn(t, 1, capped)[0].Seconds()
		require.Less(t, used, 0.05*1.15+0.05, "5 ms of every 100 ms, and what one tick overruns")
		require.NotContains(t, cgrouptest.Read(t, capped, "cpu.stat"), "nr_throttled 0\n")
		t.Logf("used %.3f s of 1 s", used)
	})
	t.Run("weights share", func(t *testing.T) {
		if testing.Short() {
			t.Skip("-short measures no shares")
		}
		used := cgrouptest.Share(t, time.Second, heavy, light)
		ratio := used[0].Seconds() / used[1].Seconds()
		require.InDelta(t, 4, ratio, 1.2, "%v", used)
		t.Logf("%.2f : 1", ratio)
	})
	t.Run("memory is bounded", func(t *testing.T) {
		// tail keeps an endless line in memory; ulimit ends it if the group does not
		cmd := cgrouptest.Command("ulimit -v 600000; exec tail /dev/zero", cappedMemory)
		err := cmd.Run()
		require.Error(t, err)
		require.Equal(t, syscall.SIGKILL, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(), "%v", err)
		require.Equal(t, "67108864", cgrouptest.Read(t, cappedMemory, "memory.max_usage_in_bytes"))
	})
	t.Run("the same again writes nothing", func(t *testing.T) {
		disk := string(r.disk)
		again := r.apply(r.plan(workloads...).Settings)
		require.Equal(t, len(again), states(again)[InForce]+states(again)[Waiting], "%v", again)
		r.restart()
		again = r.apply(r.plan(workloads...).Settings)
		require.Equal(t, len(again), states(again)[InForce]+states(again)[Waiting], "%v", again)
		require.Equal(t, disk, string(r.disk))
	})
	t.Run("drift is repaired", func(t *testing.T) {
		cgrouptest.Write(t, capped, "cpu.cfs_burst_us", "0")
		cgrouptest.Write(t, capped, "cpu.cfs_quota_us", "-1")
		again := r.apply(e.Settings)
		require.True(t, again[name+"/capped/cpu.cfs_quota_us"].Drift)
		require.Equal(t, "-1", again[name+"/capped/cpu.cfs_quota_us"].From)
		require.Equal(t, "5000", cgrouptest.Read(t, capped, "cpu.cfs_quota_us"))
		require.Equal(t, "5000", cgrouptest.Read(t, capped, "cpu.cfs_burst_us"))
	})
	whole := t
	t.Run("a new group by the same name", func(t *testing.T) {
		require.NoError(t, os.Remove(light))
		cgrouptest.Group(whole, cpu, name+"/light")
		cgrouptest.Write(t, light, "cpu.shares", "77")
		again := r.apply(e.Settings)[name+"/light/cpu.shares"]
		require.Equal(t, Written, again.State)
		require.False(t, again.Drift, "nobody touched what was ours")
		original, _ := r.journal.original(name+"/light", "cpu.shares")
		require.Equal(t, "77", original)
	})
	t.Run("quota goes up and down past its burst", func(t *testing.T) {
		for _, limit := range []string{"900m", "100m", "2", "50m"} {
			w := strings.Replace(workloads[0], "limit: 50m", "limit: "+limit, 1)
			again := r.apply(r.plan(w).Settings)
			require.Zero(t, states(again)[Refused], "%v", again)
		}
		r.apply(e.Settings)
	})
	t.Run("what the plan drops goes back", func(t *testing.T) {
		again := r.apply(r.plan(workloads[1:]...).Settings)
		require.Equal(t, Restored, again[name+"/capped/cpu.cfs_quota_us"].State)
		require.Equal(t, "-1", cgrouptest.Read(t, capped, "cpu.cfs_quota_us"))
		require.Equal(t, "0", cgrouptest.Read(t, capped, "cpu.cfs_burst_us"))
		require.Equal(t, "9223372036854771712", cgrouptest.Read(t, cappedMemory, "memory.limit_in_bytes"))
		r.apply(e.Settings)
	})
	t.Run("a full disk stops writing", func(t *testing.T) {
		r.full = true
		_, err := r.tree.Apply(r.plan(strings.Replace(workloads[0], "limit: 50m", "limit: 300m", 1)).Settings, r.journal, false)
		require.ErrorContains(t, err, "save journal: no space left on device")
		require.Equal(t, "5000", cgrouptest.Read(t, capped, "cpu.cfs_quota_us"))
		r.full = false
	})
	t.Run("dry run", func(t *testing.T) {
		disk := string(r.disk)
		outcomes, err := r.tree.Apply(nil, r.journal, true)
		require.NoError(t, err)
		require.Equal(t, Planned, byKnob(outcomes)[name+"/capped/cpu.cfs_quota_us"].State)
		require.Equal(t, disk, string(r.disk))
		require.Equal(t, "5000", cgrouptest.Read(t, capped, "cpu.cfs_quota_us"))
	})
	t.Run("release gives everything back", func(t *testing.T) {
		r.restart()
		cgrouptest.Write(t, heavy, "cpu.shares", "3333")
		again := r.apply(nil)
		require.Equal(t, before, cgrouptest.Read(t, capped, "cpu.shares"))
		require.Equal(t, "77", cgrouptest.Read(t, light, "cpu.shares"))
		require.Equal(t, "-1", cgrouptest.Read(t, capped, "cpu.cfs_quota_us"))
		require.Equal(t, "3333", cgrouptest.Read(t, heavy, "cpu.shares"), "what others set since is theirs")
		require.Equal(t, Released, again[name+"/heavy/cpu.shares"].State)
		require.Zero(t, r.journal.Len())
	})
}

// A kubelet changes what it has set: the limit of a pod that is resized, the weight of a class with the pods in it. The agent keeps
// its own value, and gives back the one that the kubelet has set last. An ancestor has at least that, and no more for having had it.
func TestOthersChangeTheOriginal(t *testing.T) {
	cgrouptest.V1(t, "cpu")
	name := cgrouptest.Name(t)
	class := cgrouptest.Group(t, cgrouptest.Root+"/cpu", name+"/burstable")
	pod := cgrouptest.Group(t, cgrouptest.Root+"/cpu", name+"/burstable/pod")
	r := newRig(t, cgrouptest.Root)
	settings := []qos.Setting{
		{Cgroup: name + "/burstable", File: "cpu.shares", Value: "500", Floor: true},
		{Cgroup: name + "/burstable/pod", File: "cpu.cfs_quota_us", Value: "20000", Workload: "pod"},
	}
	for _, c := range []struct{ others, is string }{{"300", "500"}, {"800", "800"}, {"250", "500"}, {"100", "500"}} {
		quota := c.others + "00"
		cgrouptest.Write(t, class, "cpu.shares", c.others)
		cgrouptest.Write(t, pod, "cpu.cfs_quota_us", quota)
		r.apply(settings)
		require.Equal(t, c.is, cgrouptest.Read(t, class, "cpu.shares"), c.others)
		require.Equal(t, "20000", cgrouptest.Read(t, pod, "cpu.cfs_quota_us"))
		r.restart()
		r.apply(settings)
		require.Equal(t, c.is, cgrouptest.Read(t, class, "cpu.shares"), c.others)
		r.apply(nil)
		require.Equal(t, c.others, cgrouptest.Read(t, class, "cpu.shares"))
		require.Equal(t, quota, cgrouptest.Read(t, pod, "cpu.cfs_quota_us"))
		require.Zero(t, r.journal.Len())
		r.apply(settings)
	}
}

// A crash after the journal is saved, and after any write, loses no original: the next start makes what was to be, or
// gives everything back.
func TestCrashBetweenAnyTwoWrites(t *testing.T) {
	cgrouptest.V1(t, "cpu", "memory")
	name := cgrouptest.Name(t)
	files := map[string][]string{"cpu": {"cpu.shares", "cpu.cfs_quota_us", "cpu.cfs_burst_us"}, "memory": {"memory.limit_in_bytes"}}
	for hierarchy := range files {
		for _, group := range []string{"a", "b"} {
			cgrouptest.Group(t, cgrouptest.Root+"/"+hierarchy, name+"/"+group)
		}
	}
	values := func() (all []string) {
		for _, hierarchy := range []string{"cpu", "memory"} {
			for _, group := range []string{"", "/a", "/b"} {
				for _, file := range files[hierarchy] {
					all = append(all, cgrouptest.Read(t, filepath.Join(cgrouptest.Root, hierarchy, name)+group, file))
				}
			}
		}
		return all
	}
	r := newRig(t, cgrouptest.Root)
	original := values()
	limited := func(group, profile, cpu, memory string) string {
		return "cgroup: " + name + "/" + group + ", profile: " + profile + ", cpu: {request: 50m, limit: " + cpu + "}, memory: {request: 32Mi, limit: " + memory + "}"
	}
	before := r.plan(limited("a", "burstable", "300m", "64Mi")).Settings
	next := r.plan(limited("a", "burstable", "100m", "128Mi"), limited("b", "guaranteed-pro", "200m", "64Mi")).Settings
	writes := 1
	for crashAfter := 0; crashAfter <= writes; crashAfter++ {
		for _, goOn := range []bool{true, false} {
			r.apply(before)
			c := r.tree.compare(next, r.journal)
			qos.Order(c.changes)
			writes = len(c.changes)
			c.announce()
			require.NoError(t, r.journal.store())
			for _, change := range c.changes[:crashAfter] {
				_, err := c.writeOne(change)
				require.NoError(t, err, "%v", change)
			}
			c.close()
			r.restart()
			if goOn {
				r.apply(next)
				again := r.apply(next)
				require.Equal(t, len(again), states(again)[InForce], "after %d writes: %v", crashAfter, again)
			}
			r.apply(nil)
			require.Equal(t, original, values(), "after %d writes", crashAfter)
			require.Zero(t, r.journal.Len())
		}
	}
	require.GreaterOrEqual(t, writes, 4)
}

func TestAncestorsAreRaisedAndNeverLowered(t *testing.T) {
	cgrouptest.V1(t, "cpu")
	name := cgrouptest.Name(t)
	cgrouptest.Group(t, cgrouptest.Root+"/cpu", name+"/a")
	slice := filepath.Join(cgrouptest.Root, "cpu", name)
	r := newRig(t, cgrouptest.Root)
	at := func(value string) []qos.Setting {
		return []qos.Setting{{Cgroup: name, File: "cpu.shares", Value: value, Floor: true}}
	}
	r.apply(at("500"))
	require.Equal(t, "1024", cgrouptest.Read(t, slice, "cpu.shares"))
	r.apply(at("3000"))
	require.Equal(t, "3000", cgrouptest.Read(t, slice, "cpu.shares"))
	r.apply(at("2000"))
	require.Equal(t, "2000", cgrouptest.Read(t, slice, "cpu.shares"))
	cgrouptest.Write(t, slice, "cpu.shares", "5000") // whoever owns the ancestor needs more
	r.apply(at("2500"))
	require.Equal(t, "5000", cgrouptest.Read(t, slice, "cpu.shares"))
	r.apply(nil)
	require.Equal(t, "5000", cgrouptest.Read(t, slice, "cpu.shares"))
	require.Zero(t, r.journal.Len())
}

func TestHostilePaths(t *testing.T) {
	cgrouptest.V1(t, "cpu")
	name := cgrouptest.Name(t)
	dir := cgrouptest.Group(t, cgrouptest.Root+"/cpu", name+"/a")
	r := newRig(t, cgrouptest.Root)
	var settings []qos.Setting
	for _, path := range []string{"..", "../cpuset", "/sys/fs/cgroup/cpu/" + name, name + "/../" + name + "/a", "../../../../proc/self", ".", "", name + "/./a"} {
		settings = append(settings, qos.Setting{Cgroup: path, File: "cpu.shares", Value: "7"})
	}
	for _, file := range []string{"cgroup.procs", "tasks", "notify_on_release", "release_agent", "a/cpu.shares", "../cpu.shares", "cpu.stat"} {
		settings = append(settings, qos.Setting{Cgroup: name, File: file, Value: "7"})
	}
	got := r.apply(settings)
	require.Len(t, got, len(settings))
	require.Equal(t, len(settings), states(got)[Refused]+states(got)[Waiting], "%v", got)
	require.Equal(t, "1024", cgrouptest.Read(t, dir, "cpu.shares"))
	require.Zero(t, r.journal.Len())

	// A forged journal opens no way either.
	for key, e := range map[string]entry{"outside": {Cgroup: "../cpuset/x", File: "cpu.shares", Original: "7", Set: "1024"}, "file": {Cgroup: name + "/a", File: "cgroup.procs", Original: "1", Set: ""}} {
		r.journal.put(knob{e.Cgroup, e.File}, e)
		r.tree.calm.last = nil // as at a start
		require.Empty(t, r.apply(nil), key)
		require.Zero(t, r.journal.Len(), key)
	}
}

// No plan bounds the group of the agent, nor one around it; one beside it, whose name begins the same, it may. What is
// raised for others on the way to them is raised.
func TestOwnGroupIsOffLimits(t *testing.T) {
	name := os.Getenv("CGROUP_TEST_OWN")
	if name == "" {
		cgrouptest.V1(t, "cpu")
		name = cgrouptest.Name(t)
		dir := cgrouptest.Group(t, cgrouptest.Root+"/cpu", name+"/slice/agent")
		cgrouptest.Group(t, cgrouptest.Root+"/cpu", name+"/slice/agent2")
		cmd := cgrouptest.Command("exec '"+os.Args[0]+"' -test.run='^TestOwnGroupIsOffLimits$'", dir)
		cmd.Env = append(os.Environ(), "CGROUP_TEST_OWN="+name)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	tree, err := Open(cgrouptest.Root)
	require.NoError(t, err)
	defer tree.Close()
	j, err := LoadJournal(nil, func([]byte) error { return nil })
	require.NoError(t, err)
	for _, c := range []struct {
		group string
		floor bool
		want  State
	}{
		{"/slice/agent", false, Refused}, {"/slice", false, Refused}, {"", false, Refused},
		{"/slice/agent2", false, Planned}, {"/slice", true, Planned},
	} {
		outcomes, err := tree.Apply([]qos.Setting{{Cgroup: name + c.group, File: "cpu.shares", Value: "2048", Workload: "w", Floor: c.floor}}, j, true)
		require.NoError(t, err)
		require.Equal(t, c.want, outcomes[0].State, c.group)
		if c.want == Refused {
			require.Equal(t, "the agent itself runs in this group", outcomes[0].Reason)
		}
	}
}

func TestOpenRefusesWhatIsNoCgroup(t *testing.T) {
	_, err := Open(t.TempDir())
	require.ErrorContains(t, err, "no cgroup file system here or directly below")
}

func TestJournalOfAnotherBootIsForgotten(t *testing.T) {
	j, err := LoadJournal([]byte(`{"boot":"other","entries":[{"cgroup":"a","file":"cpu.shares","original":"7"}]}`), nil)
	require.NoError(t, err)
	require.Zero(t, j.Len())
	_, err = LoadJournal([]byte(`{`), nil)
	require.ErrorContains(t, err, "load journal")
}
