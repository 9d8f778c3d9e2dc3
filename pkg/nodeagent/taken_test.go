//go:build linux

package nodeagent

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// Somebody else bounds a workload to four fifths of what is reserved for it, so that it waits for what it had, while another one has
// more: a broken promise, with who has it. When the bound is gone, the promise holds again.
func TestMemoryIsTakenByOthers(t *testing.T) {
	const size = 48 << 20
	cgrouptest.MemoryV2(t)
	name := cgrouptest.Name(t)
	n := &node{t: t, name: name, log: &syncBuffer{}}
	n.cfg = Config{
		Plan: filepath.Join(t.TempDir(), "plan.yaml"), Root: cgrouptest.Root, StateDir: filepath.Join(t.TempDir(), "state"),
		Interval: time.Second, Log: slog.New(slog.NewTextHandler(n.log, nil)),
	}
	db := cgrouptest.Group(t, cgrouptest.Root, name+"/db", "cpu", "memory", "io")
	batch := cgrouptest.Group(t, cgrouptest.Root, name+"/batch", "cpu", "memory", "io")
	file := filepath.Join(cgrouptest.OnDisk(t), "table")
	out, err := cgrouptest.Command(fmt.Sprintf("dd if=/dev/zero of='%s' bs=1M count=%d oflag=direct", file, size>>20)).CombinedOutput()
	require.NoError(t, err, "%s", out)

	shared := "/dev/shm/" + name
	holds := cgrouptest.Command(fmt.Sprintf("dd if=/dev/zero of='%s' bs=1M count=72 && exec sleep 600", shared), batch)
	require.NoError(t, holds.Start())
	t.Cleanup(func() {
		end(holds)
		_ = os.Remove(shared)
	})
	reads := cgrouptest.Command(fmt.Sprintf("exec 9<'%[1]s'; while :; do cat '%[1]s' >/dev/null; done", file), db)
	require.NoError(t, reads.Start())
	t.Cleanup(func() { end(reads) })

	n.write(fmt.Sprintf("apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nworkloads:\n"+
		"- {name: db, cgroup: %[1]s/db, profile: guaranteed-pro, memory: {request: %[2]d}}\n- {name: batch, cgroup: %[1]s/batch, profile: best-effort}\n", name, size))
	stop := n.start()
	defer stop()
	has := func(dir string) bool {
		bytes, err := strconv.Atoi(cgrouptest.Read(t, dir, "memory.current"))
		return err == nil && bytes >= size
	}
	n.eventually("both have their memory", func() bool { return has(db) && has(batch) })
	n.eventually("the kernel sees that it reads the same again", func() bool { return active(t, db) >= size/2 })
	var st unix.Stat_t
	require.NoError(t, unix.Stat(file, &st))
	cgrouptest.Write(t, db, "io.max", fmt.Sprintf("%d:%d rbps=%d", unix.Major(st.Dev), unix.Minor(st.Dev), 4<<20)) // a disk that takes its time
	// The kernel counts a wait for a page that the group needed until now. It forgets pages that went longer ago than the group has memory
	// for: with a third of it, no wait counts after the first second.
	cgrouptest.Write(t, db, "memory.max", strconv.Itoa(size/5*4))
	defer func() { t.Log(cgrouptest.Read(t, db, "memory.pressure")) }()
	n.eventually("a broken promise", func() bool { return strings.Contains(n.log.String(), "broken-promise") })
	var report Report
	n.eventually("it is in the report", func() bool {
		report, _, err = ReadReport(n.cfg.StateDir)
		return err == nil && len(report.Broken) == 1
	})
	b := report.Broken[0]
	t.Logf("got %s of %s, taken by %v", b.Format(b.Got), b.Format(b.Reserved), b.By)
	require.Equal(t, []any{"db", qos.ReservedMemory, int64(size)}, []any{b.Workload, b.Promise, b.Reserved})
	require.Less(t, b.Got, int64(size/100*95))
	require.Equal(t, "batch", b.By[0].Who)
	require.False(t, report.Holds())
	require.Contains(t, qos.NewReport(report.Shortfalls()).Encode(), `{"workload":"db","resource":"memory"`, "the reconciler is told")

	cgrouptest.Write(t, db, "memory.max", "max")
	n.eventually("the promise holds again", func() bool { return strings.Contains(n.log.String(), "promise holds again") })
}

// active is how much of files a group has that it has used more than once.
func active(t *testing.T, dir string) (bytes int64) {
	_, after, _ := strings.Cut(cgrouptest.Read(t, dir, "memory.stat"), "\nactive_file ")
	_, err := fmt.Sscan(after, &bytes)
	require.NoError(t, err)
	return bytes
}
