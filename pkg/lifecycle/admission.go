package lifecycle

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// readmit lets the accepted release go on by the rules that Git has for it now.
// Grants, limits and deadlines follow. The phase, the run and what is on hold stay.
func (f *facts) readmit() {
	in, was := f.inst, f.inst.Spec
	spec := *f.git.spec
	spec.Commit = was.Commit // that the release was read from
	in.Spec = &spec
	if !in.Deadline.IsZero() && !underWay(in) {
		in.Deadline = in.Deadline.Add(spec.Policy.StartDeadline - was.Policy.StartDeadline)
	}
	setGrants(in, f.decision.Grants)
}

// heldReleases returns the releases on hold. One that was recorded before there were
// releases is the digest of a spec; while Git still has that spec, its release is known.
func heldReleases(held []model.Digest, git *model.Application) []model.Digest {
	if git == nil || len(held) == 0 || slices.Contains(held, git.Release) {
		return slices.Clip(held)
	}
	i := slices.Index(held, git.FormerDigest())
	if i < 0 {
		return slices.Clip(held)
	}
	held = slices.Clone(held)
	held[i] = git.Release
	return held
}
