package status

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// Event is one change that the branch recorded.
type Event struct {
	announce.Announcement
	Status string `json:"status"` // the commit of the branch that recorded it first
}

// EventFilter selects events.
type EventFilter struct {
	Since  time.Time // of the transition; the zero time selects all
	Tenant string    // "": all tenants
	App    string    // "": all applications
	Last   int       // only so many, the newest by their times; 0: all
}

func (f EventFilter) has(app model.AppID) bool {
	return (f.Tenant == "" || f.Tenant == app.Tenant) && (f.App == "" || f.App == app.Name)
}

// Events returns what changed in the order of time, oldest first, as far back as the
// history of the branch goes. It fetches that history once, and what is new at later
// calls. Only what changed from one commit to the next is read, and no commit that is
// older than all that the filter selects.
//
// The time of an event is that of the change, which may be long before the commit that
// recorded it first, and never after it. So this relies on commits that are not dated
// before those that they follow.
func (b *Branch) Events(ctx context.Context, filter EventFilter) ([]Event, error) {
	store, tip, err := b.recentHistory(ctx)
	if err != nil {
		return nil, fmt.Errorf("read status history: %w", err)
	}
	defer b.archive.read()()
	versions := newVersions(store)
	var found [][]Event // by commit, latest first
	err = backwards(ctx, store, tip, func(p past) (bool, error) {
		end := p.time.Add(time.Second) // of all that is recorded from here on: Git leaves out the parts of a second
		if !end.After(filter.Since) || filter.Last > 0 && countFrom(end, found) >= filter.Last {
			return false, nil
		}
		events, err := eventsOf(versions, p, filter)
		if err != nil {
			return false, fmt.Errorf("commit %s: %w", p.hash, err)
		}
		found = append(found, events)
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("read status history: %w", err)
	}
	slices.Reverse(found)
	events := slices.Concat(found...)
	slices.SortStableFunc(events, func(a, b Event) int {
		return cmp.Or(a.At.Compare(b.At), a.App.Compare(b.App), cmp.Compare(a.Instance, b.Instance))
	})
	if filter.Last > 0 {
		events = events[max(0, len(events)-filter.Last):]
	}
	return events, nil
}

// countFrom counts the events that are not before a time.
func countFrom(at time.Time, found [][]Event) (count int) {
	for _, events := range found {
		for i := range events {
			if !events[i].At.Before(at) {
				count++
			}
		}
	}
	return count
}

// maxChanged bounds the files that one commit changes.
const maxChanged = 1_000_000

// eventsOf returns the selected events that a commit was the first to record.
func eventsOf(versions *versions, p past, filter EventFilter) (events []Event, err error) {
	old, now, err := versions.around(p, filter)
	if err != nil {
		return nil, err
	}
	for _, a := range announce.Between(&old, &now, p.time) {
		if !a.At.Before(filter.Since) && filter.has(a.App) {
			events = append(events, Event{a, p.hash.String()})
		}
	}
	return events, nil
}

// recordOf returns the application of a path, if that is the file of an instance or of a
// run.
func recordOf(path string) (app model.AppID, ok bool) {
	part := strings.Split(path, "/")
	if len(part) != 4 || part[0] != tenantsDir || !label.MatchString(part[1]) || !label.MatchString(part[2]) {
		return model.AppID{}, false
	}
	files := []string{instanceFile, workflowFile, inFormat1(instanceFile), inFormat1(workflowFile)}
	return model.AppID{Tenant: part[1], Name: part[2]}, slices.Contains(files, part[3])
}

// around returns the ledgers before and after a commit, as far as the filter selects
// them. A commit that writes the ledger in another major format changes no meaning, so
// the two are equal. A save that migrates has such a commit and one of its own, and both
// have its number.
func (v *versions) around(p past, filter EventFilter) (old, now model.Ledger, err error) {
	var before git.Hash
	if p.parent != git.ZeroHash {
		parent, err := readPast(v.store, p.parent)
		if err != nil {
			return old, now, err
		}
		before = parent.tree
		from, err := formatAt(v.store, before)
		if err != nil {
			return old, now, err
		}
		to, err := formatAt(v.store, p.tree)
		if err != nil {
			return old, now, err
		}
		if from.Major != to.Major {
			now, err = headAt(v.store, p.tree)
			return now, now, err
		}
	}
	changed, err := v.store.Changed(before, p.tree, maxChanged)
	if err != nil {
		return old, now, err
	}
	return v.ledgers(before, p.tree, changed, filter)
}
