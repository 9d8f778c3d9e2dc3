package apply

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// adoptable reports whether the application takes over an object that is not ours. What
// another fleet or a controller has would be fought for, so it has to be ended there first.
func (w *work) adoptable(u *unstructured.Unstructured) bool {
	return w.entry(RefOf(u), u.GetLabels()) >= 0 && fleetOf(u, w.fleet) == "" && metav1.GetControllerOfNoCopy(u) == nil
}

// entry returns which entry of application.adopt takes an object, -1 if none does.
func (w *work) entry(r Ref, labels map[string]string) int {
	return slices.IndexFunc(w.set.Adopt, func(a model.Adoption) bool { return a.Takes(r.GroupKind().String(), r.Name, labels) })
}

// adopted returns the value of render.AnnotationAdopted for an object of ours, "" if we
// created it. The entry that takes it decides. Without one it stays as it was adopted,
// by its annotation, else by the inventory.
func (w *work) adopted(o *Object) string {
	was := o.adopted
	if rec := w.recorded(); was == "" && rec.uids[o.Ref] == o.UID {
		was = rec.adopted[o.Ref]
	}
	if was == "" {
		return ""
	}
	switch e := w.entry(o.Ref, o.labels); {
	case e < 0:
		return was
	case w.set.Adopt[e].Prune:
		return render.AdoptedPrune
	}
	return render.AdoptedKeep
}

// given returns the fields of another's object that change when it is taken over, without
// the labels and annotations that are our own.
func (w *work) given(o *render.Object, u *unstructured.Unstructured) []Difference {
	return slices.DeleteFunc(w.heldByOthers(o, u), func(d Difference) bool { return strings.Contains(d.Path, "."+render.Domain) })
}

// tellAdoptions adds a notice for each object that was adopted, and the entries of
// application.adopt that take no object.
func (w *work) tellAdoptions() {
	if len(w.set.Adopt) == 0 {
		return
	}
	for i := range w.report.Results {
		if r := &w.report.Results[i]; r.Action == Adopted {
			w.report.Notices = append(w.report.Notices, fmt.Sprintf("%s was adopted; changed fields: %s", r.Ref, cmp.Or(r.What(), "none")))
		}
	}
	if w.failed.Load() || w.stuck.Load() != nil {
		return // what failed says why
	}
	taken := map[int]bool{} // entries of application.adopt
	for _, r := range w.wanted {
		if now, _, _ := w.live.find(r); now != nil && now.adopted != "" {
			taken[w.entry(r, now.labels)] = true
		}
	}
	for i := range w.set.Adopt {
		if !taken[i] {
			w.report.NotAdopted = append(w.report.NotAdopted, NotAdopted{i, unmatched(&w.set.Adopt[i], w.set.Namespace)})
		}
	}
}

// unmatched says that an entry of application.adopt takes no object.
func unmatched(a *model.Adoption, namespace string) string {
	if len(a.Selector) == 0 {
		return fmt.Sprintf("application.adopt: there was no %s in namespace %s to adopt; take the entry out", a, namespace)
	}
	return fmt.Sprintf("application.adopt: none of the %s in namespace %s has the name of an object that the application renders; correct the selector, or take it out", a, namespace)
}
