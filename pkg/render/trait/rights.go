package trait

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{Name: "rights", Process: reading("rights", func(_ Context, all []model.Right) (Patch, error) { return permissions(all) })})

// Right is a rule of the account of pods.
type Right struct {
	rbacv1.PolicyRule
	Cluster bool // it holds in the whole cluster, not in the namespace
}

// permissions gives pods an account that may do something on the API server. Policy is asked
// where a role is made of it.
func permissions(all []model.Right) (patch Patch, err error) {
	for _, r := range all {
		rule := Rule(r)
		if rule.Verbs == nil || rule.Resources == nil {
			return patch, declared.Faultf(declared.CodeUnreadable, "traits.rights", "takes verbs and resources in each entry")
		}
		patch.Pod.Rights = append(patch.Pod.Rights, Right{rule, r.Cluster})
	}
	return patch, nil
}

// Rule returns a right as Kubernetes has it.
func Rule(r model.Right) rbacv1.PolicyRule {
	rule := rbacv1.PolicyRule{APIGroups: []string{r.Group}, Resources: sorted(r.Resources), ResourceNames: sorted(r.Names)}
	for _, verb := range r.Verbs {
		if verb == "read" {
			rule.Verbs = append(rule.Verbs, "get", "list", "watch")
			continue
		}
		rule.Verbs = append(rule.Verbs, verb)
	}
	rule.Verbs = sorted(rule.Verbs)
	return rule
}

// sorted returns words in order, each once.
func sorted(words []string) []string { return slices.Compact(slices.Sorted(slices.Values(words))) }
