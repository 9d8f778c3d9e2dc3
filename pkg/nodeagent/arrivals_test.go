//go:build linux

package nodeagent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/cgrouptest"
)

// A group has its values when it comes, although the next tick is an hour away: also in a group around
// it that comes with it, and after it was removed and made again.
func TestGroupThatComesBeginsATurn(t *testing.T) {
	n := newNode(t)
	require.NoError(t, os.Remove(n.dir))
	n.name = filepath.Dir(n.name) + "/around/inner/web"
	n.write(n.document("200m"))
	n.cfg.Interval = time.Hour
	n.start()
	n.eventually("waiting is said", func() bool { return strings.Contains(n.log.String(), "waiting for the cgroup") })
	for range 2 {
		n.dir = cgrouptest.Group(t, cgrouptest.Root+"/cpu", n.name)
		n.eventuallyQuota("20000")
		for dir := n.dir; filepath.Base(dir) != "around"; dir = filepath.Dir(dir) {
			require.NoError(t, os.Remove(dir))
		}
		require.NoError(t, os.Remove(filepath.Dir(filepath.Dir(n.dir))))
	}
}

// So it is with pods, whose groups lie in groups that come with them, and whose links come after them.
func TestPodThatComesBeginsATurn(t *testing.T) {
	n := newKubernetesNode(t)
	n.cfg.Interval = time.Hour
	n.write(fmt.Sprintf(podPlan, "200m"))
	n.start()
	n.eventually("the plan is in force", func() bool { return strings.Contains(n.log.String(), "plan in force") })
	for i, uid := range []string{podUID, strings.Replace(podUID, "0", "2", 1)} {
		db := n.kubelet("acme", fmt.Sprintf("shop-db-%d", i), uid, "db", fmt.Sprint(i+1))
		n.eventually("the pod has its quota", func() bool { return cgrouptest.Read(t, db, "cpu.cfs_quota_us") == "20000" })
	}
}

// Groups that come and go all the time begin two turns in a second, and files that are written none.
func TestArrivalsAreGathered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events, wake := make(chan fsnotify.Event), make(chan struct{}, 1)
		go gather(events, nil, nil, wake)
		turns := 0
		often, enough := time.NewTicker(2*time.Millisecond), time.After(10*time.Second)
		for often != nil {
			select {
			case <-often.C:
				events <- fsnotify.Event{Name: "a", Op: fsnotify.Create}
			case <-wake:
				turns++
			case <-enough:
				often.Stop()
				often = nil
			}
		}
		require.InDelta(t, 20, turns, 1)
		<-wake // the last one is not forgotten
		events <- fsnotify.Event{Name: "a", Op: fsnotify.Write}
		select {
		case <-wake:
			t.Error("a file that is written begins a turn")
		case <-time.After(time.Minute):
			require.Empty(t, wake)
		}
		began := time.Now()
		events <- fsnotify.Event{Name: "a", Op: fsnotify.Remove}
		<-wake
		require.Equal(t, gathering, time.Since(began), "after a quiet time")
		close(events)
	})
}

// Directories that nobody looks in any more are not watched, and of too many some are. A turn is asked
// for only by those that are new.
func TestWatchesAreBounded(t *testing.T) {
	var none arrivals
	none.watch([]string{"/"}) // without watches: nothing
	w, err := fsnotify.NewWatcher()
	require.NoError(t, err)
	defer w.Close()
	log := &syncBuffer{}
	a := arrivals{watcher: w, told: make(chan struct{}, 1), log: logTo(log)}
	dir := t.TempDir()
	var many []string
	for i := range mostWatches + 5 {
		many = append(many, filepath.Join(dir, fmt.Sprint(i)))
		require.NoError(t, os.Mkdir(many[i], 0o700))
	}
	a.watch(many)
	require.Len(t, w.WatchList(), mostWatches)
	<-a.told
	a.watch(many)
	require.Empty(t, a.told)
	require.Equal(t, 1, strings.Count(log.String(), "too many directories"))
	a.watch([]string{many[0], filepath.Join(many[1], "none", "below"), many[0]})
	require.ElementsMatch(t, many[:2], w.WatchList())
	require.Empty(t, a.told)
}
