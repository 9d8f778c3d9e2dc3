//go:build linux

// Package cgrouptest gives tests real cgroups of their own and removes them
// again. It is for tests only. Where the host cannot provide what a test needs
// it skips the test with the reason, or fails it when QOS_REAL=require is set.
package cgrouptest

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Root is where the host mounts its cgroups.
const Root = "/sys/fs/cgroup"

const (
	lockFile  = "/run/qos-cgroup.lock" // shared with borrow-v2.sh
	insideEnv = "QOS_TEST_INSIDE"
)

// BorrowV2 is a script that runs a command while the cpu and io controllers of a host are in cgroup v2.
//
//go:embed borrow-v2.sh
var BorrowV2 string

// Skip skips the test with the reason why this host cannot run it, or fails it when QOS_REAL=require is set.
func Skip(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("QOS_REAL") == "require" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// V1 lets the test use the v1 hierarchies of the named controllers, alone on the machine.
func V1(t testing.TB, controllers ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		Skip(t, "cgroups need root")
	}
	lock, err := os.OpenFile(lockFile, os.O_CREATE|os.O_RDWR, 0o600)
	require.NoError(t, err)
	t.Cleanup(func() { _ = lock.Close() })
	require.NoError(t, unix.Flock(int(lock.Fd()), unix.LOCK_EX))
	removeStale(t)
	for _, c := range controllers {
		dir := filepath.Join(Root, c, name(t))
		probe := map[string]string{"cpu": "cpu.shares", "memory": "memory.limit_in_bytes", "pids": "pids.max", "blkio": "blkio.throttle.read_bps_device"}[c]
		err := os.Mkdir(dir, 0o755)
		if err == nil {
			_, err = os.Stat(filepath.Join(dir, probe))
			remove(t, dir)
		}
		if err != nil {
			Skip(t, "cgroup v1 %s: %s", c, err)
		}
	}
}

// V2 runs the rest of the test in a process for which the cpu and io
// controllers are in cgroup v2, and returns false in the process that only
// waited for it. With view, that process sees a pure v2 host at [Root].
func V2(t *testing.T, view bool) (inside bool) {
	t.Helper()
	if os.Getenv(insideEnv) == t.Name() {
		return true
	}
	if os.Geteuid() != 0 {
		Skip(t, "cgroups need root")
	}
	if Unified() == Root { // there is nothing to borrow
		return true
	}
	script := filepath.Join(t.TempDir(), "borrow-v2.sh")
	require.NoError(t, os.WriteFile(script, []byte(BorrowV2), 0o700))
	args := []string{script, "with"}
	if view {
		args = append(args, "unshare", "-m", "--propagation", "private", "sh", "-c", `mount -t cgroup2 none `+Root+` && exec "$@"`, "sh")
	}
	args = append(args, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=5m", fmt.Sprintf("-test.short=%t", testing.Short()))
	cmd := exec.Command("bash", args...)
	cmd.Env = append(os.Environ(), insideEnv+"="+t.Name())
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 77 {
		Skip(t, "cgroup v2 controllers: %s", strings.TrimSpace(string(out)))
	}
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
	return false
}

// MemoryV2 skips the test where memory is no controller of cgroup v2 at [Root], with what the kernel says, also with
// QOS_REAL=require: a host has memory in v1 or in v2, and few have it in v2.
func MemoryV2(t testing.TB) {
	t.Helper()
	controllers, err := os.ReadFile(filepath.Join(Root, "cgroup.controllers"))
	switch {
	case err != nil:
		t.Skipf("there is no cgroup v2 where this test needs it: %v", err)
	case !slices.Contains(strings.Fields(string(controllers)), "memory"):
		t.Skipf("cgroup v2 has no memory here, only %q", strings.TrimSpace(string(controllers)))
	}
}

// Unified returns the v2 directory of the host inside [V2].
func Unified() string {
	if _, err := os.Stat(filepath.Join(Root, "cgroup.controllers")); err == nil {
		return Root
	}
	return filepath.Join(Root, "unified")
}

// Name returns the group below which the test keeps its groups.
func Name(t testing.TB) string { return name(t) }

func name(t testing.TB) string {
	return fmt.Sprintf("qos-test-%d-%s", os.Getpid(), strings.ToLower(strings.NewReplacer("/", "-", "#", "-").Replace(t.Name())))
}

// Group makes the group path below hierarchy, with its ancestors, and removes
// both at the end with all processes in them. On v2 the ancestors hand the
// controllers down.
func Group(t testing.TB, hierarchy, path string, controllers ...string) string {
	t.Helper()
	dir := hierarchy
	for part := range strings.SplitSeq(path, "/") {
		for _, c := range controllers {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte("+"+c), 0))
		}
		dir = filepath.Join(dir, part)
		made := dir
		switch err := os.Mkdir(made, 0o755); {
		case err == nil:
			t.Cleanup(func() { remove(t, made) })
		case !errors.Is(err, fs.ErrExist):
			require.NoError(t, err)
		}
	}
	return dir
}

// Remove ends what still runs in a group and removes it. It is for groups that others than
// [Group] made.
func Remove(t testing.TB, dir string) {
	t.Helper()
	remove(t, dir)
}

// remove ends what still runs in a group and in those below it and removes them; a group dies some
// milliseconds after its last process. It is for cleanups, so it lets the test go on: one that ends in a cleanup ends without
// a word about it.
func remove(t testing.TB, dir string) {
	assert.Eventually(t, func() bool {
		for _, group := range slices.Backward(groupsIn(dir)) {
			procs, _ := os.ReadFile(filepath.Join(group, "cgroup.procs"))
			for pid := range strings.FieldsSeq(string(procs)) {
				if n, err := strconv.Atoi(pid); err == nil {
					_ = syscall.Kill(n, syscall.SIGKILL)
				}
			}
			_ = os.Remove(group)
		}
		_, err := os.Lstat(dir)
		return errors.Is(err, fs.ErrNotExist)
	}, time.Minute, 10*time.Millisecond, "remove %s", dir)
}

// groupsIn lists a group and those below it, each before what is below it.
func groupsIn(dir string) (groups []string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			groups = append(groups, path)
		}
		return nil
	})
	return groups
}

// removeStale removes what killed test runs left: under the lock nobody else's
// groups are in use.
func removeStale(t testing.TB) {
	tops, err := filepath.Glob(Root + "/*/qos-test-*")
	require.NoError(t, err)
	for _, top := range tops {
		remove(t, top)
	}
}

// Read returns the trimmed content of a file of a group.
func Read(t testing.TB, dir, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, file))
	require.NoError(t, err)
	return strings.TrimSpace(string(data))
}

// Write writes a file of a group, as anybody else on the host might.
func Write(t testing.TB, dir, file, value string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(value), 0))
}

// Command returns a shell command that runs in the given groups from its first moment.
func Command(script string, dirs ...string) *exec.Cmd {
	join := ""
	for _, dir := range dirs {
		join += "echo $$ > '" + dir + "/cgroup.procs' || exit 99\n"
	}
	return exec.Command("sh", "-c", join+script)
}

// StartBurn keeps the first processor busy for a while from inside a group.
func StartBurn(t testing.TB, seconds int, dir string) *exec.Cmd {
	t.Helper()
	cmd := Command(fmt.Sprintf("exec taskset -c 0 timeout %d sh -c 'while :; do :; done'", seconds), dir)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() }) // a second time where the test waited itself
	return cmd
}

// Burn lets all groups burn on the same processor at the same time and returns
// the processor time each got.
func Burn(t testing.TB, seconds int, dirs ...string) []time.Duration {
	t.Helper()
	cmds := make([]*exec.Cmd, len(dirs))
	for i, dir := range dirs {
		cmds[i] = StartBurn(t, seconds, dir)
	}
	got := make([]time.Duration, len(dirs))
	for i, cmd := range cmds {
		err := cmd.Wait()
		status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus) // as coreutils' timeout ends, or busybox' one
		require.True(t, cmd.ProcessState.ExitCode() == 124 || status.Signal() == syscall.SIGTERM, "timeout ends the burner: %v", err)
		got[i] = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return got
}

// Share lets all groups burn on the same processor until they have used so much of it
// together, and returns what each used meanwhile. It counts while all of them burn, so a
// busy machine, which starts one later than another, changes no share.
func Share(t testing.TB, work time.Duration, dirs ...string) []time.Duration {
	t.Helper()
	pids := make([]int, len(dirs))
	for i, dir := range dirs {
		cmd := Command("ulimit -t 120; exec taskset -c 0 sh -c 'while :; do :; done'", dir) // the limit ends it if the test cannot
		require.NoError(t, cmd.Start())
		defer func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}()
		pids[i] = cmd.Process.Pid
	}
	used := func(i int) time.Duration {
		var clock unix.Timespec
		require.NoError(t, unix.ClockGettime(int32(^pids[i]<<3|2), &clock)) // the CPU-time clock of the process: clock_getcpuclockid(3)
		return time.Duration(clock.Nano())
	}
	began := make([]time.Duration, len(dirs))
	for i := range dirs {
		require.Eventually(t, func() bool { began[i] = used(i); return began[i] > 50*time.Millisecond }, 2*time.Minute, time.Millisecond)
	}
	for i := range dirs {
		began[i] = used(i)
	}
	got := make([]time.Duration, len(dirs))
	require.Eventually(t, func() bool {
		sum := time.Duration(0)
		for i := range dirs {
			got[i] = used(i) - began[i]
			sum += got[i]
		}
		return sum >= work
	}, 2*time.Minute, 10*time.Millisecond)
	return got
}
