package status

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/d-aros/d-aros/pkg/model"
)

// records reads the applications on all cores, because decoding takes most of the time.
func (r *reader) records(apps []model.AppID, l *model.Ledger) error {
	if len(apps) == 0 {
		return nil
	}
	found := make([]record, len(apps))
	var group errgroup.Group
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() (err error) {
			for i := next.Add(1) - 1; i < int64(len(apps)) && err == nil; i = next.Add(1) - 1 {
				if found[i], err = r.record(apps[i]); r.isolates(err, apps[i], &found[i]) {
					err = nil
				}
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	l.Instances = gather(l.Instances, found, func(r record) *model.Instance { return r.instance })
	l.Decisions = gather(l.Decisions, found, func(r record) *model.Decision { return r.decision })
	l.Damaged = gather(l.Damaged, found, func(r record) *model.DamagedRecord { return r.damaged })
	return nil
}

// gather adds what records have of one kind to a list, which grows once: records are large.
func gather[T any](to []T, found []record, of func(record) *T) []T {
	n := 0
	for _, rec := range found {
		if of(rec) != nil {
			n++
		}
	}
	to = slices.Grow(to, n)
	for _, rec := range found {
		if one := of(rec); one != nil {
			to = append(to, *one)
		}
	}
	return to
}

// record reads the records of one application.
func (r *reader) record(app model.AppID) (record, error) {
	dir, err := appDir(app)
	if err != nil {
		return record{}, err
	}
	if r.sameDir(dir) {
		return r.since.record(app), nil
	}
	return r.recordIn(dir, app)
}

// recordIn reads the records of one application from its directory.
func (r *reader) recordIn(dir string, app model.AppID) (record, error) {
	var rec record
	had := r.since.record(app)
	var in model.Instance
	found, err := true, error(nil)
	if r.same(path.Join(dir, instanceFile)) {
		in = *had.instance
		in.Spec, in.Previous, in.Run, in.Revision = nil, nil, nil, model.Revision{}
	} else if found, err = r.instance(dir, app, &in); err != nil {
		return rec, err
	}
	before := cmp.Or(had.instance, &model.Instance{})
	var recorded, recordedBefore model.Digest
	if in.Spec, recorded, err = r.spec(path.Join(dir, specFile), app, before.Spec); err != nil {
		return rec, err
	}
	if in.Previous, recordedBefore, err = r.spec(path.Join(dir, previousFile), app, before.Previous); err != nil {
		return rec, err
	}
	if in.Run = before.Run; !r.same(path.Join(dir, workflowFile)) {
		if in.Run, err = r.run(path.Join(dir, workflowFile), app); err != nil {
			return rec, err
		}
	}
	switch {
	case !found && (in.Spec != nil || in.Previous != nil || in.Run != nil):
		return rec, damaged(r.format.name(path.Join(dir, instanceFile)), errors.New("it is missing, but there is a spec or a run"))
	case found:
		if r.since != nil {
			in = *ownNames(&in) // the held record stays as it is
		}
		if nameReleases(&in, recordedBefore, recorded) {
			r.noteFormer(path.Join(dir, instanceFile), path.Join(dir, workflowFile))
		}
		rec.instance = &in
	}
	if rec.decision = had.decision; !r.same(path.Join(dir, decisionFile)) {
		rec.decision, err = r.decision(path.Join(dir, decisionFile), app)
	}
	return rec, err
}

func (r *reader) decision(name string, app model.AppID) (*model.Decision, error) {
	return about(r, name, app, func(d *model.Decision) model.AppID { return d.App })
}

// about reads a record that has to be about an application, nil if there is none.
func about[T any](r *reader, name string, app model.AppID, of func(*T) model.AppID) (*T, error) {
	v := new(T)
	found, err := r.read(name, v)
	switch {
	case !found || err != nil:
		return nil, err
	case of(v) != app:
		return nil, damaged(r.format.name(name), fmt.Errorf("it is about %q", of(v)))
	}
	return v, nil
}

// instance reads the record in a directory, without specs and run.
func (r *reader) instance(dir string, app model.AppID, in *model.Instance) (found bool, err error) {
	name := path.Join(dir, instanceFile)
	found, err = r.read(name, in)
	if found && err == nil {
		if err = checkInstance(in, app); err != nil {
			err = damaged(r.format.name(name), err)
		}
	}
	return found, err
}

func (r *reader) run(name string, app model.AppID) (*model.Run, error) {
	run, err := about(r, name, app, func(run *model.Run) model.AppID { return run.App })
	if run != nil && (run.Number < 1 || run.Instance < 1) {
		return nil, damaged(r.format.name(name), fmt.Errorf("run %d of instance %d: both count from 1", run.Number, run.Instance))
	}
	return run, err
}

func checkInstance(in *model.Instance, app model.AppID) error {
	switch {
	case in.App != app:
		return fmt.Errorf("it is about %q", in.App)
	case !slices.Contains(model.Phases, in.Phase):
		return fmt.Errorf("%q is not a phase", in.Phase)
	case in.Number < 1:
		return fmt.Errorf("instance %d: instances count from 1", in.Number)
	case len(in.History) > model.HistoryLimit:
		return fmt.Errorf("has %d transitions, at most %d are kept", len(in.History), model.HistoryLimit)
	}
	return nil
}
