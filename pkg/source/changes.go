package source

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/d-aros/d-aros/pkg/git"
)

// quiet is how long files must stay unchanged before a change is reported, so that
// one push is one hint.
const quiet = 100 * time.Millisecond

// Changes reports that the branch of a repository on this machine may have
// moved. It is only a hint to take a snapshot sooner: events get lost, so
// keep a timer. For other repositories, and where files cannot be watched,
// the channel is nil and never ready. It stops when ctx ends.
func (r *Repository) Changes(ctx context.Context) <-chan struct{} {
	path, ok := r.remote.LocalPath()
	if !ok {
		return nil
	}
	if _, err := os.Stat(filepath.Join(path, ".git")); err == nil {
		path = filepath.Join(path, ".git")
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil
	}
	// Directories, because git replaces files by renaming. Only the files of our
	// ref count, because the status branch may move in the same repository.
	watched := map[string]bool{filepath.Join(path, "packed-refs"): true}
	dirs := map[string]bool{path: true}
	for _, name := range []string{r.branch, r.revision} {
		if name == "" {
			continue
		}
		for _, ref := range []string{git.Branch(name), git.Tag(name)} {
			file := filepath.Join(path, filepath.FromSlash(ref))
			watched[file] = true
			dirs[filepath.Dir(file)] = true
		}
	}
	watching := false
	for dir := range dirs {
		watching = watcher.Add(dir) == nil || watching
	}
	if !watching {
		_ = watcher.Close()
		return nil
	}
	hints := make(chan struct{}, 1)
	go forward(ctx, watcher, watched, hints)
	return hints
}

// Ref returns the full name of the branch to follow, "" if a revision pins the fleet: that may be a branch, a tag or a commit.
func (r *Repository) Ref() string {
	if r.revision != "" {
		return ""
	}
	return git.Branch(r.branch)
}

// forward turns bursts of file events into single hints until ctx ends.
func forward(ctx context.Context, watcher *fsnotify.Watcher, watched map[string]bool, hints chan<- struct{}) {
	defer watcher.Close()
	var settled <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-watcher.Events:
			if !ok {
				return
			}
			if watched[e.Name] {
				settled = time.After(quiet)
			}
		case _, ok := <-watcher.Errors:
			if !ok {
				return
			}
			settled = time.After(quiet) // events were lost
		case <-settled:
			settled = nil
			select {
			case hints <- struct{}{}:
			default: // one is waiting already
			}
		}
	}
}
