package status

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// A damaged record of one application is no reason to stop the others. The ledger then
// has the newest record of the application that the history of the branch can show, and
// names the file and the commit that damaged it. No save changes the damaged files, so
// that "git revert" brings the record back. Damage of the platform, the source or a
// tenant stops everything, and so does any damage in an older format, of which a
// migration would lose the bytes.

// isolates reports whether an error is only about the records of one application, and
// notes it in rec.
func (r *reader) isolates(err error, app model.AppID, rec *record) bool {
	var damage *damageError
	if !errors.As(err, &damage) || r.format.Major != Current.Major || r.since != nil {
		return false
	}
	*rec = record{damaged: &model.DamagedRecord{App: app, File: damage.file, Reason: damage.reason}}
	return true
}

// recall completes a ledger that was read at a commit with the last readable records of
// the applications whose records are damaged, and finds the commits that damaged them,
// as far as the store has the history. It passes over commits that are not believed; nil
// believes all.
func recall(ctx context.Context, store *git.Store, head git.Hash, l *model.Ledger, believed func(git.Hash) bool) error {
	if len(l.Damaged) == 0 {
		return nil
	}
	open := map[model.AppID]*search{}
	for i := range l.Damaged {
		d := &l.Damaged[i]
		open[d.App] = &search{damaged: d}
	}
	return backwards(ctx, store, head, func(p past) (bool, error) {
		goOn := p.parent == git.ZeroHash || store.Has(p.parent)
		if believed != nil && !believed(p.hash) {
			return goOn, nil
		}
		for app, s := range open {
			found, err := s.at(store, p, app)
			if err != nil {
				return false, fmt.Errorf("look for the last readable record of %s in commit %s: %w", app, p.hash, err)
			}
			if found {
				s.remember(l)
				delete(open, app)
			}
		}
		return len(open) > 0 && goOn, nil
	})
}

// search looks for the last readable record of one application, from commit to commit.
type search struct {
	damaged *model.DamagedRecord
	dir     git.Hash // that was looked at last, and is damaged
	after   git.Hash // the oldest commit that has the damage, as far as is known
	record  record
}

// at looks at one commit and reports whether the search ends there.
func (s *search) at(store *git.Store, p past, app model.AppID) (found bool, err error) {
	dir, err := store.Directory(p.tree, tenantsDir, app.Tenant, app.Name)
	if err != nil {
		return false, err
	}
	if dir == s.dir && dir != git.ZeroHash {
		s.after = p.hash
		return false, nil
	}
	if dir != git.ZeroHash {
		var damage *damageError
		if s.record, err = recordAt(store, p.tree, dir, app); errors.As(err, &damage) {
			s.dir, s.after = dir, p.hash
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	s.dir = dir
	s.damaged.Commit = s.after.String()
	return true, nil
}

// recordAt reads the records in the directory of an application.
func recordAt(store *git.Store, tree, dir git.Hash, app model.AppID) (record, error) {
	format, err := formatAt(store, tree)
	if err != nil {
		return record{}, err
	}
	files, err := store.Files(dir, limits)
	if err != nil {
		return record{}, err
	}
	r := reader{fsys: files, format: format}
	return r.recordIn("", app)
}

// remember puts the record that was found into the ledger. Its revisions are those of
// no record that is written.
func (s *search) remember(l *model.Ledger) {
	if in := s.record.instance; in != nil {
		in.Revision = model.Revision(git.BlobHash(append([]byte("last readable instance "), s.dir[:]...)))
		at, _ := slices.BinarySearchFunc(l.Instances, in.App, func(x model.Instance, app model.AppID) int { return x.App.Compare(app) })
		l.Instances = slices.Insert(l.Instances, at, *in)
	}
	if d := s.record.decision; d != nil {
		d.Revision = model.Revision(git.BlobHash(append([]byte("last readable decision "), s.dir[:]...)))
		at, _ := slices.BinarySearchFunc(l.Decisions, d.App, func(x model.Decision, app model.AppID) int { return x.App.Compare(app) })
		l.Decisions = slices.Insert(l.Decisions, at, *d)
	}
}

// recall does it for the state that was read last, from the history of the branch.
func (b *Branch) recall(ctx context.Context, s *state) error {
	if len(s.ledger.Damaged) == 0 {
		return nil
	}
	store, _, err := b.archive.fetch(ctx)
	if err != nil {
		return fmt.Errorf("%w; its history is needed because of a damaged record: %s", err, s.ledger.Damaged[0].File)
	}
	if !store.Has(s.head) {
		return errors.New("it was replaced while its history was read")
	}
	return recall(ctx, store, s.head, &s.ledger, func(commit git.Hash) bool { return b.believes(store, commit) })
}

// rawOf returns the files of the records of the applications that have damaged ones, by
// path.
func rawOf(files fs.FS, damaged []model.DamagedRecord) (raw map[string][]byte) {
	for i := range damaged {
		dir := tenantsDir + "/" + damaged[i].App.String()
		for _, name := range []string{instanceFile, specFile, previousFile, workflowFile, decisionFile} {
			b, err := fs.ReadFile(files, path.Join(dir, name))
			if err != nil {
				continue // it does not exist, or nothing of its size is ever read
			}
			if raw == nil {
				raw = map[string][]byte{}
			}
			raw[path.Join(dir, name)] = b
		}
	}
	return raw
}

// healed returns what is known of the applications after the branch was lost, and with it
// the damage: where the last readable record is known, it takes the place of the damaged one.
func healed(l model.Ledger) model.Ledger {
	l.Damaged = slices.DeleteFunc(slices.Clone(l.Damaged), func(d model.DamagedRecord) bool {
		_, known := l.Find(d.App)
		return known
	})
	return l
}

// damaged plans the files of applications with damaged records: those that the branch has
// stay, and those that it lost are written as they were. In what is wanted, nothing
// changes for these applications.
func (p *plan) damaged(known, wanted map[model.AppID]record) {
	p.ledger.Damaged = p.base.ledger.Damaged
	for i := range p.ledger.Damaged {
		app := p.ledger.Damaged[i].App
		delete(wanted, app)
		if r, ok := known[app]; ok {
			wanted[app] = r
		}
	}
	for name, content := range p.base.raw {
		if p.base.tree.blob(name) == git.ZeroHash {
			p.edits.write(name, content)
			p.written++
		}
	}
}
