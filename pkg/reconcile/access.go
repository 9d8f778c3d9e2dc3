package reconcile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
)

// gate is where commits are let in: what was judged last, to say it once and not
// to walk a long history for it again.
type gate struct {
	root string // Options.TrustRoot

	tip, accepted string // of the last judgement …
	refused       *access.Violation
	walked        bool // … which a walk through the history has settled

	said    access.Violation // what the log has heard of
	trusted bool             // the log has heard what was trusted at first
}

// admitted returns the part of the branch that is accepted, and the fleet that it
// declares: the snapshot, or the last good commit before one that nobody who may
// has signed. Nothing after such a commit counts, however good. If not even the
// last accepted commit can be had any more, everything stays as the ledger says.
func (l *Loop) admitted(snap source.Snapshot, ledger model.Ledger) (accepted source.Snapshot, fleet model.Fleet, refused *access.Violation, err error) {
	commit, refused, err := l.judge(snap, ledger, l.now())
	if err != nil {
		return snap, fleet, nil, fmt.Errorf("check who may change what: %w", err)
	}
	l.tell(refused, commit)
	accepted, err = l.source.Accept(commit)
	switch {
	case err == nil:
		fleet = l.evaluate(accepted)
	case refused != nil && errors.Is(err, source.ErrGone):
		accepted.Commit, fleet = commit, held(ledger, refused)
	default:
		return snap, fleet, nil, fmt.Errorf("read the last accepted commit: %w", err)
	}
	if ledger.Commit == "" && refused == nil && !l.gate.trusted && (layers{fleet.Platform, nil}).policy().Enforced() {
		l.gate.trusted = true
		l.log.Warn("nothing was accepted before; a first commit is trusted as it is, and signatures are checked after it",
			"commit", cmp.Or(l.gate.root, commit), "trust-root", l.gate.root != "")
	}
	return accepted, fleet, refused, nil
}

// judge walks from what was accepted last to the tip of the branch and returns the
// last good commit, and why the one after it is refused.
func (l *Loop) judge(snap source.Snapshot, ledger model.Ledger, now time.Time) (good string, refused *access.Violation, err error) {
	if snap.Commit == ledger.Commit {
		return snap.Commit, nil, nil
	}
	if g := &l.gate; g.walked && g.tip == snap.Commit && g.accepted == ledger.Commit {
		return g.accepted, g.refused, nil
	}
	l.gate.walked = false
	defer func() { l.gate.tip, l.gate.accepted, l.gate.refused = snap.Commit, good, refused }()
	if _, err := l.source.Accept(snap.Commit); err != nil { // so that all of it can be read
		return "", nil, err
	}
	if ledger.Commit == "" && l.gate.root == "" {
		return snap.Commit, nil, nil
	}
	line, base, err := l.line(snap, ledger)
	var off *offLine
	switch {
	case errors.As(err, &off):
		l.gate.walked = off.refused != nil
		return off.stay, off.refused, nil
	case err != nil:
		return "", nil, err
	}
	in := layers{ledger.Platform, ledger.Tenants}
	if base != ledger.Commit {
		if in, err = l.layersAt(base, in); err != nil {
			return "", nil, err
		}
		if in.platform == nil {
			return ledger.Commit, &access.Violation{Code: access.CodeNoTrustRoot, Commit: base, Signer: "unknown",
				Reason: "is the trust root and declares no valid platform", Hint: "start with --trust-root at a commit whose platform is valid"}, nil
		}
	}
	return l.verify(line, base, in, now)
}

// verify judges commit by commit, each by what held before it.
func (l *Loop) verify(line []string, base string, in layers, now time.Time) (good string, refused *access.Violation, err error) {
	policy := in.policy()
	good = base
	for _, commit := range line {
		saysWho, signer := true, ""
		if policy.Enforced() {
			c, err := l.source.Commit(commit)
			if err != nil {
				return "", nil, err
			}
			if signer, refused = policy.Verify(access.Commit(c), now); refused != nil {
				return good, refused, nil
			}
			saysWho = slices.ContainsFunc(c.Paths, access.SaysWho)
		}
		if saysWho {
			if in, err = l.layersAt(commit, in); err != nil {
				return "", nil, err
			}
			if policy = in.policy(); policy.Enforced() && !policy.Governed(now) {
				return good, &access.Violation{Code: access.CodeLockout, Commit: commit, Signer: signer,
					Reason: "leaves no platform admin with a key that is valid now, so that nobody could change the platform any more",
					Hint:   "name one, in a merge onto the last accepted commit (docs/access.md)"}, nil
			}
		}
		good = commit
	}
	return good, nil, nil
}

// offLine says that the branch does not follow from what was accepted, and what is
// done about it.
type offLine struct {
	stay    string // the commit that is accepted
	refused *access.Violation
}

func (*offLine) Error() string { return "the branch does not follow from what was accepted" }

// line returns the commits after the last accepted one, or after the trust root if
// that is newer, up to the snapshot.
func (l *Loop) line(snap source.Snapshot, ledger model.Ledger) (line []string, base string, err error) {
	stops := []string{ledger.Commit, l.gate.root}
	line, base, err = l.source.Line(snap.Commit, slices.DeleteFunc(stops, func(s string) bool { return s == "" })...)
	if err != nil && !isOffLine(err) {
		return nil, "", err
	}
	if ledger.Commit == "" {
		if err != nil {
			return nil, "", &offLine{"", &access.Violation{Code: access.CodeNoTrustRoot, Commit: snap.Commit, Signer: "unknown",
				Reason: "does not follow from the trust root " + l.gate.root + " on first parents",
				Hint:   "start with --trust-root at a commit of the branch"}}
		}
		return line, base, nil
	}
	if err == nil && base != ledger.Commit {
		newer, failed := l.newer(base, ledger.Commit)
		if failed != nil {
			return nil, "", failed
		}
		if !newer {
			err = source.ErrNotOnLine // an old root is no way around what was accepted after it
		}
	}
	if err == nil {
		return line, base, nil
	}
	if !(layers{ledger.Platform, nil}).policy().Enforced() {
		return nil, "", &offLine{snap.Commit, nil}
	}
	if snap.Pinned {
		if _, _, back := l.source.Line(ledger.Commit, snap.Commit); back == nil {
			return nil, "", &offLine{snap.Commit, nil} // was accepted once; whoever runs us wants it back
		} else if !isOffLine(back) {
			return nil, "", back
		}
	}
	return nil, "", &offLine{ledger.Commit, &access.Violation{Code: access.CodeRewritten, Commit: snap.Commit, Signer: "unknown",
		Reason: "does not follow from the last accepted commit on first parents: the branch was rewritten, or merged the wrong way round",
		Hint:   "push a signed merge whose first parent is the last accepted commit (docs/access.md)"}}
}

func isOffLine(err error) bool {
	return errors.Is(err, source.ErrNotOnLine) || errors.Is(err, source.ErrGone) || errors.Is(err, source.ErrTooFar)
}

// newer says whether a trust root comes after what was accepted last, or from
// another history altogether. Only a root that was not behind us before can be
// what somebody means now.
func (l *Loop) newer(root, accepted string) (bool, error) {
	_, _, err := l.source.Line(root, accepted)
	if err == nil {
		return true, nil
	}
	if !isOffLine(err) {
		return false, err
	}
	_, _, err = l.source.Line(accepted, root)
	switch {
	case err == nil, errors.Is(err, source.ErrGone), errors.Is(err, source.ErrTooFar):
		return false, nil
	case errors.Is(err, source.ErrNotOnLine):
		return true, nil
	}
	return false, err
}

// layers are what a policy is made of, each as it was last valid.
type layers struct {
	platform *model.Platform
	tenants  []model.Tenant
}

func (in layers) policy() *access.Policy { return access.New(in.platform, in.tenants) }

// layersAt returns the layers of a commit. Where one is not valid, that of before
// holds.
func (l *Loop) layersAt(commit string, before layers) (layers, error) {
	files, err := l.source.At(commit)
	switch {
	case errors.Is(err, git.ErrMissing):
		return before, err
	case err != nil: // it is beyond the limits, so nothing in it is valid
		return before, nil
	}
	fleet := l.evaluator.Layers(files)
	if fleet.Incomplete {
		return before, fmt.Errorf("the layers of commit %s cannot be evaluated now", commit)
	}
	if fleet.Platform == nil {
		return before, nil
	}
	after := layers{fleet.Platform, slices.Clone(fleet.Tenants)}
	for i := range before.tenants {
		if slices.Contains(fleet.UnusableTenants, before.tenants[i].Name) {
			after.tenants = append(after.tenants, before.tenants[i])
		}
	}
	return after, nil
}

// held is the fleet that the ledger remembers, when the repository has nothing to
// go by.
func held(ledger model.Ledger, why *access.Violation) model.Fleet {
	fleet := model.Fleet{Commit: ledger.Commit, Platform: ledger.Platform, Tenants: slices.Clone(ledger.Tenants), Incomplete: true}
	for i := range ledger.Instances {
		fleet.Unusable = append(fleet.Unusable, model.Unusable{App: ledger.Instances[i].App, Code: why.Code, Message: why.Error()})
	}
	return fleet
}

// tell writes one line for each new reason to stay behind the branch.
func (l *Loop) tell(refused *access.Violation, stays string) {
	if refused == nil {
		l.gate.said = access.Violation{}
		return
	}
	if *refused != l.gate.said {
		l.log.Warn("commit refused", "commit", refused.Commit, "code", refused.Code, "signer", refused.Signer, "path", refused.Path,
			"reason", refused.Reason, "hint", refused.Hint, "stays", stays)
		l.gate.said = *refused
	}
}
