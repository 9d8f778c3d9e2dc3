//go:build linux

package network

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// journal is on disk before the first change of an interface. It is valid for one boot: what
// is set on interfaces does not outlive it.
type journal struct {
	Boot   string `json:"boot"`
	Device string `json:"device,omitempty"` // that is shaped, "" for none
	Index  int    `json:"index,omitempty"`
	// Replaced is the kind of the discipline of others that was there, "" if there was none.
	Replaced string `json:"replaced,omitempty"`
	Clsact   bool   `json:"clsact,omitempty"` // the agent made the place for programs

	save func([]byte) error
}

func loadJournal(data []byte, save func([]byte) error) (j journal, err error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return j, fmt.Errorf("load the journal of the network: %w", err)
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &j); err != nil {
			return j, fmt.Errorf("load the journal of the network: %w", err)
		}
	}
	if now := strings.TrimSpace(string(boot)); j.Boot != now {
		j = journal{Boot: now}
	}
	j.save = save
	return j, nil
}

// keep replaces what the journal says of the interface, on disk first.
func (j *journal) keep(next journal) error {
	next.Boot, next.save = j.Boot, j.save
	data, err := json.MarshalIndent(next, "", " ")
	if err == nil {
		err = j.save(append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("save the journal of the network: %w", err)
	}
	*j = next
	return nil
}
