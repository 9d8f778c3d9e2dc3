package reconcile

import (
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// revisions caches objectsRevision, which would take longer than all other work of a
// pass on an unchanged instance.
type revisions map[model.AppID]cachedRevision

// cachedRevision is a revision of objects and what it was computed from.
type cachedRevision struct {
	record  model.Revision
	tenant  [3]string
	around  model.Digest
	objects string
}

// of returns the revision of the objects of an instance of a tenant, nil without a valid
// layer. Around is a digest of what the platform says of pools, of the network and of calls.
func (r revisions) of(inst *model.Instance, t *model.Tenant, platform *model.Platform, around model.Digest) string {
	var tenant [3]string
	if t != nil {
		tenant = [3]string{string(t.Isolation), string(t.PodSecurity), strings.Join(t.Policy.Egress, " ")}
	}
	if known, ok := r[inst.App]; ok && known.record.Is(inst.Revision) && known.around == around && known.tenant == tenant {
		return known.objects
	}
	made := cachedRevision{inst.Revision, tenant, around, objectsRevision(inst, t, platform)}
	r[inst.App] = made
	return made.objects
}
