package dashboard

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"golang.org/x/sys/unix"
)

// scratch is the directory of the temporary files of a worker. Its server holds its lock as long as it lives, so the next one can tell
// what a dead one left.
type scratch struct {
	name string
	lock *os.File // the directory itself
}

const scratchPrefix = "reconciler-ui-"

var scratchName = regexp.MustCompile("^" + scratchPrefix + "[0-9]+$")

// newScratch makes a directory, after it has removed those of dead servers.
func newScratch() (*scratch, error) {
	sweep(os.TempDir())
	for range 10 { // another server may sweep one away that has no lock yet
		name, err := os.MkdirTemp("", scratchPrefix)
		if err != nil {
			return nil, err
		}
		if lock := locked(name); lock != nil {
			if _, err := os.Lstat(name); err == nil {
				return &scratch{name, lock}, nil
			}
			_ = lock.Close()
		}
	}
	return nil, errors.New("directories for temporary files are removed as soon as they are made")
}

// remove removes the directory.
func (s *scratch) remove() {
	_ = os.RemoveAll(s.name)
	_ = s.lock.Close()
}

// sweep removes the directories of dead servers of this user.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // whoever makes a directory there is told why that cannot be
	}
	for _, e := range entries {
		if !scratchName.MatchString(e.Name()) {
			continue
		}
		dead := scratch{name: filepath.Join(dir, e.Name())}
		if dead.lock = locked(dead.name); dead.lock != nil {
			dead.remove()
		}
	}
}

// locked takes the lock of a directory of this user. Nil: somebody else has it, or it is no such directory.
func locked(name string) *os.File {
	dir, err := os.OpenFile(name, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil
	}
	var is unix.Stat_t
	if unix.Fstat(int(dir.Fd()), &is) != nil || int(is.Uid) != os.Geteuid() || unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		_ = dir.Close()
		return nil
	}
	return dir
}
