package status

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// plan lists the changes that make the branch hold the next ledger.
type plan struct {
	base    *state
	format  Format            // that the files are written in
	more    map[string]fields // by file: fields of a newer format, which are kept
	ledger  model.Ledger      // next, exactly as it would be read back
	edits   edit
	given   model.Ledger
	written int // files that are written or removed

	apps    []change             // records that changed
	tenants map[string]bool      // whose page changes …
	redraw  map[model.AppID]bool // … or that of an application whose record does not
}

// change is one application whose record changed, and what is told of that.
type change struct {
	app  model.AppID
	told []announce.Announcement
}

// plan compares next with the branch. It returns nil if there is nothing to write. Only records that changed are encoded.
func (s *state) plan(next *model.Ledger) (*plan, error) {
	if s.holds(next) {
		return nil, nil
	}
	format := Current
	if s.format.newer(format) {
		format = s.format // it is never lowered
	}
	p := s.newPlan(format)
	p.given = givenBy(next)
	if err := p.records(next); err != nil {
		return nil, err
	}
	if len(p.edits.below) == 0 && s.ledger.Identity.ID == next.Identity.ID {
		return nil, nil
	}
	if err := p.identity(next.Identity); err != nil {
		return nil, err
	}
	return p, p.finish()
}

func (s *state) newPlan(format Format) *plan {
	return &plan{base: s, format: format, more: s.more, tenants: map[string]bool{}, redraw: map[model.AppID]bool{}}
}

// records plans the files that hold the ledger.
func (p *plan) records(next *model.Ledger) error {
	for _, part := range []func(*model.Ledger) error{p.inputs, p.tenantLayers, p.overQuota, p.pastUse, p.applications} {
		if err := part(next); err != nil {
			return err
		}
	}
	return nil
}

// finish plans the files that follow from the records.
func (p *plan) finish() error {
	p.problems()
	p.pages()
	p.nodes()
	if p.format.Major == 1 || p.base.format == p.format && p.base.tree.blob(formatFile) != git.ZeroHash {
		return nil
	}
	b, err := encode(p.format, nil)
	p.edits.write(formatFile, b)
	p.edits.write(guardFile, []byte(guard))
	return err
}

// holds reports whether the branch surely holds all of next. It allocates nothing.
func (s *state) holds(next *model.Ledger) bool {
	l := &s.ledger
	return !s.stale && l.Identity.ID == next.Identity.ID && l.Commit == next.Commit && reflect.DeepEqual(l.Source, next.Source) && reflect.DeepEqual(s.given, givenBy(next)) &&
		slices.EqualFunc(l.OverQuota, next.OverQuota, model.OverQuota.Equal) &&
		sameList(l.Instances, next.Instances, sameInstance) && sameList(l.Decisions, next.Decisions, sameDecision)
}

// sameList reports whether two lists hold the same records. It copies none of them, as
// slices.EqualFunc does.
func sameList[T any](a, b []T, same func(a, b *T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

// write plans the file of a record, unless the branch has just these bytes. A record
// that is nil has no file. It returns v as it would be read back; before is what the
// branch says.
func write[T any](p *plan, file string, before, v *T) (*T, error) {
	name := p.format.name(file)
	if v == nil {
		if p.base.tree.blob(name) != git.ZeroHash {
			p.edits.remove(name)
			p.written++
		}
		return nil, nil
	}
	b, back, err := p.encode(file, v)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	if !p.base.stale && before != nil && p.base.tree.blob(name) == git.BlobHash(b) {
		return before, nil
	}
	p.edits.write(name, b)
	p.written++
	return back.(*T), nil
}

// encode returns the bytes of a record, and the record as it would be read back.
func (p *plan) encode(file string, v any) (b []byte, back any, err error) {
	back = reflect.New(reflect.TypeOf(v).Elem()).Interface()
	if p.format.Major == 1 {
		if b, err = encodeFormat1(v); err == nil {
			err = decodeFormat1(b, back)
		}
	} else {
		if b, err = encode(v, p.more[file]); err == nil && exact(reflect.ValueOf(v)) {
			return b, v, nil
		}
		if err == nil {
			_, err = decode(b, back, len(p.more[file]) > 0)
		}
	}
	if err == nil && inUTC(reflect.ValueOf(back)) {
		return p.encode(file, back)
	}
	return b, back, err
}

// apply makes the state that the plan leads to.
func (p *plan) apply(objects *git.Objects) *state {
	s := &state{head: p.base.head, ledger: p.ledger, format: p.format, more: p.more, raw: p.base.raw, given: p.given, signed: p.base.signed, former: p.base.former}
	if s.tree = p.base.tree.edited(&p.edits, objects); s.tree == nil {
		s.tree = &dir{hash: objects.AddTree(nil)}
	}
	s.revise()
	return s
}
