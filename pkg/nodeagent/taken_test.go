//go:build linux

package nodeagent

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// A workload that reads more than the group around it leaves room for waits for memory and has less than what is reserved for
// it, while another one has more: a broken promise, with who took it. When the other one has ended, the promise holds again.
func TestMemoryIsTakenByOthers(t *testing.T) {
	const size = 48 << 20
	cgrouptest.MemoryV2(t)
	name := cgrouptest.Name(t)
	n := &node{t: t, name: name, log: &syncBuffer{}}
	n.cfg = Config{
		Plan: filepath.Join(t.TempDir(), "plan.yaml"), Root: cgrouptest.Root, StateDir: filepath.Join(t.TempDir(), "state"),
		Interval: time.Second, Log: slog.New(slog.NewTextHandler(n.log, nil)),
	}
	around := cgrouptest.Group(t, cgrouptest.Root, name, "cpu", "memory")
	db := cgrouptest.Group(t, cgrouptest.Root, name+"/db", "cpu", "memory")
	batch := cgrouptest.Group(t, cgrouptest.Root, name+"/batch", "cpu", "memory")
	cgrouptest.Write(t, around, "memory.max", strconv.Itoa(96<<20))
	file := filepath.Join(cgrouptest.OnDisk(t), "table")
	out, err := cgrouptest.Command(fmt.Sprintf("dd if=/dev/zero of='%s' bs=1M count=%d oflag=direct", file, size>>20)).CombinedOutput()
	require.NoError(t, err, "%s", out)

	// What nobody can take back leaves 24 MiB.
	shared := "/dev/shm/" + name
	hog := cgrouptest.Command(fmt.Sprintf("dd if=/dev/zero of='%s' bs=1M count=72 && exec sleep 600", shared), batch)
	require.NoError(t, hog.Start())
	release := func() {
		end(hog)
		out, err := cgrouptest.Command("rm -f '" + shared + "'").CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	t.Cleanup(release)
	n.eventually("it has its memory", func() bool {
		has, err := strconv.Atoi(cgrouptest.Read(t, batch, "memory.current"))
		return err == nil && has >= 72<<20
	})
	reads := cgrouptest.Command(fmt.Sprintf("exec 9<'%[1]s'; while :; do cat '%[1]s' >/dev/null; done", file), db)
	require.NoError(t, reads.Start())
	t.Cleanup(func() { end(reads) })

	n.write(fmt.Sprintf("apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nworkloads:\n"+
		"- {name: db, cgroup: %[1]s/db, profile: guaranteed-pro, memory: {request: %[2]d}}\n- {name: batch, cgroup: %[1]s/batch, profile: best-effort}\n", name, size))
	stop := n.start()
	defer stop()
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

	release()
	n.eventually("the promise holds again", func() bool { return strings.Contains(n.log.String(), "promise holds again") })
}
