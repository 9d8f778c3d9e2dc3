//go:build linux

package nodeagent

import (
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"
)

const (
	mostWatches = 1024                   // directories; in others, groups are noticed at the next turn
	gathering   = 20 * time.Millisecond  // after a group has come: it comes in each hierarchy, and so does its neighbour
	spacing     = 500 * time.Millisecond // between two turns for groups that come and go
)

// arrivals tells when groups come or go in the directories in which the last turn looked for
// them, so that they do not wait for the next tick. The zero value tells nothing.
type arrivals struct {
	watcher *fsnotify.Watcher
	watched map[string]identity
	told    chan struct{} // receives a value when a watch is new: no turn has read that directory since
	log     *slog.Logger
	said    string // why something is not watched
}

// identity tells a directory from a later one of the same name, of which a watch sees nothing.
type identity struct{ device, inode uint64 }

// start returns a channel that receives a value when a turn is due.
func (a *arrivals) start(log *slog.Logger) (came <-chan struct{}, stop func()) {
	wake := make(chan struct{}, 1)
	w, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn("groups that come are noticed at the next turn", "reason", err)
		return wake, func() {}
	}
	*a = arrivals{watcher: w, watched: map[string]identity{}, told: make(chan struct{}, 1), log: log}
	done := make(chan struct{})
	go func() {
		defer close(done)
		gather(w.Events, w.Errors, a.told, wake)
	}()
	return wake, func() {
		_ = w.Close()
		<-done
	}
}

// gather makes one wake of what happens together, and at most two in a second, until there are no more events.
func gather(events <-chan fsnotify.Event, failed <-chan error, told <-chan struct{}, wake chan<- struct{}) {
	var due <-chan time.Time
	var last time.Time
	for {
		select {
		case e, ok := <-events:
			if !ok {
				return
			}
			if !e.Has(fsnotify.Create) && !e.Has(fsnotify.Remove) && !e.Has(fsnotify.Rename) { // a file that somebody wrote
				continue
			}
		case _, ok := <-failed: // an overflow: look everywhere
			if !ok {
				return
			}
		case <-told:
		case <-due:
			due, last = nil, time.Now()
			send(wake)
			continue
		}
		if due == nil {
			due = time.After(max(gathering, spacing-time.Since(last)))
		}
	}
}

// send leaves a value in a channel that has room for one.
func send(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is already there
	}
}

// watch replaces the watched directories by dirs. In place of a directory that does not exist, it watches the innermost
// existing directory above it. For each new watch it requests a turn, which finds the groups created before the watch.
func (a *arrivals) watch(dirs []string) {
	if a.watcher == nil {
		return
	}
	slices.Sort(dirs)
	wanted := make(map[string]identity, len(a.watched))
	said := ""
	for _, dir := range slices.Compact(dirs) {
		dir, id := innermost(dir)
		if _, twice := wanted[dir]; twice {
			continue
		}
		if len(wanted) == mostWatches {
			said = "too many directories"
			break
		}
		if a.watched[dir] != id {
			_ = a.watcher.Remove(dir) // it was another one, or none
			err := a.watcher.Add(dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				said = err.Error()
				continue
			}
			send(a.told)
			if err != nil { // it is gone again
				continue
			}
		}
		wanted[dir] = id
	}
	for dir := range a.watched {
		if _, still := wanted[dir]; !still {
			_ = a.watcher.Remove(dir)
		}
	}
	a.watched = wanted
	if said != a.said && said != "" {
		a.log.Warn("some groups that come are noticed at the next turn", "reason", said)
	}
	a.said = said
}

// innermost returns the innermost directory of a path that exists.
func innermost(dir string) (string, identity) {
	for {
		var s unix.Stat_t
		if err := unix.Stat(dir, &s); err == nil || dir == filepath.Dir(dir) {
			return dir, identity{s.Dev, s.Ino}
		}
		dir = filepath.Dir(dir)
	}
}
