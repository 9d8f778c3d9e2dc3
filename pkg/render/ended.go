package render

import "github.com/d-aros/d-aros/pkg/model"

// Ended returns the set of an instance that is to run nothing any more: no objects
// at all. Its volumes are deleted only if its owner and its policy said so and it
// ended for good. Eviction, failure and suspension delete no data.
func Ended(prefix string, inst *model.Instance) Set {
	set := Set{App: inst.App}
	if inst.Spec != nil {
		set.Namespace = Namespace(prefix, inst.App, inst.Spec.Policy.Namespace)
		set.DeleteData = !inst.Ending() && inst.DeletesData()
	}
	return set
}

// deletion is what volumes, or what makes them, carry while their application says
// that they go with it. They stay in every update.
func (a *application) deletion() map[string]string {
	if a.spec.Lifecycle.Deletion != DeletionData || a.spec.Policy.Deletion != DeletionData {
		return nil
	}
	return map[string]string{AnnotationDeletion: DeletionData}
}
