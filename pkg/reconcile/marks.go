package reconcile

import "github.com/d-aros/d-aros/pkg/model"

// marks remembers the marks of records. Making one takes longer than all else that
// a pass does for an instance of which nothing is new.
type marks map[model.AppID]marked

// marked is a mark and what it was made of.
type marked struct {
	revision model.Revision
	pools    model.Digest
	mark     string
}

// of returns the mark of an instance on the pools of a platform, which have a digest.
func (m marks) of(inst *model.Instance, platform *model.Platform, pools model.Digest) string {
	if known, ok := m[inst.App]; ok && known.revision.Is(inst.Revision) && known.pools == pools {
		return known.mark
	}
	made := marked{inst.Revision, pools, instanceMark(inst, platform)}
	m[inst.App] = made
	return made.mark
}
