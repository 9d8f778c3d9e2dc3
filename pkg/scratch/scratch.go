// Package scratch makes directories for temporary files, which go away even where the process that made them was killed.
package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"golang.org/x/sys/unix"
)

// Dir is a directory for temporary files. The process that made it holds its lock as long as it lives, so the next one can tell what a
// dead one left.
type Dir struct {
	Name string
	lock *os.File // the directory itself
}

const prefix = "reconciler-scratch-"

var named = regexp.MustCompile("^" + prefix + "[0-9]+$")

// New makes a directory below that of temporary files, after it has removed those of dead processes. The caller removes it.
func New() (*Dir, error) {
	sweep(os.TempDir())
	for range 10 { // another process may sweep one away that has no lock yet
		name, err := os.MkdirTemp("", prefix)
		if err != nil {
			return nil, err
		}
		if lock := locked(name); lock != nil {
			if _, err := os.Lstat(name); err == nil {
				return &Dir{name, lock}, nil
			}
			_ = lock.Close()
		}
	}
	return nil, errors.New("directories for temporary files are removed as soon as they are made")
}

// Remove removes the directory.
func (d *Dir) Remove() {
	_ = os.RemoveAll(d.Name)
	_ = d.lock.Close()
}

// sweep removes the directories of dead processes of this user.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // whoever makes a directory there is told why that cannot be
	}
	for _, e := range entries {
		if !named.MatchString(e.Name()) {
			continue
		}
		dead := Dir{Name: filepath.Join(dir, e.Name())}
		if dead.lock = locked(dead.Name); dead.lock != nil {
			dead.Remove()
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
