//go:build linux

package nodeagent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/durable"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// ErrRunning says that another agent works with the same state directory.
var ErrRunning = errors.New("an agent is running with this state directory: stop it first")

// state is the directory with the files that survive restarts.
type state struct {
	dir  string
	lock *os.File
}

const (
	journalFile = "journal.json"
	planFile    = "last-good.yaml"
	reportFile  = "status.json"
)

// openState locks the directory for one agent, until close.
func openState(dir string) (*state, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open state directory: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open state directory: %w", err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = lock.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = ErrRunning
		}
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return &state{dir, lock}, nil
}

// close unlocks the directory also where a process that is being started has a copy of the
// file for a moment.
func (s *state) close() {
	_ = unix.Flock(int(s.lock.Fd()), unix.LOCK_UN)
	_ = s.lock.Close()
}

// journal reads the journal; without a lock it cannot be saved.
func (s *state) journal() (*cgroup.Journal, error) {
	data, err := s.read(journalFile)
	if err != nil {
		return nil, err
	}
	j, err := cgroup.LoadJournal(data, func(data []byte) error { return s.write(journalFile, data) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w; it holds the original values: restore it, or remove it to take the values in force as original", filepath.Join(s.dir, journalFile), err)
	}
	return j, nil
}

// digest names a plan by its content.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// lastGood returns the saved plan and since when it has been in force, or fs.ErrNotExist. It is an error if the copy does
// not match its digest.
func (s *state) lastGood() (data []byte, since time.Time, err error) {
	name := filepath.Join(s.dir, planFile)
	file, err := os.ReadFile(name)
	if err != nil {
		return nil, since, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, since, err
	}
	head, data, _ := bytes.Cut(file, []byte("\n"))
	if string(head) != "# "+digest(data) {
		return nil, since, fmt.Errorf("%s does not match its digest", name)
	}
	return data, info.ModTime().UTC(), nil
}

func (s *state) keepReport(r Report) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return s.write(reportFile, append(data, '\n'))
}

// read returns a file of the directory, nil if there is none.
func (s *state) read(name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// write replaces a file, which then survives a crash.
func (s *state) write(name string, data []byte) error { return durable.Write(s.dir, name, data, 0o600) }
