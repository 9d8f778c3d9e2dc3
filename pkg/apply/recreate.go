package apply

import (
	"context"
	"slices"

	"github.com/tidwall/sjson"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// replaceable are the kinds of which an object may be deleted and made anew. Others may stand
// for data, as resources of operators do, or hold what others made.
var replaceable = []schema.GroupKind{
	{Kind: "ConfigMap"}, {Kind: "Secret"}, {Kind: "Service"}, {Group: "apps", Kind: "DaemonSet"}, {Group: "apps", Kind: "Deployment"},
	{Group: "apps", Kind: "StatefulSet"}, {Group: "batch", Kind: "Job"}, {Group: "policy", Kind: "PodDisruptionBudget"},
}

// trialName is the name under which the API server is asked whether it would take an object.
const trialName = "d-aros-trial"

// replace deletes an object of ours that cannot be changed to what is wanted, so that it can be
// made anew. It returns the error that the change was refused with where policy does not allow that,
// where data may go with the object, or where the API server would not take the new one either.
func (w *work) replace(ctx context.Context, o *render.Object, r Ref, m mapping, now *Object, refused error) error {
	if reason, _, _ := refusal(r, o.Whole(), refused); !w.set.Recreate || now == nil || reason != model.OutcomeImmutable {
		return refused
	}
	u, err := w.as(r.Namespace).get(ctx, m.path(r.Namespace, r.Name))
	if err != nil {
		return err
	}
	if string(u.GetUID()) != now.UID || w.adopted(now) != "" || holdsData(u, w.client.manager) {
		return refused
	}
	trial, err := sjson.SetBytes(o.JSON, "metadata.name", trialName)
	if err != nil {
		return err
	}
	if trial, err = (demand{}).body(trial, ownerName(w.fleet, w.app())); err != nil {
		return err
	}
	if err := w.as(r.Namespace).try(ctx, m.path(r.Namespace, trialName), trial); err != nil {
		if reason, _, _ := refusal(r, o.Whole(), err); reason != model.OutcomeQuotaExceeded { // the old one uses it
			return err
		}
	}
	return w.remove(ctx, m.kind, r, now.UID, u.GetResourceVersion())
}

// holdsData reports whether something that nobody can make again from what is declared may go
// with an object.
func holdsData(u *unstructured.Unstructured, manager string) bool {
	if !slices.Contains(replaceable, u.GroupVersionKind().GroupKind()) || annotation(u, render.AnnotationIntent) != "" {
		return true
	}
	if claims, _, _ := unstructured.NestedSlice(u.Object, "spec", "volumeClaimTemplates"); len(claims) > 0 {
		return true
	}
	return slices.ContainsFunc(claims(u, manager), func(c claim) bool {
		return !c.ours && (c.fields["f:data"] != nil || c.fields["f:binaryData"] != nil)
	})
}
