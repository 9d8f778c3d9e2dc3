//go:build linux

package cgroup

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/test/cgrouptest"
	"github.com/d-aros/d-aros/test/guest"
)

// Memory of cgroup v2, in a machine that has it, and what else needs no borrowing there. TestV2 is not for it: an emulated processor
// keeps no quota to a hundredth.
func TestInGuest(t *testing.T) {
	guest.Tests(t, "TestMemoryIsProtected", "TestProtectionOfAGroupAround", "TestMemoryIsSlowedDown",
		"TestDisksV2", "TestWeightsOfDisks", "TestProcessorSetV2", "TestControllerThatDoesNotReachTheGroup", "TestModeAgreesWithContainerd")
}

const mib = 1 << 20

// pressed is a group that has room for 128 MiB, with groups in it whose processes have read files, and one that wants 64 MiB.
type pressed struct {
	t         *testing.T
	name, dir string
	files     string
}

func newPressed(t *testing.T) *pressed {
	cgrouptest.MemoryV2(t)
	p := &pressed{t: t, name: cgrouptest.Name(t), files: cgrouptest.OnDisk(t)}
	p.dir = cgrouptest.Group(t, cgrouptest.Root, p.name, "memory")
	cgrouptest.Write(t, p.dir, "memory.max", strconv.Itoa(128*mib))
	return p
}

// run runs a command in a group until the end of the test, and returns when it has done its work.
func (p *pressed) run(group, work string) {
	done := filepath.Join(p.t.TempDir(), "done")
	cmd := cgrouptest.Command(work+" && touch '"+done+"' && exec sleep 600", cgrouptest.Group(p.t, cgrouptest.Root, p.name+"/"+group, "memory"))
	require.NoError(p.t, cmd.Start())
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	require.Eventually(p.t, func() bool { _, err := os.Stat(done); return err == nil }, 2*time.Minute, 10*time.Millisecond, "%s: %s", group, work)
}

// read has a process of a group read so many MiB, of which nothing is in memory.
func (p *pressed) read(group string, size int) {
	file := filepath.Join(p.files, strings.ReplaceAll(group, "/", "-"))
	out, err := cgrouptest.Command(fmt.Sprintf("dd if=/dev/zero of='%s' bs=1M count=%d oflag=direct", file, size)).CombinedOutput()
	require.NoError(p.t, err, "%s", out)
	p.run(group, fmt.Sprintf("dd if='%s' of=/dev/null bs=1M 2>/dev/null", file))
}

// press has a process take 64 MiB that nobody can take back.
func (p *pressed) press() {
	file := filepath.Join("/dev/shm", p.name)
	p.t.Cleanup(func() { _ = os.Remove(file) })
	p.run("hog", fmt.Sprintf("dd if=/dev/zero of='%s' bs=1M count=64 2>/dev/null", file))
}

func (p *pressed) has(group string) float64 {
	n, err := strconv.Atoi(cgrouptest.Read(p.t, filepath.Join(p.dir, group), "memory.current"))
	require.NoError(p.t, err)
	return float64(n) / mib
}

func (p *pressed) group(group string) {
	cgrouptest.Group(p.t, cgrouptest.Root, p.name+"/"+group, "memory")
}

// recursive mounts cgroups so that protection passes to children, or not.
func recursive(t *testing.T, on bool) {
	option := map[bool]string{true: "memory_recursiveprot", false: "nsdelegate"}[on] // what is not named goes
	out, err := cgrouptest.Command("mount -o remount," + option + " none " + cgrouptest.Root).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// What is reserved stays under pressure, in a group within another one, whether protection passes to children or not.
// Without a plan it goes, and with one it goes when the group around has no protection.
func TestMemoryIsProtected(t *testing.T) {
	cgrouptest.MemoryV2(t)
	for _, c := range []struct {
		name                     string
		recursive, plan, opening bool
	}{
		{name: "without a plan"},
		{name: "a plan", plan: true},
		{name: "a plan and recursive", plan: true, recursive: true},
		{name: "a plan and nothing for the group around", plan: true, opening: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			recursive(t, c.recursive)
			p := newPressed(t)
			for _, group := range []string{"tenant/least", "tenant/low", "free"} {
				p.group(group)
			}
			r := newRig(t, cgrouptest.Root)
			require.Equal(t, c.recursive, r.tree.Recursive)
			if c.plan {
				got := r.apply(r.plan(
					"cgroup: "+p.name+"/tenant/least, profile: guaranteed-pro, memory: {request: 32Mi}",
					"cgroup: "+p.name+"/tenant/low, profile: guaranteed, memory: {request: 20Mi}",
					"cgroup: "+p.name+"/free, profile: best-effort",
				).Settings)
				require.Zero(t, states(got)[Refused], "%v", got)
				require.Equal(t, strconv.Itoa(32*mib), cgrouptest.Read(t, p.dir+"/tenant", "memory.min"))
				require.Equal(t, strconv.Itoa(52*mib), cgrouptest.Read(t, p.dir+"/tenant", "memory.low"))
			}
			p.read("tenant/least", 36)
			p.read("tenant/low", 20)
			p.read("free", 36)
			if c.opening {
				cgrouptest.Write(t, p.dir+"/tenant", "memory.min", "0")
				cgrouptest.Write(t, p.dir+"/tenant", "memory.low", "0")
			}
			p.press()
			least, low, free := p.has("tenant/least"), p.has("tenant/low"), p.has("free")
			t.Logf("of 36 MiB, 32 reserved: %.1f; of 20, all requested: %.1f; of 36: %.1f", least, low, free)
			if c.plan && !c.opening {
				require.GreaterOrEqual(t, least, 0.98*32)
				require.GreaterOrEqual(t, low, 0.9*20)
				require.Less(t, free, 18.0)
			} else {
				require.Less(t, least, 0.95*32)
			}
		})
	}
}

// The memory of a workload whose processes are in groups within its own is protected where protection passes to them. Where
// it does not, the plan says so.
func TestProtectionOfAGroupAround(t *testing.T) {
	cgrouptest.MemoryV2(t)
	for _, on := range []bool{true, false} {
		t.Run(map[bool]string{true: "recursive", false: "not recursive"}[on], func(t *testing.T) {
			recursive(t, on)
			p := newPressed(t)
			p.group("pod/main")
			p.group("free")
			r := newRig(t, cgrouptest.Root)
			e := r.plan("cgroup: " + p.name + "/pod, profile: guaranteed-pro, memory: {request: 32Mi}")
			require.Zero(t, states(r.apply(e.Settings))[Refused])
			var said []string
			for _, d := range e.Degradations {
				if d.Promise == qos.ReservedMemory || d.Promise == "memory.min" {
					said = append(said, d.Reason)
				}
			}
			p.read("pod/main", 36)
			p.read("free", 50)
			p.press()
			has := p.has("pod")
			t.Logf("of 36 MiB, 32 reserved: %.1f; degradations %q", has, said)
			if on {
				require.GreaterOrEqual(t, has, 0.98*32)
				require.Empty(t, said)
			} else {
				require.Less(t, has, 0.95*32)
				require.Len(t, said, 1)
			}
		})
	}
}

// A workload is slowed down where its profile says so, and goes on.
func TestMemoryIsSlowedDown(t *testing.T) {
	p := newPressed(t)
	p.group("slow")
	r := newRig(t, cgrouptest.Root)
	e := r.plan("cgroup: " + p.name + "/slow, profile: slowed, memory: {request: 16Mi, limit: 48Mi}")
	require.Zero(t, states(r.apply(e.Settings))[Refused])
	require.Equal(t, strconv.Itoa(32*mib), cgrouptest.Read(t, p.dir+"/slow", "memory.high"))
	p.read("slow", 64)
	require.LessOrEqual(t, p.has("slow"), 34.0)
	require.NotContains(t, cgrouptest.Read(t, p.dir+"/slow", "memory.events"), "high 0\n")
	require.Contains(t, cgrouptest.Read(t, p.dir+"/slow", "memory.events"), "oom_kill 0")
}
