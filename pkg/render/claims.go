package render

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// mostClaims is how many volumes of each template ClaimsOf names.
const mostClaims = 1000

// ClaimsOf returns the names of the volumes that the cluster makes for an object, which is a StatefulSet that has templates of them, or has none.
func ClaimsOf(u *unstructured.Unstructured) (names []string) {
	if u.GetKind() != "StatefulSet" {
		return nil
	}
	templates, _, _ := unstructured.NestedSlice(u.Object, "spec", "volumeClaimTemplates")
	replicas, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
	for _, t := range templates {
		template, _ := t.(map[string]any)
		name, _, _ := unstructured.NestedString(template, "metadata", "name")
		for i := range min(replicas, mostClaims) {
			names = append(names, fmt.Sprintf("%s-%s-%d", name, u.GetName(), i))
		}
	}
	return names
}
