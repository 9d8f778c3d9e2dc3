package reconcile

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
)

// A claimed is a spec of a ledger that nobody signs, as far as something is carried out by
// it, and the commit that is said to declare it.
type claimed struct {
	app     model.AppID
	release model.Digest
	deletes bool // it wants its data deleted
	commit  string
}

func claimOf(spec *model.Application) claimed {
	deletes := spec.Lifecycle.Deletion == model.DeletionDeleteData && spec.Policy.Deletion == model.DeletionDeleteData
	return claimed{spec.ID, spec.Release, deletes, spec.Commit}
}

func (c claimed) is(spec *model.Application) bool {
	if spec == nil {
		return false
	}
	other := claimOf(spec)
	return other.release == c.release && other.deletes == c.deletes
}

// specs returns the specs of an instance by which something is carried out. That of one
// that has ended says nothing but whether its data goes, too.
func specs(inst *model.Instance) []*model.Application {
	if !inst.HasObjects() && !inst.DeletesData() {
		return nil
	}
	return inst.Specs()
}

// A finding is what the commit of a spec says of it.
type finding int

const (
	pending finding = iota // not known yet
	shown                  // it declares the spec
	refuted                // it declares something else, or nothing
	invalid                // what it declares is not valid, as under the rules of another version
)

// vouched is what is known of the specs of a ledger.
type vouched struct {
	findings map[claimed]finding
	ledger   model.Revision // they are about
	commit   string         // that was accepted then: what its fleet does not declare is looked up again, so that all who follow it agree
	settled  bool           // none is pending
	doubts   map[model.AppID]lifecycle.Doubt
}

// vouch finds out which specs of a ledger that nobody signs are those of their commits,
// and returns why others are not, by application. What cannot be found out now is looked
// at again in the next pass.
func (d *declared) vouch(ledger *model.Ledger) {
	switch {
	case d.o.Recognition.Signed:
		return
	case d.vouched.commit != d.accepted.Commit:
		d.vouched = vouched{}
	case d.vouched.settled && ledger.Revision != model.Revision{} && ledger.Revision == d.vouched.ledger:
		return
	}
	known, doubts := map[claimed]finding{}, map[model.AppID]lifecycle.Doubt{}
	settled := true
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		for _, spec := range specs(inst) {
			c := claimOf(spec)
			found := d.vouched.findings[c]
			if found == pending {
				found = d.find(c, spec)
			}
			known[c], settled = found, settled && found != pending
			switch found {
			case refuted:
				doubts[inst.App] = lifecycle.Doubt{Refuted: true, Why: fmt.Sprintf(
					"commit %s does not declare what the record says, and nobody signs the status branch; what runs stays as it is until Git has another release", c.commit)}
			case invalid:
				doubts[inst.App] = lifecycle.Doubt{Why: fmt.Sprintf(
					"commit %s is not valid any more, so it does not show what the record says, and nobody signs the status branch; what runs stays as it is until Git declares a valid release", c.commit)}
			}
		}
	}
	d.vouched = vouched{known, ledger.Revision, d.accepted.Commit, settled, doubts}
}

// find looks for a spec in its commit. The fleet at hand answers for nearly all. Of a spec
// with files beside it, these have to be the same.
func (d *declared) find(c claimed, spec *model.Application) finding {
	beside := slices.ContainsFunc(spec.Components, func(c model.Component) bool { return c.Source != "" })
	if d.declares(c) && (!beside || d.sameFiles(c)) {
		return shown
	}
	says, unusable, final := d.o.Evaluator.Application(c.app, cmp.Or(c.commit, d.accepted.Commit), func(commit string) (evaluate.Files, error) {
		then, err := d.accepted.At(commit)
		return then.Files, err
	})
	switch {
	case c.is(says):
		return shown
	case !final:
		return pending
	case unusable:
		return invalid
	}
	return refuted
}

// sameFiles reports whether the directory of an application is as it was in the commit.
func (d *declared) sameFiles(c claimed) bool {
	then, err := d.accepted.At(c.commit)
	if err != nil || then.Files == nil || d.accepted.Files == nil {
		return false
	}
	dir := path.Join("tenants", c.app.Tenant, "apps", c.app.Name)
	was, err := then.Files.Digest(dir)
	is, otherErr := d.accepted.Files.Digest(dir)
	return err == nil && otherErr == nil && was == is
}

// declares reports whether the fleet declares a spec.
func (d *declared) declares(c claimed) bool {
	i, ok := slices.BinarySearchFunc(d.fleet.Applications, c.app, func(a *model.Application, app model.AppID) int { return a.ID.Compare(app) })
	return ok && c.is(d.fleet.Applications[i])
}

// vouches reports whether something may be carried out by what the record of an instance
// says: somebody signed it, or its commits declare it.
func (d *declared) vouches(inst *model.Instance) bool {
	if d.o.Recognition.Signed {
		return true
	}
	for _, spec := range specs(inst) {
		c := claimOf(spec)
		found := d.vouched.findings[c]
		if found == invalid && !inst.Phase.Active() && !inst.DeletesData() {
			continue // it has ended, and what the inventory has of it goes
		}
		if found != shown && (found != pending || !d.declares(c)) {
			return false
		}
	}
	return true
}
