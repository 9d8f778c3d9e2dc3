package main

import (
	"log/slog"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/reconcile"
)

// The shares of a container's memory never come to more than it has, however much each of them is used.
func TestSharesOfMemory(t *testing.T) {
	const mi = 1 << 20
	for _, c := range []struct {
		limit, status int64
		want          shares
	}{
		{0, 0, shares{status: 1024 * mi}},
		{0, 512 * mi, shares{status: 512 * mi}},
		{1024 * mi, 0, shares{status: 256 * mi, children: 384 * mi, own: 320 * mi}},
		{2048 * mi, 0, shares{status: 512 * mi, children: 640 * mi, own: 768 * mi}},
		{2048 * mi, 128 * mi, shares{status: 128 * mi, children: 640 * mi, own: 1152 * mi}},
		{16384 * mi, 0, shares{status: 1024 * mi, children: 5120 * mi, own: 9216 * mi}},
	} {
		require.Equal(t, c.want, divide(c.limit, c.status), "%+v", c)
	}
	for limit := int64(768 * mi); limit < 64<<30; limit += 77 * mi {
		s := divide(limit, 0)
		require.LessOrEqual(t, s.status, limit/4)
		require.GreaterOrEqual(t, s.own, int64(leastOwn))
		require.Equal(t, limit-limit/16, s.status+s.children+s.own)
	}
}

// The limit of the container is the least of its cgroup and those above it, wherever the host shows them.
func TestContainerMemory(t *testing.T) {
	const v1, none = "sys/fs/cgroup/memory", "9223372036854771712\n"
	for name, c := range map[string]struct {
		want  int64
		files []string
	}{
		"nothing is known":                 {0, nil},
		"v2, in a container":               {1 << 30, []string{"proc/self/cgroup", "0::/\n", "sys/fs/cgroup/memory.max", "1073741824\n"}},
		"v2, a service":                    {300, []string{"proc/self/cgroup", "0::/system.slice/d.service\n", "sys/fs/cgroup/system.slice/d.service/memory.max", "300\n", "sys/fs/cgroup/system.slice/memory.max", "max\n"}},
		"v2, a limit above":                {200, []string{"proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max", "300\n", "sys/fs/cgroup/a/memory.max", "200\n"}},
		"v2, no limit":                     {0, []string{"proc/self/cgroup", "0::/a\n", "sys/fs/cgroup/a/memory.max", "max\n"}},
		"v1, a path of the host":           {400, []string{"proc/self/cgroup", "4:cpu,memory:/docker/x\n0::/\n", v1 + "/memory.limit_in_bytes", "400\n"}},
		"v1, its own and no limit above":   {500, []string{"proc/self/cgroup", "8:pids:/\n4:memory:/a\n", v1 + "/a/memory.limit_in_bytes", "500\n", v1 + "/memory.limit_in_bytes", none}},
		"v1, no limit":                     {0, []string{"proc/self/cgroup", "4:memory:/\n", v1 + "/memory.limit_in_bytes", none}},
		"nonsense":                         {0, []string{"proc/self/cgroup", "4:memory\n::\n0::/../..\n", "sys/fs/cgroup/memory.max", "-1\n"}},
		"a path that leads out of cgroups": {0, []string{"proc/self/cgroup", "0::/../../etc\n", "etc/memory.max", "5\n"}},
	} {
		files := fstest.MapFS{}
		for i := 0; i < len(c.files); i += 2 {
			files[c.files[i]] = &fstest.MapFile{Data: []byte(c.files[i+1])}
		}
		require.Equal(t, c.want, containerMemory(files), name)
	}
}

// What is chosen counts; what is too little is said, and does not keep the program from running.
func TestMemoryFlags(t *testing.T) {
	var said strings.Builder
	log := slog.New(slog.NewTextHandler(&said, nil))
	for flags, message := range map[memoryFlags]string{
		{all: "lots"}:    `--memory "lots": use an amount from 1Mi on, such as 512Mi`,
		{status: "10Ki"}: `--status-memory "10Ki": use an amount from 1Mi on, such as 512Mi`,
	} {
		_, err := flags.shares(fstest.MapFS{}, log)
		require.EqualError(t, err, message)
	}
	require.Empty(t, said.String())
	s, err := (&memoryFlags{all: "512Mi"}).shares(fstest.MapFS{}, log)
	require.NoError(t, err)
	require.Equal(t, shares{status: 128 << 20, children: 384 << 20, own: leastOwn}, s)
	require.Contains(t, said.String(), "the memory is too little")
}

// The process keeps to its share and gathers little garbage, unless the environment of the Go runtime says otherwise.
func TestHoldMemory(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	defer func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) }()
	t.Setenv("GOGC", "100")
	shares{}.hold()
	require.Equal(t, 100, debug.SetGCPercent(100))
	require.EqualValues(t, math.MaxInt64, debug.SetMemoryLimit(-1), "there is no limit")

	t.Setenv("GOGC", "")
	shares{own: 1 << 40}.hold()
	require.Equal(t, reconcile.Garbage, debug.SetGCPercent(100))
	require.EqualValues(t, 1<<40, debug.SetMemoryLimit(-1))
	shares{own: 1 << 41}.hold()
	require.EqualValues(t, 1<<40, debug.SetMemoryLimit(-1), "a limit that there is stays")
}

// While little is live, the process keeps to half a GB; from then on to what is live and a fifth of it, up to its share.
func TestMemoryFollowsWhatIsLive(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct{ live, own, want int64 }{
		{10 * mib, 0, 352 * mib},
		{250 * mib, 0, 352 * mib},
		{350 * mib, 0, 420 * mib},
		{350 * mib, 768 * mib, 420 * mib},
		{800 * mib, 768 * mib, 768 * mib},
		{10 * mib, 128 * mib, 128 * mib},
	} {
		require.Equal(t, c.want, memoryFor(c.live, c.own), "%d live of %d", c.live/mib, c.own/mib)
	}
	heard, kept := make(chan int64, 1), make([]byte, 64*mib)
	end := afterCollections(func(live int64) {
		select {
		case heard <- live:
		default:
		}
	})
	defer end()
	for range 2 { // it goes on after the first
		require.Eventually(t, func() bool { // a collection may come before the next one is awaited
			runtime.GC()
			select {
			case live := <-heard:
				return live >= int64(len(kept))
			default:
				return false
			}
		}, time.Minute, 10*time.Millisecond, "nobody heard of a collection")
	}
	runtime.KeepAlive(kept)
}
