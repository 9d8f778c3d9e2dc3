package status

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// Event is one transition of one application, or a change of a run of its workflow
// or of a step of it. From and To are phases of the application, the run or the step.
type Event struct {
	App model.AppID `json:"application"`
	model.Transition
	Run    int    `json:"run,omitempty"`  // the number of the run, 0: the application itself changed
	Step   string `json:"step,omitempty"` // "": the run itself changed
	Status string `json:"status"`         // the commit of the branch that first told of it
}

// EventFilter selects events.
type EventFilter struct {
	Since  time.Time // of the transition; the zero time selects all
	Tenant string    // "": all tenants
	App    string    // "": all applications
}

func (f EventFilter) has(app model.AppID) bool {
	return (f.Tenant == "" || f.Tenant == app.Tenant) && (f.App == "" || f.App == app.Name)
}

// Events returns the transitions of the fleet and the changes of runs and steps in
// the order of time, oldest first, as far back as the history of the branch goes. It fetches that history
// once, and what is new at later calls. Only what changed from one commit to the
// next is read.
func (b *Branch) Events(ctx context.Context, filter EventFilter) ([]Event, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	tip, err := b.fetchHistory(ctx)
	if err != nil {
		return nil, fmt.Errorf("read status history: %w", err)
	}
	r := eventReader{store: b.store, filter: filter, formats: formats{}, seen: map[git.Hash][]model.Transition{}, runs: map[git.Hash]*model.Run{}}
	err = backwards(ctx, b.store, tip, func(p past) (bool, error) {
		// A transition is older than the commit that tells of it.
		if p.time.Before(filter.Since) {
			return false, nil
		}
		if err := r.commit(p); err != nil {
			return false, fmt.Errorf("commit %s: %w", p.hash, err)
		}
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("read status history: %w", err)
	}
	slices.Reverse(r.found)
	events := slices.Concat(r.found...)
	slices.SortStableFunc(events, func(a, b Event) int {
		return cmp.Or(a.At.Compare(b.At), a.App.Compare(b.App), cmp.Compare(a.Instance, b.Instance))
	})
	return events, nil
}

type eventReader struct {
	store  *git.Store
	filter EventFilter
	formats
	found [][]Event // by commit, latest first

	// seen are the transitions of records by the name of the file: the older
	// side of one commit is the newer side of another.
	seen map[git.Hash][]model.Transition
	runs map[git.Hash]*model.Run // the same of files of runs
}

// maxChanged bounds the files that one commit changes.
const maxChanged = 1_000_000

// commit adds the events that a commit tells of for the first time.
func (r *eventReader) commit(p past) error {
	var before git.Hash
	if p.parent != git.ZeroHash {
		parent, err := readPast(r.store, p.parent)
		if err != nil {
			return err
		}
		before = parent.tree
	}
	changed, err := r.store.Changed(before, p.tree, maxChanged)
	if err != nil {
		return err
	}
	var found []Event
	for _, path := range changed {
		app, file := recordOf(path)
		if file == "" || !r.filter.has(app) {
			continue
		}
		if file == workflowFile {
			steps, err := r.steps(before, p.tree, app)
			if err != nil {
				return err
			}
			for _, e := range steps {
				if e.Status = p.hash.String(); !e.At.Before(r.filter.Since) {
					found = append(found, e)
				}
			}
			continue
		}
		now, err := r.transitions(p.tree, app)
		if err != nil {
			return err
		}
		known, err := r.transitions(before, app)
		if err != nil {
			return err
		}
		for _, t := range news(known, now) {
			if !t.At.Before(r.filter.Since) {
				found = append(found, Event{App: app, Transition: t, Status: p.hash.String()})
			}
		}
	}
	r.found = append(r.found, found)
	return nil
}

// recordOf tells about whom a record or a run is, and which of the two; "" if it
// is neither.
func recordOf(path string) (app model.AppID, file string) {
	part := strings.Split(path, "/")
	if len(part) != 4 || part[0] != tenantsDir || !label.MatchString(part[1]) || !label.MatchString(part[2]) {
		return model.AppID{}, ""
	}
	for _, file := range []string{instanceFile, workflowFile} {
		if part[3] == file || part[3] == inFormat1(file) {
			return model.AppID{Tenant: part[1], Name: part[2]}, file
		}
	}
	return model.AppID{}, ""
}

// steps returns what a commit changed of the runs of an application.
func (r *eventReader) steps(before, after git.Hash, app model.AppID) ([]Event, error) {
	now, err := r.run(after, app)
	if err != nil || now == nil {
		return nil, err
	}
	old, err := r.run(before, app)
	if err != nil {
		return nil, err
	}
	var events []Event
	for _, c := range now.Changes(old) {
		events = append(events, Event{App: app, Run: c.Run, Step: c.Step, Transition: model.Transition{
			At: c.At, Instance: now.Instance, From: model.Phase(c.From), To: model.Phase(c.To), Reason: c.Reason, Message: c.Message,
		}})
	}
	return events, nil
}

// run returns the run that a tree has of an application, nil if there is none.
func (r *eventReader) run(tree git.Hash, app model.AppID) (*model.Run, error) {
	if tree == git.ZeroHash {
		return nil, nil
	}
	dir, err := entryAt(r.store, tree, tenantsDir, app.Tenant, app.Name)
	if err != nil || dir == git.ZeroHash {
		return nil, err
	}
	format, err := r.of(r.store, tree)
	if err != nil {
		return nil, err
	}
	file, err := entryAt(r.store, dir, format.name(workflowFile))
	if err != nil || file == git.ZeroHash {
		return nil, err
	}
	if known, ok := r.runs[file]; ok {
		return known, nil
	}
	files, err := r.store.Files(dir, limits)
	if err != nil {
		return nil, err
	}
	run, err := (&reader{fsys: files, format: format}).run(workflowFile, app)
	if err == nil {
		r.runs[file] = run
	}
	return run, err
}

// transitions returns what a tree says of the past of an application.
func (r *eventReader) transitions(tree git.Hash, app model.AppID) ([]model.Transition, error) {
	if tree == git.ZeroHash {
		return nil, nil
	}
	dir, err := entryAt(r.store, tree, tenantsDir, app.Tenant, app.Name)
	if err != nil || dir == git.ZeroHash {
		return nil, err
	}
	format, err := r.of(r.store, tree)
	if err != nil {
		return nil, err
	}
	file, err := entryAt(r.store, dir, format.name(instanceFile))
	if err != nil || file == git.ZeroHash {
		return nil, err
	}
	if known, ok := r.seen[file]; ok {
		return known, nil
	}
	in, err := instanceAt(r.store, format, dir, app)
	if err == nil {
		r.seen[file] = in.History
	}
	return in.History, err
}
