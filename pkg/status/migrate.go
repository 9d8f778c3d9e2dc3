package status

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Migration reports what Migrate did.
type Migration struct {
	From   Format   `json:"from"`
	To     Format   `json:"to"`
	Commit string   `json:"commit"`          // where the branch is now
	Lacks  []string `json:"lacks,omitempty"` // records and fields that To has no place for
}

// Migrate writes the ledger in another major format: an older one, so that an older
// program can continue from it, or the current one. It is one commit, which
// changes no meaning, and the same compare-and-swap as every save. Stop every
// reconciler first: one that runs would migrate the branch again at its next save.
func (b *Branch) Migrate(ctx context.Context, major int) (Migration, error) {
	to := Current
	if major != Current.Major {
		to = Format{Major: major}
	}
	if major < Oldest || major > Current.Major {
		return Migration{}, fmt.Errorf("migrate status branch: cannot write format %d; this program writes %d and %d", major, Oldest, Current.Major)
	}
	if _, err := b.Load(ctx); err != nil {
		return Migration{}, err
	}
	defer b.work()()
	m := Migration{From: b.state.format, To: to, Commit: b.state.head.String()}
	switch {
	case b.state.head == git.ZeroHash:
		return m, errors.New("migrate status branch: there is no branch " + b.o.Branch + " yet; the first pass of the reconciler writes it")
	case m.From.Major == to.Major:
		m.To = m.From
		return m, nil
	}
	if d := b.state.ledger.Damaged; len(d) > 0 {
		return m, fmt.Errorf("migrate status branch: %s; a migration would lose the file", &d[0])
	}
	if major < m.From.Major {
		for _, file := range slices.Sorted(maps.Keys(b.state.more)) {
			for _, field := range slices.Sorted(maps.Keys(b.state.more[file])) {
				m.Lacks = append(m.Lacks, file+": "+text.Clean(field))
			}
		}
		if b.state.ledger.Source != (model.SourceState{}) {
			m.Lacks = append(m.Lacks, sourceFile+": whether the fleet repo can be read, and whether its branch was moved back")
		}
		if b.state.ledger.PastUse != nil {
			m.Lacks = append(m.Lacks, usageFile+": what tenants had, which is learned anew")
		}
		for _, q := range b.state.ledger.OverQuota {
			file, _ := quotaFileOf(q.Tenant)
			m.Lacks = append(m.Lacks, file+": since when "+text.Clean(q.Owner())+" is over its quota of "+text.Clean(q.What()))
		}
		for i := range b.state.ledger.Instances {
			in := &b.state.ledger.Instances[i]
			if m.Lacks = append(m.Lacks, lacking(in)...); in.Spec != nil && slices.ContainsFunc(in.Spec.Components, func(c model.Component) bool { return c.Type == "secret" }) {
				m.Lacks = append(m.Lacks, path.Join(tenantsDir, in.App.String(), specFile)+": the digest that programs of format 1 give a spec with secrets; they take it for another spec, and begin its run anew")
			}
		}
		if len(b.state.ledger.Orphans) > 0 {
			m.Lacks = append(m.Lacks, orphansFile+": the objects that no record knows")
		}
		for i := range b.state.ledger.Decisions {
			if d := &b.state.ledger.Decisions[i]; d.Standing == model.StandingWithinSlack {
				m.Lacks = append(m.Lacks, path.Join(tenantsDir, d.App.String(), decisionFile)+`: the standing "within slack"; it says "entitled"`)
			}
		}
	}
	objects := git.NewObjects()
	saved, err := b.migrated(objects, b.state, to, b.state.following(b.state.ledger.Identity))
	if err == nil {
		m.Commit = saved.head.String()
		_, err = b.push(ctx, saved, objects)
	}
	return m, unpushed("migrate", "stop every reconciler", err)
}

// unpushed says what to do after a commit that somebody asked for did not get onto the branch.
func unpushed(what, first string, err error) error {
	switch {
	case errors.Is(err, ErrMoved):
		return fmt.Errorf("%s status branch: somebody else wrote to it meanwhile; %s, then try again", what, first)
	case err != nil:
		return fmt.Errorf("%s status branch: %w; nothing has changed", what, err)
	}
	return nil
}

// migrated adds the commit that writes the ledger of a state in another format. Which
// ledger it is goes with it: format 1 keeps the file, although its programs do not
// read it, so that an approval counts and the anchor holds after a migration back.
func (b *Branch) migrated(objects *git.Objects, from *state, to Format, identity model.LedgerIdentity) (*state, error) {
	stale := *from
	stale.stale = true
	p := stale.newPlan(to)
	p.more = nil
	for _, file := range from.tree.files("") {
		if from.format.isRecord(file) {
			p.edits.remove(file)
		}
	}
	ledger := from.ledger
	if to.Major == 1 {
		ledger.Instances = slices.Clone(ledger.Instances)
		for i := range ledger.Instances {
			ledger.Instances[i] = *formerNames(&ledger.Instances[i])
		}
	}
	if err := p.records(&ledger); err != nil {
		return nil, err
	}
	if err := p.identity(identity); err != nil {
		return nil, err
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	made := p.apply(objects)
	return made, b.commit(objects, from.head, made, p.message(b.o.WrittenBy))
}
