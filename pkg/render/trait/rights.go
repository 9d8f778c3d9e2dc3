package trait

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{Name: "rights", Process: reading("rights", func(_ Context, all []right) (Patch, error) { return permissions(all) })})

// right is what pods may do with some objects of their namespace.
type right struct {
	Verbs     []string `json:"verbs"`
	Resources []string `json:"resources"`
	Group     string   `json:"group"`
	Names     []string `json:"names"`
}

// permissions gives pods an account that may do something on the API server, in their namespace.
// Policy is asked where the role is made of it.
func permissions(all []right) (patch Patch, err error) {
	for _, r := range all {
		rule := rbacv1.PolicyRule{APIGroups: []string{r.Group}, Resources: sorted(r.Resources), ResourceNames: sorted(r.Names)}
		for _, verb := range r.Verbs {
			if verb == "read" {
				rule.Verbs = append(rule.Verbs, "get", "list", "watch")
				continue
			}
			rule.Verbs = append(rule.Verbs, verb)
		}
		if rule.Verbs = sorted(rule.Verbs); rule.Verbs == nil || rule.Resources == nil {
			return patch, declared.Faultf(declared.CodeUnreadable, "traits.rights", "takes verbs and resources in each entry")
		}
		patch.Pod.Rights = append(patch.Pod.Rights, rule)
	}
	return patch, nil
}

// sorted returns words in order, each once.
func sorted(words []string) []string { return slices.Compact(slices.Sorted(slices.Values(words))) }
