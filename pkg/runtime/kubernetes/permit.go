package kubernetes

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/render"
)

// permit asks the API server, until it said yes once, whether we may give accounts their
// role and impersonate them. Without that, every change would be refused.
func (r *Runtime) permit(ctx context.Context) error {
	if r.o.TenantRole == "" || r.permitted.Load() {
		return nil
	}
	for _, need := range []authorizationv1.ResourceAttributes{
		{Verb: "impersonate", Resource: "serviceaccounts", Name: render.Account},
		{Verb: "bind", Group: rbacv1.GroupName, Resource: "clusterroles", Name: r.o.TenantRole},
	} {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &need}}
		answer, err := r.reviews.Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("ask what we may do: %w", err)
		}
		if !answer.Status.Allowed {
			return fmt.Errorf("we may not %s the %s %s: apply deploy/reconciler/rights.yaml of this version, or run without --tenant-role", need.Verb, need.Resource, need.Name)
		}
	}
	r.permitted.Store(true)
	return nil
}
