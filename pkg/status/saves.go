package status

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Save is what one save of the ledger changed: of both ledgers only the applications
// that differ.
type Save struct {
	Before, After model.Ledger
	At            time.Time
}

// maxSaves bounds the saves that Saves returns: the latest ones.
const maxSaves = 1000

// Saves returns the saves after the one with a sequence, oldest first, as far back as
// the history of the branch goes. It fetches that history once, and what is new at
// later calls.
func (b *Branch) Saves(ctx context.Context, after int64) ([]Save, error) {
	store, tip, err := b.archive.fetch(ctx)
	if err != nil {
		return nil, fmt.Errorf("read status history: %w", err)
	}
	defer b.archive.read()()
	versions := newVersions(store)
	versions.specs = true
	var saves []Save
	around := func(p past) error {
		save := Save{At: p.time}
		var err error
		save.Before, save.After, err = versions.around(p, EventFilter{})
		saves = append(saves, save)
		return err
	}
	var later *past // whose predecessor is looked for: a commit that is not believed is none
	err = backwards(ctx, store, tip, func(p past) (bool, error) {
		if !b.believes(store, p.hash) {
			return true, nil
		}
		if later != nil {
			later.parent = p.hash
			if err := around(*later); err != nil {
				return false, err
			}
			later = nil
		}
		head, err := headAt(store, p.tree)
		if err != nil || head.Identity.Sequence <= after || len(saves) == maxSaves {
			return false, err
		}
		later = &p
		return true, nil
	})
	if err == nil && later != nil { // the history begins there
		err = around(*later)
	}
	if err != nil {
		return nil, fmt.Errorf("read status history: %w", err)
	}
	slices.Reverse(saves)
	return saves, nil
}
