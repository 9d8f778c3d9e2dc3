//go:build linux

package nodeagent

import (
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// watch returns a channel that receives a value after a change in the directory of the
// plan. It watches the directory, because a plan is replaced by a rename or, in
// Kubernetes, by another link beside it. Without events, the loop sees every change at
// the next tick.
func (a *agent) watch() (changed <-chan struct{}, stop func()) {
	wake := make(chan struct{}, 1)
	w, err := fsnotify.NewWatcher()
	if err == nil {
		if err = w.Add(filepath.Dir(a.cfg.Plan)); err != nil {
			_ = w.Close()
		}
	}
	if err != nil {
		a.cfg.Log.Warn("file events are not available, polling only", "error", err)
		return wake, func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case _, ok := <-w.Events:
				if !ok {
					return
				}
			case _, ok := <-w.Errors: // an overflow: look at everything
				if !ok {
					return
				}
			}
			send(wake)
		}
	}()
	return wake, func() {
		_ = w.Close()
		<-done
	}
}
