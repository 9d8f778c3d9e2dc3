package apply

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/text"
)

// ownerCap bounds the name of an owner in messages, in bytes.
const ownerCap = 150

// foreign is the error for an object that D-AROS did not create. It stays as it is.
type foreign struct {
	owner string
	do    string
}

func (f *foreign) Error() string {
	return "it exists already and belongs to " + f.owner + "; " + cmp.Or(f.do, "remove or rename one of the two")
}

// ownerOf names whom an object belongs to that is not the fleet's: another fleet, the tool
// that made it, its controller, else the managers of its fields. What an object says of
// itself may be wrong, so it is a name for people and decides nothing.
func ownerOf(u *unstructured.Unstructured, fleet string) string {
	const kustomization, release = "kustomize.toolkit.fluxcd.io/", "helm.toolkit.fluxcd.io/"
	tracked, _, _ := strings.Cut(annotation(u, "argocd.argoproj.io/tracking-id"), ":")
	return text.Line(cmp.Or(
		fleetOf(u, fleet),
		named("Argo CD application ", "", cmp.Or(tracked, label(u, "argocd.argoproj.io/instance"))),
		named("Flux Kustomization ", label(u, kustomization+"namespace"), label(u, kustomization+"name")),
		named("Flux HelmRelease ", label(u, release+"namespace"), label(u, release+"name")),
		named("Helm release ", annotation(u, "meta.helm.sh/release-namespace"), annotation(u, "meta.helm.sh/release-name")),
		controllerOf(u), managersOf(u), "somebody"), ownerCap)
}

func fleetOf(u *unstructured.Unstructured, fleet string) string {
	owner, labelled := annotation(u, render.AnnotationOwner), label(u, render.LabelFleet)
	other, app, _ := strings.Cut(owner, "/")
	switch {
	case other != "" && other != fleet:
		return "fleet " + other + " (" + app + ")"
	case labelled != "" && labelled != fleet:
		return "fleet " + labelled + " (" + label(u, render.LabelTenant) + "/" + label(u, render.LabelApplication) + ")"
	}
	return ""
}

func controllerOf(u *unstructured.Unstructured) string {
	owner := metav1.GetControllerOfNoCopy(u)
	if owner == nil {
		return ""
	}
	return named(owner.Kind+" ", u.GetNamespace(), owner.Name)
}

func named(what, namespace, name string) string {
	if name == "" {
		return ""
	}
	if namespace != "" {
		namespace += "/"
	}
	return what + namespace + name
}

func managersOf(u *unstructured.Unstructured) string {
	var names []string
	for _, m := range u.GetManagedFields() {
		if m.Subresource == "" && m.Manager != "" {
			names = append(names, m.Manager)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return ""
	}
	return "the field manager " + text.Enumerate(names, 3)
}

// ownerName is the value of render.AnnotationOwner.
func ownerName(fleet string, app model.AppID) string {
	if app.Name == "" {
		return fleet + "/" + app.Tenant
	}
	return fleet + "/" + app.String()
}
