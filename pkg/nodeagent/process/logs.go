//go:build linux

package process

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
)

// logs is the output of a replica: a file that the program itself adds to, so that nothing is
// lost or waits while the agent is away, and the files before it.
type logs struct {
	file  *os.File
	size  int64
	files int
	next  time.Time // when it is looked at
}

// rotations is how often a log is looked at.
const rotations = time.Second

// openLogs opens the file of a replica. Only the agent makes names in the directory.
func openLogs(dir string, at slot, bounds hostplan.Logs) (*logs, error) {
	name := at.Component
	if at.Beside {
		name += ".next"
	}
	if at.Job != "" {
		name += "." + model.DigestOf(at.Job).Short()
	}
	dir = filepath.Join(dir, at.App.Tenant, at.App.Name)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, name+"-"+strconv.Itoa(at.Replica)+".log"), os.O_RDWR|os.O_APPEND|os.O_CREATE|unix.O_NOFOLLOW, 0o640)
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	return &logs{file: file, size: cmp.Or(bounds.Size, hostplan.DefaultLogSize), files: cmp.Or(bounds.Files, hostplan.DefaultLogFiles)}, nil
}

// rotate copies a log that is too long and empties it, because the program keeps it open. What
// is written between the two is lost.
func (l *logs) rotate(now time.Time) error {
	if now.Before(l.next) {
		return nil
	}
	l.next = now.Add(rotations)
	info, err := l.file.Stat()
	if err != nil || info.Size() < l.size {
		return err
	}
	name := l.file.Name()
	old := func(n int) string { return name + "." + strconv.Itoa(n) }
	for n := l.files - 2; n >= 1; n-- {
		if err := os.Rename(old(n), old(n+1)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	if l.files > 1 {
		if err := l.copyTo(old(1)); err != nil {
			return err
		}
	}
	return l.file.Truncate(0)
}

// copyTo copies the end of the log, of at most twice its size, and what may be read of it only
// by whom it may be.
func (l *logs) copyTo(name string) error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	to, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|unix.O_NOFOLLOW, 0o640)
	if err != nil {
		return err
	}
	from := max(0, info.Size()-2*l.size)
	_, err = io.Copy(to, io.NewSectionReader(l.file, from, info.Size()-from))
	return cmp.Or(err, to.Close())
}
