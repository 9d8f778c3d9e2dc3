//go:build linux

package cgroup

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Journal keeps on disk the value that every knob had before the agent wrote it, so
// that all knobs can be restored, also after a crash between two writes.
// It is valid for one boot: cgroups do not outlive it.
type Journal struct {
	save    func(data []byte) error
	boot    string
	entries map[knob]entry
	dirty   bool // entries differ from those on disk
}

type knob struct{ cgroup, file string }

// entry has the original value of a knob, the value that the agent set, and the value
// that it was about to set when the journal was saved.
type entry struct {
	Cgroup   string `json:"cgroup"`
	File     string `json:"file"`
	Device   uint64 `json:"device"`
	Inode    uint64 `json:"inode"`
	Original string `json:"original"`
	Set      string `json:"set,omitempty"`
	Next     string `json:"next,omitempty"`

	// Follows says that the value follows the load; Rest is then the value for when nobody
	// follows it, "" for the original one.
	Follows bool   `json:"follows,omitempty"`
	Rest    string `json:"rest,omitempty"`
}

func (e entry) ours(value string) bool { return value == e.Set || value == e.Next }

func (e entry) identity() identity { return identity{e.Device, e.Inode} }

type journalFile struct {
	Boot    string  `json:"boot"`
	Entries []entry `json:"entries"`
}

// LoadJournal reads the data that save was last called with, or starts an empty journal
// when data is empty. Entries of an earlier boot are forgotten. save returns
// when the data would survive a crash.
func LoadJournal(data []byte, save func(data []byte) error) (*Journal, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return nil, fmt.Errorf("load journal: %w", err)
	}
	j := &Journal{save: save, boot: strings.TrimSpace(string(boot)), entries: map[knob]entry{}}
	if len(data) == 0 {
		return j, nil
	}
	var file journalFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("load journal: %w", err)
	}
	if file.Boot != j.boot {
		return j, nil
	}
	for _, e := range file.Entries {
		j.entries[knob{e.Cgroup, e.File}] = e
	}
	return j, nil
}

// Len returns how many knobs are held away from their original value.
func (j *Journal) Len() int { return len(j.entries) }

func (j *Journal) original(cgroup, file string) (string, bool) {
	e, ok := j.entries[knob{cgroup, file}]
	return e.Original, ok
}

func (j *Journal) put(key knob, e entry) { j.entries[key], j.dirty = e, true }

func (j *Journal) drop(key knob) {
	delete(j.entries, key)
	j.dirty = true
}

// store makes the journal durable.
func (j *Journal) store() error {
	if !j.dirty {
		return nil
	}
	file := journalFile{Boot: j.boot, Entries: slices.SortedFunc(maps.Values(j.entries), func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Cgroup, b.Cgroup), cmp.Compare(a.File, b.File))
	})}
	data, err := json.MarshalIndent(file, "", " ")
	if err == nil {
		err = j.save(append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("save journal: %w", err)
	}
	j.dirty = false
	return nil
}
