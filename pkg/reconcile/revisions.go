package reconcile

import "github.com/d-aros/d-aros/pkg/model"

// revisions caches objectsRevision, which would take longer than all other work of a
// pass on an unchanged instance.
type revisions map[model.AppID]cachedRevision

// cachedRevision is a revision of objects and what it was computed from.
type cachedRevision struct {
	record  model.Revision
	pools   model.Digest
	objects string
}

// of returns the revision of the objects of an instance. Pools is the digest of the
// pools of the platform.
func (r revisions) of(inst *model.Instance, platform *model.Platform, pools model.Digest) string {
	if known, ok := r[inst.App]; ok && known.record.Is(inst.Revision) && known.pools == pools {
		return known.objects
	}
	made := cachedRevision{inst.Revision, pools, objectsRevision(inst, platform)}
	r[inst.App] = made
	return made.objects
}
