package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authorization "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/text"
)

// reserved begins the names of users and groups that belong to Kubernetes itself: whoever signs people in does
// not speak for these.
const reserved = "system:"

// impersonating returns how to connect with the rights of a person. Nobody gets those of the program.
func impersonating(cfg *rest.Config, p runtime.Person) (*rest.Config, error) {
	if p.Name == "" {
		return nil, errors.New("nobody is signed in, so the cluster shows nothing")
	}
	for _, name := range append([]string{p.Name}, p.Groups...) {
		if strings.HasPrefix(name, reserved) {
			return nil, fmt.Errorf("the cluster shows nothing to %s: names that begin with %q are those of Kubernetes itself", text.Clean(name), reserved)
		}
	}
	cfg = rest.CopyConfig(cfg)
	cfg.Impersonate = rest.ImpersonationConfig{UserName: p.Name, Groups: p.Groups}
	return cfg, nil
}

// mayImpersonate asks the API server whether we may impersonate users and groups.
func mayImpersonate(ctx context.Context, cfg *rest.Config) error {
	client, err := authorization.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", cfg.Host, err)
	}
	ctx, cancel := context.WithTimeout(ctx, discoverIn)
	defer cancel()
	for _, what := range []string{"users", "groups"} {
		answer, err := client.SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "impersonate", Resource: what}},
		}, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("ask %s what we may do: %w", cfg.Host, err)
		}
		if !answer.Status.Allowed {
			return fmt.Errorf("the cluster does not let us impersonate %s, so what it shows cannot be what each person may see: bind a ClusterRole with the verb impersonate on users and groups, or leave --live out", what)
		}
	}
	return nil
}
