package access

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Recorded is the last accepted commit, "" if there is none, and the last valid layers.
type Recorded struct {
	Commit   string
	Platform *model.Platform
	Tenants  []model.Tenant
}

// RecordedIn returns the record of a ledger.
func RecordedIn(l *model.Ledger) Recorded { return Recorded{l.Commit, l.Platform, l.Tenants} }

func (r Recorded) policy() *Policy { return New(r.Platform, r.Tenants) }

// Verdict is the accepted part of a branch.
type Verdict struct {
	Commit  string     // the last accepted commit, "" if there is none
	Refused *Violation // why the commit after it is refused, nil if Commit is the tip

	// Unavailable reports that the repository does not have Commit, so that everything
	// stays as recorded.
	Unavailable bool
}

// Judge accepts the commits of a branch one by one, each by the keys and roles that
// were in force before it, up to the first that it refuses. Later commits do not
// count, even good ones, but for a review, which may bring what an earlier one lacks.
// root is the trust root, "" for none.
//
// layers evaluates the layers of a commit. Judge calls it only for commits that may
// change the policy of access, after it has accepted their signatures, and returns its
// errors.
func Judge(line Line, recorded Recorded, root string, now time.Time, layers func(commit string) (model.Fleet, error)) (Verdict, error) {
	in := recorded
	switch {
	case line.Tip == recorded.Commit, recorded.Commit == "" && root == "":
		return Verdict{Commit: line.Tip}, nil
	case recorded.Commit == "" && line.Base == "":
		return stay(line, recorded, &Violation{Code: CodeNoTrustRoot, Commit: line.Tip, Signer: "unknown",
			Reason: "does not follow from the trust root " + root + " on first parents",
			Hint:   "start with --trust-root at a commit of the branch"}), nil
	case recorded.Commit != "" && !line.judgeable(recorded.Commit):
		return judgeOffLine(line, recorded), nil
	case line.Base != recorded.Commit:
		fleet, err := layers(line.Base)
		if err != nil {
			return Verdict{}, err
		}
		if in = in.then(line.Base, fleet); in.Platform == nil {
			return stay(line, recorded, &Violation{Code: CodeNoTrustRoot, Commit: line.Base, Signer: "unknown",
				Reason: "is the trust root and declares no valid platform", Hint: "start with --trust-root at a commit whose platform is valid"}), nil
		}
	}
	return judgeCommits(line, in, now, layers)
}

// judgeable reports whether the commits of a line follow from the recorded commit, or
// from a valid trust root. A root is valid if it is newer than the recorded commit or
// from another history. An older root would undo commits that were accepted after it.
func (l Line) judgeable(recorded string) bool {
	return l.Base == recorded || l.Base != "" && (l.RootIs == Follows || l.RootIs == Apart)
}

// judgeOffLine judges a tip that does not follow from the recorded commit.
func judgeOffLine(line Line, recorded Recorded) Verdict {
	switch {
	case !recorded.policy().Enforced():
		return Verdict{Commit: line.Tip}
	case line.Pinned && line.TipIs == Precedes: // the operator goes back to a commit that was accepted once
		return Verdict{Commit: line.Tip}
	}
	reason := "does not follow from the last accepted commit on first parents: the branch was rewritten, or merged the wrong way round"
	if line.TipIs == TooFar {
		reason = "is too far from the last accepted commit: the history between them is longer than is read"
	}
	return stay(line, recorded, &Violation{Code: CodeRewritten, Commit: line.Tip, Signer: "unknown", Reason: reason,
		Hint: "push a signed merge whose first parent is the last accepted commit (docs/access.md)"})
}

// stay refuses a line as a whole.
func stay(line Line, recorded Recorded, v *Violation) Verdict {
	return Verdict{Commit: recorded.Commit, Refused: v, Unavailable: recorded.Commit == "" || line.TipIs == Gone}
}

// judgeCommits judges commits that follow from an accepted one. Those that wait for
// statements or people are accepted together with the commit that brings these.
func judgeCommits(line Line, in Recorded, now time.Time, layers func(commit string) (model.Fleet, error)) (Verdict, error) {
	policy, accepted := in.policy(), in.Commit
	wait := waiting{branch: line.Branch, now: now}
	refuse := func(v *Violation) (Verdict, error) {
		return Verdict{Commit: accepted, Refused: cmp.Or(wait.violation(), v)}, nil
	}
	for i := range line.Commits {
		c, signer := &line.Commits[i], ""
		if policy.Enforced() {
			var refused *Violation
			if signer, refused = policy.Verify(*c, now); refused != nil {
				return refuse(refused)
			}
		}
		settled := wait.settled(policy, c)
		if in.Commit = c.Hash; c.SaysWho() {
			fleet, err := layers(c.Hash)
			if err != nil {
				return Verdict{}, err
			}
			in = in.then(c.Hash, fleet)
			if policy = in.policy(); policy.Enforced() && !policy.Governed(now) {
				admins, _ := policy.tooFew()
				return refuse(&Violation{Code: CodeLockout, Commit: c.Hash, Signer: signer,
					Reason: "leaves " + admins + " with a key that is valid now, so that nobody could change the platform any more",
					Hint:   "name one, in a merge onto the last accepted commit (docs/access.md)"})
			}
		}
		if settled {
			accepted = c.Hash
		} else if wait.full() {
			break
		}
	}
	return refuse(nil)
}

// then returns the record after a commit was accepted. A layer that is invalid in the
// commit stays as it was.
func (r Recorded) then(commit string, fleet model.Fleet) Recorded {
	r.Commit = commit
	if fleet.Platform == nil {
		return r
	}
	tenants := slices.Clone(fleet.Tenants)
	for i := range r.Tenants {
		if slices.Contains(fleet.UnusableTenants, r.Tenants[i].Name) {
			tenants = append(tenants, r.Tenants[i])
		}
	}
	r.Platform, r.Tenants = fleet.Platform, tenants
	return r
}

// Held returns the fleet of a ledger, for a repository that does not have the accepted
// commit: every application stays as it is, because of the violation.
func Held(ledger *model.Ledger, why *Violation) model.Fleet {
	fleet := model.Fleet{Commit: ledger.Commit, Platform: ledger.Platform, Tenants: slices.Clone(ledger.Tenants), Incomplete: true}
	for i := range ledger.Instances {
		fleet.Unusable = append(fleet.Unusable, model.Unusable{App: ledger.Instances[i].App, Code: why.Code, Message: why.Error()})
	}
	return fleet
}
