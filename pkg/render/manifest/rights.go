package manifest

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// AdmitRights checks what pods of a component may do on the API server. Policy names each verb and each resource,
// and no word stands for all of them, so nobody gets by a list what the platform did not mean: Secrets, other roles, a
// shell in a pod.
func (a Admission) AdmitRights(path string, rules []rbacv1.PolicyRule) error {
	for i, rule := range rules {
		for _, verb := range rule.Verbs {
			for _, resource := range rule.Resources {
				group := strings.Join(rule.APIGroups, "")
				wanted := verb + " " + qualified(resource, group)
				if strings.ContainsAny(verb+resource, "*. ") || !allowsRight(a.Policy.Rights, wanted) {
					return declared.Against("policy.rights", declared.CodeRight, fmt.Sprintf("%s.%d", path, i), "wants to %s, and policy allows %s (rights)", wanted, declared.List(a.Policy.Rights))
				}
			}
		}
	}
	return nil
}

// qualified returns a resource with its group: deployments.apps/scale.
func qualified(resource, group string) string {
	if group == "" {
		return resource
	}
	name, sub, _ := strings.Cut(resource, "/")
	if sub != "" {
		sub = "/" + sub
	}
	return name + "." + group + sub
}

// allowsRight reports whether a policy has a right. To read is to get, list and watch.
func allowsRight(rights []string, wanted string) bool {
	verb, of, _ := strings.Cut(wanted, " ")
	reads := slices.Contains([]string{"get", "list", "watch"}, verb)
	return slices.Contains(rights, wanted) || reads && slices.Contains(rights, "read "+of)
}
