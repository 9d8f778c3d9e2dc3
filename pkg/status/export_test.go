package status

import (
	"context"
	"io/fs"
	"testing/fstest"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// AppDir is the path encoder, for fuzzing.
var (
	AppDir = appDir
	Files1 = filesOfFormat1
)

// Read returns the ledger that a tree of the branch holds.
func Read(fsys fs.FS) (model.Ledger, error) {
	r, err := newReader(fsys)
	if err != nil {
		return model.Ledger{}, err
	}
	return r.ledger()
}

// Written returns the files that a new branch would hold for a ledger, and the
// ledger that a Commit would remember.
func Written(l model.Ledger) (fstest.MapFS, model.Ledger, error) {
	p, err := newState().plan(&l)
	if p == nil || err != nil {
		return fstest.MapFS{}, l, err
	}
	return p.files(), p.ledger, nil
}

// files returns what the plan writes.
func (p *plan) files() fstest.MapFS {
	files := fstest.MapFS{}
	var collect func(prefix string, e *edit)
	collect = func(prefix string, e *edit) {
		if e.file != nil {
			files[prefix] = &fstest.MapFile{Data: e.file}
		}
		for name, below := range e.below {
			path := name
			if prefix != "" {
				path = prefix + "/" + name
			}
			collect(path, below)
		}
	}
	collect("", &p.edits)
	return files
}

// Decode reads a record into a value of its type.
func Decode(b []byte, into any, newer bool) error {
	_, err := decode(b, into, newer)
	return err
}

// Encode writes a record.
func Encode(v any) ([]byte, error) { return encode(v, nil) }

// filesOfFormat1 returns the files that a branch would hold for a ledger in format 1.
func filesOfFormat1(l model.Ledger) (fstest.MapFS, error) {
	s := newState()
	s.stale = true
	p := s.newPlan(Format{Major: 1})
	if err := p.records(&l); err != nil {
		return nil, err
	}
	return p.files(), nil
}

// Step is one commit of a made-up past.
type Step struct {
	At   time.Time
	Next model.Ledger
}

// Write commits all steps with one push.
func (b *Branch) Write(ctx context.Context, steps []Step) error {
	defer b.work()()
	objects, s := git.NewObjects(), b.state
	for _, step := range steps {
		p, err := s.plan(&step.Next)
		if err != nil {
			return err
		}
		made := p.apply(objects)
		made.head = objects.AddCommit(git.NewCommit{
			Tree: made.tree.hash, Parent: s.head, Name: "D-AROS", Email: "reconciler@d-aros.dev", Time: step.At, Message: p.message(b.o.WrittenBy),
		})
		s = made
	}
	if err := b.remote.Push(ctx, git.Branch(b.o.Branch), b.state.head, s.head, objects); err != nil {
		return err
	}
	b.state = s
	return nil
}

// Turn is what Run does every second.
func (m *Mirror) Turn(ctx context.Context, now time.Time) { m.turn(ctx, now) }

// VerifyCommit returns which save of branch status a commit object is.
func VerifyCommit(commit []byte, s *Signing) (model.LedgerIdentity, error) {
	b := &Branch{o: Options{Branch: "status", Signing: s}}
	return b.verify(git.ZeroHash, git.ParseSigned(commit))
}
