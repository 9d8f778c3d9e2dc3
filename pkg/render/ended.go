package render

import "github.com/d-aros/d-aros/pkg/model"

// Ended returns the set of an instance that must not run any more. It has no objects.
// Volumes are deleted only if the instance ended for good, and its owner and its policy
// both allow it. Eviction, failure and suspension delete no data.
func Ended(prefix string, inst *model.Instance) Set {
	set := Set{App: inst.App}
	if inst.Spec != nil {
		set.Namespace = Namespace(prefix, inst.App, inst.Spec.Policy.Namespace)
		set.DeleteData = !inst.Ending() && inst.DeletesData()
	}
	return set
}
