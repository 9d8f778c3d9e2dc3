package offline

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/turn"
)

// Preview is what a draft would do.
type Preview struct {
	Changes   []clone.Change  // files
	Conflicts []Conflict      // with what others wrote since the base of the draft; if there are some, nothing else is known
	Problems  []model.Problem // for which the reconciler would refuse what the draft edits, or what it has accepted so far
	Plan      plan.Comparison
	Commit    string // that it goes onto

	veil    veil  // of what the draft edits
	was, is fs.FS // the files
}

// DraftError is an error of a draft. Nothing else is wrong.
type DraftError struct{ Err error }

func (e *DraftError) Error() string { return e.Err.Error() }

// Unwrap returns the error without the blame.
func (e *DraftError) Unwrap() error { return e.Err }

// Saves reports whether the draft may be saved: it changes something, nobody has to decide whose value counts, and the
// reconciler would accept it.
func (p *Preview) Saves() bool { return len(p.Changes) > 0 && len(p.Conflicts)+len(p.Problems) == 0 }

// Places returns where the files of what a draft edits say something after it.
func (p *Preview) Places() (places []cuefile.Place) {
	if p.is == nil {
		return nil // it was not carried out
	}
	for _, dir := range dirsOf(p.Changes) {
		files, err := layerFiles(p.is, dir)
		if err != nil {
			continue
		}
		for _, f := range files {
			more, _ := cuefile.Index(f)
			places = append(places, more...)
		}
	}
	return places
}

// mostText is how large a file is at most whose text is shown, in bytes.
const mostText = 64 << 10

// Text returns a file after the draft, false where values of secrets are in it, or may be, and where it is large.
func (p *Preview) Text(name string) (text string, ok bool) {
	if p.is == nil {
		return "", false
	}
	files, err := layerFiles(p.is, path.Dir(name))
	if err != nil {
		return "", false
	}
	is := contentOf(files, name)
	open := contentOf(p.veil.files(path.Dir(name), files, hidden), name)
	return string(is), is != nil && len(is) <= mostText && bytes.Equal(is, open)
}

// Shown returns the preview as somebody may see it who may not see values of secrets, with its changes as a unified diff. That
// tells of a value only whether it is another one.
func (p Preview) Shown() (shown Preview, diff string, err error) {
	diff, err = p.veil.diff(p.was, p.is, p.Changes)
	p.Problems = p.veil.problems(p.Problems)
	p.Plan.Problems = p.veil.problems(p.Plan.Problems)
	p.Plan.Solved = p.veil.problems(p.Plan.Solved)
	p.Plan.Applications = p.veil.applications(p.Plan.Applications)
	p.Plan.Objects = p.veil.objects(p.Plan.Objects)
	p.Changes = nil
	return p, diff, err
}

// Preview carries out a draft on the files of the base, in memory, and tells what it would do: the files, the problems that
// vet would report, and the plan. The base has to be followed before.
func (b *Base) Preview(ctx context.Context, d Draft) (p Preview, err error) {
	p.Commit, p.was, p.veil = b.was.commit, b.was.files, veilOf(d.dirs(), &b.was.side)
	if d.Base != "" {
		from, err := b.c.Tree.Revision(ctx, d.Base)
		if err != nil {
			return p, &DraftError{err}
		}
		base, err := b.c.Tree.Commit(ctx, from)
		if err != nil {
			return p, err
		}
		if p.Conflicts, err = d.Conflicts(base, b.was.files); err != nil {
			err = &DraftError{err}
		} else {
			err = p.veil.conflicts(p.Conflicts, base, b.was.files)
		}
		if err != nil || len(p.Conflicts) > 0 {
			return p, err
		}
	}
	is, err := b.carryOut(ctx, d, &p)
	if err != nil {
		return p, err
	}
	p.is, p.veil = is.files, veilOf(slices.Concat(d.dirs(), dirsOf(p.Changes)), &b.was.side, &is)
	n := slices.Clone(b.notes)
	after, err := decide(is, b.rec.Ledger, b.c.Now, b.c.Capacity, &n)
	if err != nil {
		return p, err
	}
	p.Plan = b.c.differences(b.a, b.rec, b.was, after, n)
	err = addPeople(b.c.Tree, b.was.side, is, &p.Plan, b.c.Now)
	if p.Plan, err = b.c.meet(ctx, b.a, p.Plan, err); err != nil {
		return p, err
	}
	return p, ctx.Err()
}

// Check returns the problems of a preview, which cost less than all of it.
func (b *Base) Check(ctx context.Context, d Draft) ([]model.Problem, error) {
	var p Preview
	_, err := b.carryOut(ctx, d, &p)
	return p.Problems, err
}

// carryOut returns the base after a draft.
func (b *Base) carryOut(ctx context.Context, d Draft, p *Preview) (is side, err error) {
	if p.Changes, err = d.Splice(b.was.files); err != nil {
		return is, &DraftError{err}
	}
	is = b.was.side
	if is.files, err = b.c.Tree.With(b.was.files, p.Changes...); err != nil {
		return is, err
	}
	is.name, is.commit = "with this change", uncommitted
	if is.fleet, err = b.a.assess(ctx, is.revision); err != nil {
		return is, err
	}
	is.checked = b.a.rendered
	p.Problems = refusing(d, b.was.side.vetted(b.c.Now), is.vetted(b.c.Now))
	return is, nil
}

// vetted returns the problems that vet reports.
func (s *side) vetted(now time.Time) []model.Problem { return vetted(s.checked, s.fleet, now).Problems }

// vetted returns a fleet with the problems that vet reports.
func vetted(checked *turn.Checked, fleet model.Fleet, now time.Time) model.Fleet {
	fleet = checked.Settle(fleet)
	fleet.Problems = slices.Concat(fleet.Problems, access.New(fleet.Platform, fleet.Tenants).Problems(now)) // the fleet keeps its own
	return fleet
}

// refusing returns the problems of what a draft edits, and those that were not there before it.
func refusing(d Draft, before, after []model.Problem) []model.Problem {
	known := map[string]bool{}
	for i := range before {
		known[plan.Saying(&before[i])] = true
	}
	var edited []model.AppID
	for _, dir := range d.dirs() {
		tenant, app := subject(dir)
		edited = append(edited, model.AppID{Tenant: tenant, Name: app})
	}
	return slices.DeleteFunc(after, func(p model.Problem) bool {
		concerns := slices.ContainsFunc(edited, func(id model.AppID) bool { return concerns(&p, id) })
		return known[plan.Saying(&p)] && !concerns
	})
}

// subject returns whose directory it is: of an application, a tenant, or of the platform.
func subject(dir string) (tenant, app string) {
	part := strings.Split(dir, "/")
	if len(part) >= 2 && part[0] == "tenants" {
		tenant = part[1]
	}
	if len(part) >= 4 && part[2] == "apps" {
		app = part[3]
	}
	return tenant, app
}

// Diff returns the changes of files as a unified diff.
func Diff(changes []clone.Change) string {
	var out strings.Builder
	for _, c := range changes {
		before := "a/" + c.Name
		if c.Before == nil {
			before = "/dev/null"
		}
		after := "b/" + c.Name
		if c.After == nil {
			after = "/dev/null"
		}
		_, text, _ := bytes.Cut(diff.Diff(before, c.Before, after, c.After), []byte("\n"))
		out.Write(text)
	}
	return out.String()
}
