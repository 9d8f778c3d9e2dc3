//go:build linux

package nodeagent

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/cgrouptest"
)

// A workload that yields is bounded while somebody waits for the disk, has more again when nobody does, and no bound when
// the agent stops. On v1 each direction has a file.
func TestDisksAreYieldedOnV1(t *testing.T) {
	cgrouptest.V1(t, "blkio")
	testYield(t, cgrouptest.Root+"/blkio", "blkio.throttle.write_bps_device", regexp.MustCompile(`^\d+:\d+ (\d+)$`))
}

// The same on v2.
func TestDisksAreYieldedOnV2(t *testing.T) {
	if cgrouptest.V2(t, false) {
		testYield(t, cgrouptest.Unified(), "io.max", regexp.MustCompile(`^\d+:\d+ rbps=\d+ wbps=(\d+) riops=max wiops=max$`))
	}
}

func testYield(t *testing.T, hierarchy, file string, value *regexp.Regexp) {
	if testing.Short() {
		t.Skip("-short: writes to a disk for seconds")
	}
	disk := cgrouptest.OnDisk(t)
	n := &node{t: t, name: cgrouptest.Name(t), log: &syncBuffer{}}
	groups := func(name string) []string {
		if hierarchy == cgrouptest.Unified() {
			return []string{cgrouptest.Group(t, hierarchy, n.name+"/"+name, "io")}
		}
		return []string{cgrouptest.Group(t, hierarchy, n.name+"/"+name), cgrouptest.Group(t, cgrouptest.Unified(), n.name+"/"+name)}
	}
	db, batch := groups("db"), groups("batch")
	n.cfg = Config{
		Plan: filepath.Join(t.TempDir(), "plan.yaml"), Root: cgrouptest.Root, StateDir: filepath.Join(t.TempDir(), "state"),
		Interval: 200 * time.Millisecond, Log: slog.New(slog.NewTextHandler(n.log, nil)),
	}
	n.write(fmt.Sprintf(`apiVersion: d-aros.dev/v1alpha1
kind: NodePlan
profiles: [{name: batch, io: {yield: true}}, {name: disk, io: {weight: 200}}]
workloads:
- {name: db, cgroup: %[1]s/db, profile: disk, memory: {request: 1Mi}, reserved: {memory: 1Mi}}
- {name: batch, cgroup: %[1]s/batch, profile: batch}
`, n.name))
	run := func(script string, dirs []string) (stop func()) {
		cmd := cgrouptest.Command("ulimit -t 120; cd "+disk+"; "+script, dirs...)
		require.NoError(t, cmd.Start())
		stop = sync.OnceFunc(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		t.Cleanup(stop)
		return stop
	}
	run("while :; do dd if=/dev/zero of=written bs=1M count=16 conv=notrunc oflag=direct; done 2>/dev/null", batch)
	bound := func() int64 {
		found := value.FindStringSubmatch(cgrouptest.Read(t, batch[0], file))
		if found == nil {
			return 0
		}
		bytes, err := strconv.ParseInt(found[1], 10, 64)
		require.NoError(t, err)
		return bytes
	}
	out, err := cgrouptest.Command("dd if=/dev/zero of=" + disk + "/read bs=1M count=4 oflag=direct").CombinedOutput()
	require.NoError(t, err, "%s", out)
	stop := n.start()
	n.eventually("the agent follows the load", func() bool {
		_, _, err := ReadReport(n.cfg.StateDir)
		return err == nil
	})
	quiet := run("while :; do dd if=read of=/dev/null bs=4k iflag=direct; done 2>/dev/null", db)
	waits := time.Now()
	n.eventually("it is bounded", func() bool { return bound() > 0 })
	t.Logf("bounded %s after somebody else began to read", time.Since(waits).Round(10*time.Millisecond))
	quiet()
	n.eventually("the reason is said", func() bool { return strings.Contains(n.log.String(), "db waits for disks for") })
	least := int64(1 << 62)
	n.eventually("it has more again", func() bool {
		now := bound()
		least = min(least, now)
		return now == 0 || now > least
	})
	stop()
	require.Zero(t, bound())
}
