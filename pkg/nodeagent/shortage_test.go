//go:build linux

package nodeagent

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// smallHost is what a machine has at most on which a test may use all memory up.
const smallHost = 2 << 30

// memoryGroup makes a group of cgroup v2 that has memory.
func memoryGroup(t *testing.T, name string) string {
	cgrouptest.MemoryV2(t)
	return cgrouptest.Group(t, cgrouptest.Root, name, "cpu", "memory")
}

// hold is the process that has memory: of a file, or its own until so many bytes are free on the host.
func hold(t *testing.T) {
	if file := os.Getenv("NODEAGENT_TEST_FILE"); file != "" {
		f, err := os.Open(file)
		require.NoError(t, err)
		for buf := make([]byte, 1<<20); ; {
			if _, err := f.Read(buf); err != nil {
				break
			}
		}
		defer f.Close() // of a disk, what was read stays as long as somebody has it open
	}
	left, _ := strconv.ParseInt(os.Getenv("NODEAGENT_TEST_LEFT"), 10, 64)
	var held [][]byte
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for began := time.Now(); time.Since(began) < 5*time.Minute; <-look.C {
		if m, err := cgroup.ReadMachine(); err != nil || left == 0 || m.Free <= left {
			continue
		}
		page := make([]byte, 1<<20)
		for i := 0; i < len(page); i += 4096 {
			page[i] = 1
		}
		held = append(held, page)
	}
	_ = held
}

func holder(t *testing.T, dir string, env ...string) (stop func()) {
	cmd := cgrouptest.Command("exec '"+os.Args[0]+"' -test.run='^"+t.Name()+"$'", dir)
	cmd.Env = append(append(os.Environ(), "NODEAGENT_TEST_HOLD=1"), env...)
	require.NoError(t, cmd.Start())
	return func() { end(cmd) }
}

func end(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// The kernel takes back what a group has of a file, and says when there is less than was asked for.
func TestMemoryIsTakenBack(t *testing.T) {
	if os.Getenv("NODEAGENT_TEST_HOLD") != "" {
		hold(t)
		return
	}
	name := cgrouptest.Name(t)
	dir := memoryGroup(t, name+"/batch")
	file := filepath.Join(cgrouptest.OnDisk(t), "read")
	out, err := cgrouptest.Command("dd if=/dev/zero of=" + file + " bs=1M count=64 && sync").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.WriteFile("/proc/sys/vm/drop_caches", []byte("1"), 0))
	defer holder(t, dir, "NODEAGENT_TEST_FILE="+file)()
	has := func() int64 {
		n, err := strconv.ParseInt(cgrouptest.Read(t, dir, "memory.current"), 10, 64)
		require.NoError(t, err)
		return n
	}
	require.Eventually(t, func() bool { return has() > 64<<20 }, time.Minute, 10*time.Millisecond)
	tree, err := cgroup.Open(cgrouptest.Root)
	require.NoError(t, err)
	defer tree.Close()
	before := has()
	require.NoError(t, tree.Reclaim(name+"/batch", 32<<20))
	require.Less(t, has(), before-24<<20)
	require.ErrorContains(t, tree.Reclaim(name+"/batch", 1<<30), "resource temporarily unavailable")
	require.Error(t, tree.Reclaim(name+"/../batch", 4096))
}

// On a host that stays short of memory, what gives way is bounded, then the kernel is to take memory back from it, and after
// half a minute it is asked to end: in the report, until it has ended and there is memory again.
func TestMemoryStaysShort(t *testing.T) {
	if os.Getenv("NODEAGENT_TEST_HOLD") != "" {
		hold(t)
		return
	}
	m, err := cgroup.ReadMachine()
	require.NoError(t, err)
	if m.Free > smallHost {
		t.Skipf("%d MiB of memory are free: no test uses up so much of a machine", m.Free>>20)
	}
	n := &node{t: t, name: cgrouptest.Name(t), log: &syncBuffer{}}
	dir := memoryGroup(t, n.name+"/batch")
	n.cfg = Config{
		Plan: filepath.Join(t.TempDir(), "plan.yaml"), Root: cgrouptest.Root, StateDir: filepath.Join(t.TempDir(), "state"),
		Interval: time.Second, Log: slog.New(slog.NewTextHandler(n.log, nil)),
	}
	n.write(fmt.Sprintf(`apiVersion: d-aros.dev/v1alpha1
kind: NodePlan
profiles: [{name: batch, memory: {reclaim: true}}]
workloads: [{name: batch, cgroup: %s/batch, profile: batch, memory: {request: 16Mi}}]
`, n.name))
	stop := n.start()
	defer stop()
	ends := holder(t, dir, fmt.Sprintf("NODEAGENT_TEST_LEFT=%d", m.Free/50))
	evicted := func() string {
		r, _, err := ReadReport(n.cfg.StateDir)
		if err != nil || r.Evict == nil {
			return ""
		}
		return r.Evict.Workload
	}
	n.eventually("it is bounded", func() bool { return strings.Contains(n.log.String(), "file=memory.high") })
	n.eventually("memory is taken back", func() bool { return strings.Contains(n.log.String(), "memory taken back") })
	n.eventually("it is asked to end", func() bool { return evicted() == "batch" })
	require.Contains(t, n.log.String(), "a workload that gives way is to end")
	r, _, err := ReadReport(n.cfg.StateDir)
	require.NoError(t, err)
	require.Contains(t, qos.NewReport(r.Shortfalls()).Encode(), `{"workload":"batch","setting":"evict","reason":`, "the reconciler is told")
	ends()
	n.eventually("nobody is asked any more", func() bool { return evicted() == "" })
}
