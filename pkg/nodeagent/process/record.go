//go:build linux

package process

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
)

// slot is the place of one replica of a workload.
type slot struct {
	hostplan.Key
	Replica int `json:"replica"`
}

func (s slot) compare(o slot) int {
	return cmp.Or(s.Key.Compare(o.Key), cmp.Compare(s.Replica, o.Replica))
}

// record is what is on disk about a slot.
type record struct {
	slot
	Program    hostplan.Program `json:"program"`         // that runs or ran
	PID        int              `json:"pid,omitempty"`   // 0: none runs
	Born       uint64           `json:"born,omitempty"`  // when the process was started, in ticks since the boot
	Group      string           `json:"group,omitempty"` // that the process has; it is removed before there is another one
	Started    time.Time        `json:"started,omitzero"`
	Begun      time.Time        `json:"begun,omitzero"` // the first start of the program
	Restarts   int              `json:"restarts,omitempty"`
	InARow     int              `json:"inARow,omitempty"` // restarts of programs that did not run for long
	Exit       *hostplan.Exit   `json:"exit,omitempty"`
	Over       string           `json:"over,omitempty"` // why it is not started again: done or failed
	Message    string           `json:"message,omitempty"`
	StopAsked  time.Time        `json:"stopAsked,omitzero"`
	NotBefore  time.Time        `json:"notBefore,omitzero"`
	TimedOut   bool             `json:"timedOut,omitempty"`
	WorkDigest model.Digest     `json:"digest"` // of the workload that it carries out
}

// records is the file of them.
type records struct {
	Boot  string   `json:"boot"`
	Last  int64    `json:"last"` // number of the last group
	Slots []record `json:"slots"`
}

const (
	recordsFile = "processes.json"
	planCopy    = "processes-plan.json"
	planFile    = "plan.json"
)

// readRecords reads the records of this boot. Those of an earlier one have no process any more.
func readRecords(dir string) (r records, err error) {
	now, err := boot()
	if err != nil {
		return r, err
	}
	data, err := readFile(filepath.Join(dir, recordsFile), 64<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return r, err
	default:
		if err := json.Unmarshal(data, &r); err != nil {
			return r, fmt.Errorf("%s: %w; it says which processes are the agent's: restore it, or end them and remove it", filepath.Join(dir, recordsFile), err)
		}
	}
	for i := range r.Slots {
		if rec := &r.Slots[i]; r.Boot != now {
			rec.PID, rec.Born, rec.Group, rec.StopAsked, rec.NotBefore = 0, 0, "", time.Time{}, time.Time{}
		}
	}
	r.Boot = now
	return r, nil
}

// readFile reads a regular file of at most some size, and follows no link.
func readFile(name string, most int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d bytes", name, most)
	}
	return data, err
}
