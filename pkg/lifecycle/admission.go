package lifecycle

import (
	"fmt"
	"slices"
	"strings"

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

// admissionText names the first changes; the entry in the history lists them.
func admissionText(changes []model.AdmissionChange) string {
	const most = 3
	parts := make([]string, 0, most+1)
	for _, c := range changes[:min(len(changes), most)] {
		parts = append(parts, c.String())
	}
	if more := len(changes) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, "; ")
}

// heldReleases returns the releases on hold. One that was recorded before there were
// releases is the digest of a spec; while Git still has that spec, its release is known.
func heldReleases(held []model.Digest, git *model.Application) []model.Digest {
	if git == nil || !slices.Contains(held, git.Digest) {
		return slices.Clip(held)
	}
	held = slices.Clone(held)
	for i, d := range held {
		if d == git.Digest {
			held[i] = git.Release
		}
	}
	return held
}
