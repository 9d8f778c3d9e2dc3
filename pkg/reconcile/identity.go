package reconcile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
)

// Recognition is how a loop recognizes the ledger that its fleet follows.
type Recognition struct {
	Anchor Anchor // nil: the cluster remembers nothing
	Copy   Copy   // nil: this machine keeps nothing
	Branch string // where the ledger is, for the anchor and for people

	// Adopt takes at a start what the branch says for the ledger of the fleet, also
	// where it is missing, foreign or older than it was.
	Adopt bool

	// Signed reports that the branch believes only saves that trusted keys have signed.
	Signed bool
	// Foreign returns the latest tips of the branch that were not believed or were deleted,
	// and how many there were. It may be nil.
	Foreign func() (latest []status.ForeignCommit, count int)
	// FromMemory reports that what was loaded last is not what the branch holds. Somebody
	// else may have saved since, so the cluster is asked. It may be nil.
	FromMemory func() bool

	NewID func() string // makes the id of a ledger that has none; nil: status.NewLedgerID
}

// Anchor is what the cluster remembers of the ledger. *kubernetes.Runtime has one.
type Anchor interface {
	// Anchor returns what the cluster remembers, and false if that is nothing. It may
	// be damaged: anybody with access to the cluster can change it.
	Anchor(ctx context.Context) (model.Anchor, bool, error)
	// SetAnchor replaces it with one request.
	SetAnchor(ctx context.Context, anchor model.Anchor) error
	// Inventories returns the inventories of the objects of the fleet, in order, and the
	// number of changes to them that it knows of. If there was none after the number
	// given, it returns none. That of a tenant has no name of an application.
	Inventories(ctx context.Context, after int) (list []model.Inventory, changes int, err error)
}

// Copy is the copy of the ledger on this machine. *status.Branch has one.
type Copy interface {
	// KeptIdentity returns which save is kept, zero if none is.
	KeptIdentity() model.LedgerIdentity
	// Kept returns the ledger that is kept, and false if there is none.
	Kept() (model.Ledger, bool)
	// Accept keeps the ledger that was loaded last.
	Accept()
}

// identification is what a loop knows of the identity of its ledger.
type identification struct {
	known    model.LedgerIdentity // of the last save that was made or recognized; zero until then
	anchored model.LedgerIdentity // what the anchor says
	fresh    string               // id for a ledger that has none
	told     refusalTold
	orphans  orphans
	damaged  []model.DamagedRecord // that were logged
	progress progress
	foreign  int  // tips that were told
	recalled bool // the runtimes were told what was shown before this process began
}

// remembered is the last save that is remembered, zero if none is.
func (i *identification) remembered() model.LedgerIdentity {
	if i.known.ID != "" {
		return i.known
	}
	return i.anchored
}

// refusalTold is what the log said last of a refusal, and when.
type refusalTold struct {
	what string
	at   time.Time
}

// tell reports whether the log is to say an error: if it is about the ledger, when it
// changes, and else once a minute.
func (t *refusalTold) tell(err error, now time.Time) bool {
	if _, refused := errors.AsType[*LedgerRefusedError](err); !refused {
		*t = refusalTold{}
		return true
	}
	if t.what == err.Error() && now.Sub(t.at) < time.Minute {
		return false
	}
	*t = refusalTold{err.Error(), now}
	return true
}

// load reads the ledger, and returns it if it is the one that the fleet follows. A
// branch that holds none is one that was never the ledger.
func (l *Loop) load(ctx context.Context) (model.Ledger, error) {
	ledger, err := l.o.Status.Load(ctx)
	l.identity.tellForeign(ctx, &l.o)
	other, foreign := (*status.NotLedgerError)(nil), (*status.ForeignError)(nil)
	switch {
	case errors.As(err, &foreign):
		return ledger, unverified(foreign)
	case errors.As(err, &other):
		memory := memory{fleet: l.o.Fleet}
		if l.identity.known.ID == "" {
			if memory, err = l.remember(ctx); err != nil {
				return ledger, fmt.Errorf("find out which ledger the fleet follows: %w", err)
			}
		}
		return ledger, &LedgerRefusedError{
			Reason: RefusedForeign, what: fmt.Sprintf("branch %q: %s", l.o.Recognition.Branch, other), keptIsLast: memory.keptIsLast(),
		}
	case err != nil:
		return ledger, fmt.Errorf("read the status branch: %w", err)
	}
	return l.recognize(ctx, ledger)
}

// recognize returns the ledger that was loaded if it is the one that the fleet
// follows, and a *LedgerRefusedError if it is not. A ledger without an id gets one,
// which the first save writes.
func (l *Loop) recognize(ctx context.Context, ledger model.Ledger) (model.Ledger, error) {
	memory := memory{fleet: l.o.Fleet, branch: l.o.Recognition.Branch, last: l.identity.known}
	starts := l.identity.known.ID == ""
	if starts {
		var err error
		if memory, err = l.remember(ctx); err != nil {
			return ledger, fmt.Errorf("find out which ledger the fleet follows: %w", err)
		}
	}
	memory.signed = l.o.Recognition.Signed
	if err := l.o.Recognition.witness(ctx, &memory); err != nil {
		return ledger, fmt.Errorf("find out whether somebody has saved since, as the status branch does not hold the last save: %w", err)
	}
	if refused := memory.judge(&ledger); refused != nil {
		if !starts || !l.o.Recognition.Adopt {
			return ledger, refused
		}
		l.o.Log.Warn("adopting the status branch as it is", "instead-of", refused.Error())
		if refused.Reason != RefusedForeign || ledger.Identity.Fleet != l.o.Fleet {
			// Two histories of one id could not be told apart, nor the approvals in them.
			ledger.Identity.ID = ""
		}
	}
	if kept := l.o.Recognition.Copy; kept != nil && !l.o.DryRun {
		kept.Accept()
	}
	if starts {
		l.identity.progress.begin(&l.identity.anchored, &ledger.Identity)
	}
	l.identity.noteDamage(l.o.Log, ledger.Damaged)
	if ledger.Identity.ID == "" {
		if l.identity.fresh == "" {
			l.identity.fresh = l.o.Recognition.NewID()
		}
		ledger.Identity = model.LedgerIdentity{ID: l.identity.fresh, Fleet: l.o.Fleet}
	} else {
		l.identity.known = ledger.Identity // also where nothing can be saved now
	}
	return ledger, nil
}

// witness has the cluster say which save was the last one if that of this process is not
// the one that the branch holds: the branch cannot tell of the saves of others then.
func (r *Recognition) witness(ctx context.Context, m *memory) (err error) {
	if m.last.ID == "" || r.Anchor == nil || r.FromMemory == nil || !r.FromMemory() {
		return nil
	}
	if m.anchor, m.anchored, err = r.Anchor.Anchor(ctx); m.anchored {
		m.last = model.LedgerIdentity{}
	}
	return err
}

// noteDamage writes one line for each record that is newly found to be damaged.
func (i *identification) noteDamage(log *slog.Logger, damaged []model.DamagedRecord) {
	for k := range damaged {
		if d := &damaged[k]; !slices.Contains(i.damaged, *d) {
			log.Error("record damaged", "app", d.App, "file", d.File, "error", d.Reason, "status-commit", d.Commit, "hint", d.String())
		}
	}
	i.damaged = damaged
}

// remember asks the cluster and this machine which ledger the fleet follows.
func (l *Loop) remember(ctx context.Context) (memory, error) {
	m := memory{fleet: l.o.Fleet, branch: l.o.Recognition.Branch}
	if kept := l.o.Recognition.Copy; kept != nil {
		m.kept = kept.KeptIdentity()
	}
	anchor := l.o.Recognition.Anchor
	if anchor == nil {
		return m, nil
	}
	var err error
	if m.anchor, m.anchored, err = anchor.Anchor(ctx); err != nil {
		return m, err
	}
	if m.anchored {
		l.identity.anchored, l.identity.progress = m.anchor.LedgerIdentity, progressOf(&m.anchor)
		return m, nil
	}
	inventories, _, err := anchor.Inventories(ctx, 0)
	for i := range inventories {
		if id := inventories[i].Ledger; !slices.Contains(m.objects, id) {
			m.objects = append(m.objects, id)
		}
	}
	slices.Sort(m.objects)
	return m, err
}

// anchor makes the cluster remember a ledger that was saved, before anything acts on
// it. What the cluster remembers already costs no request.
func (l *Loop) anchor(ctx context.Context, saved *model.Ledger) error {
	l.identity.known = saved.Identity
	if l.o.Recognition.Anchor == nil || l.identity.anchored == saved.Identity {
		return nil
	}
	err := l.o.Recognition.Anchor.SetAnchor(ctx, model.Anchor{
		LedgerIdentity: saved.Identity, Commit: saved.Commit, Tree: treeOf(saved), Branch: l.o.Recognition.Branch,
		Announced: l.identity.progress.told, Delivered: l.identity.progress.deliveredUpTo(&l.o),
	})
	if err != nil {
		return fmt.Errorf("remember the saved ledger in the cluster: %w; nothing new is started or stopped until that can be written", err)
	}
	l.identity.anchored = saved.Identity
	return nil
}

// correctDrift acts again on the last ledger that is known to be the one of the fleet,
// while the branch holds none that is: the one that was acted on last or, at a start,
// the copy on this machine. If somebody has saved since, it does nothing: it would make
// again what the later save ended.
func (l *Loop) correctDrift(ctx context.Context, refused *LedgerRefusedError, r *Report) error {
	if l.acted.Platform == nil && l.o.Recognition.Copy != nil && refused.keptIsLast {
		l.acted, _ = l.o.Recognition.Copy.Kept()
	}
	if l.acted.Platform == nil || l.o.DryRun {
		return nil
	}
	if later, err := l.o.Recognition.savedSince(ctx, l.acted.Identity); err != nil || later {
		return err
	}
	err := l.declared.hold(ctx, l.acted.Commit, r)
	return errors.Join(err, l.act(ctx, l.acted, r))
}

// savedSince reports whether the cluster remembers another save than the ones up to this
// one.
func (r *Recognition) savedSince(ctx context.Context, save model.LedgerIdentity) (bool, error) {
	if r.Anchor == nil {
		return false, nil
	}
	anchor, anchored, err := r.Anchor.Anchor(ctx)
	if err != nil {
		return false, fmt.Errorf("find out whether somebody has saved since: %w", err)
	}
	return anchored && (!anchor.Same(save) || anchor.Sequence > save.Sequence), nil
}
