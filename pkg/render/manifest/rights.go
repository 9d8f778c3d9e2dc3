package manifest

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// AdmitRight checks what pods of a component may do on the API server. Policy names each verb and each resource,
// and no word stands for all of them, so nobody gets by a list what the platform did not mean: Secrets, other roles, a
// shell in a pod.
func AdmitRight(path string, rule rbacv1.PolicyRule, policy *model.Policy) error {
	return eachRight(rule, func(verb, resource, wanted string) error {
		if strings.ContainsAny(verb+resource, "*. ") || !allowsRight(policy.Rights, wanted) {
			return declared.Against("policy.rights", declared.CodeRight, path, "wants to %s, and policy allows %s (rights)", wanted, declared.List(policy.Rights))
		}
		return nil
	})
}

// AdmitReading checks what pods of a component may read of the whole cluster, as AdmitRight does for their namespace.
// Whatever policy names, nobody writes there, and nobody reads Secrets or roles, nor a subresource: some run commands.
func AdmitReading(path string, rule rbacv1.PolicyRule, policy *model.Policy) error {
	group := strings.Join(rule.APIGroups, "")
	return eachRight(rule, func(verb, resource, wanted string) error {
		switch {
		case strings.ContainsAny(resource+group, "*/ ") || strings.Contains(resource, "."),
			!slices.Contains(reading, verb), resource == "secrets", strings.HasPrefix(group, "rbac."):
			return declared.Faultf(declared.CodeReach, path, "wants to %s in the whole cluster, which is for nobody", wanted)
		case !allowsRight(policy.Reading, wanted):
			return declared.Against("policy.clusterRights", declared.CodeReach, path, "wants to %s in the whole cluster, and policy allows %s (clusterRights)", wanted, declared.List(policy.Reading))
		}
		return nil
	})
}

// eachRight asks about each verb of each resource of a rule.
func eachRight(rule rbacv1.PolicyRule, ask func(verb, resource, wanted string) error) error {
	for _, verb := range rule.Verbs {
		for _, resource := range rule.Resources {
			if err := ask(verb, resource, verb+" "+qualified(resource, strings.Join(rule.APIGroups, ""))); err != nil {
				return err
			}
		}
	}
	return nil
}

// reading are the verbs that read is.
var reading = []string{"get", "list", "watch"}

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
	reads := slices.Contains(reading, verb)
	return slices.Contains(rights, wanted) || reads && slices.Contains(rights, "read "+of)
}
