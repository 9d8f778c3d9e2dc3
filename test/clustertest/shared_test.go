package clustertest

import (
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// Two joins in one process hold locks of their own, just as two processes do.

func TestUsersShareOneInstance(t *testing.T) {
	s := sharedForTest(t)
	users := joinTogether(t, s, 4)
	first := s.pid(t)
	require.Equal(t, 1, strings.Count(s.log(), "READY"))

	for _, user := range users[1:] {
		require.NoError(t, user.Close())
	}
	later := joinTogether(t, s, 1)
	require.Equal(t, first, s.pid(t), "a cluster that is used goes on")

	require.NoError(t, users[0].Close())
	require.NoError(t, later[0].Close())
	require.Eventually(t, func() bool { return !s.runs(t) }, limit, tick, "a cluster that is not used ends")
	require.NoFileExists(t, s.kubeconfig())
	require.Contains(t, s.log(), "unused")

	again := joinTogether(t, s, 1)
	require.NotEqual(t, first, s.pid(t))
	require.NoError(t, again[0].Close())
}

func TestJoinReplacesKilledInstance(t *testing.T) {
	s := sharedForTest(t)
	users := joinTogether(t, s, 1)
	killed := s.pid(t)
	require.NoError(t, syscall.Kill(killed, syscall.SIGKILL))
	require.Eventually(t, func() bool { return !s.runs(t) }, limit, tick)
	require.FileExists(t, s.kubeconfig(), "the killed one could not remove it")

	users = append(users, joinTogether(t, s, 1)...)
	require.NotEqual(t, killed, s.pid(t))
	for _, user := range users {
		require.NoError(t, user.Close())
	}
}

func TestJoinReportsWhyStartFailed(t *testing.T) {
	s := sharedForTest(t)
	s.flags = []string{"--pools=Wrong=1"}
	_, err := s.join(t.Context(), io.Discard)
	require.ErrorContains(t, err, `pool name "Wrong"`)
}

func sharedForTest(t *testing.T) *shared {
	t.Helper()
	if testing.Short() {
		t.Skip("-short starts no cluster")
	}
	if os.Getenv(SkipVariable) == "1" {
		t.Skipf("%s=1", SkipVariable)
	}
	binary, err := Build(t.Context(), os.Stderr)
	require.NoError(t, err)
	s, err := newShared(t.TempDir(), binary)
	require.NoError(t, err)
	s.flags = []string{"--nodes=1", "--unused-for=1s"}
	t.Cleanup(func() { // the directory cannot be removed before its cluster has ended
		require.Eventually(t, func() bool { return !s.runs(t) }, limit, tick)
	})
	return s
}

func joinTogether(t *testing.T, s *shared, n int) []io.Closer {
	t.Helper()
	users := make([]io.Closer, n)
	var group errgroup.Group
	for i := range n {
		group.Go(func() (err error) {
			users[i], err = s.join(t.Context(), io.Discard)
			return err
		})
	}
	err := group.Wait()
	t.Cleanup(func() {
		for _, user := range users {
			if user != nil {
				user.Close() // again, after a test that got this far
			}
		}
	})
	require.NoError(t, err)
	c, err := connect(s.kubeconfig())
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := c.Clientset.Discovery().ServerVersion()
		return err == nil
	}, 10*time.Second, tick)
	return users
}

// pid returns the process that runs the cluster.
func (s *shared) pid(t *testing.T) int {
	t.Helper()
	content, err := os.ReadFile(s.path("data", "lock"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	require.NoError(t, err)
	return pid
}

func (s *shared) runs(t *testing.T) bool {
	t.Helper()
	running, err := s.isRunning()
	require.NoError(t, err)
	return running
}
