package manifest

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// Accounts returns the names of the ServiceAccounts among objects.
func Accounts(objects []*unstructured.Unstructured) (names []string) {
	for _, u := range objects {
		if isAccount(u) {
			names = append(names, u.GetName())
		}
	}
	return names
}

func isAccount(u *unstructured.Unstructured) bool {
	return u.GroupVersionKind().GroupKind().String() == "ServiceAccount"
}

// provenance are annotations that kustomize writes for buildMetadata: they name files, and nobody
// takes them for a role.
var provenance = map[string]bool{"config.kubernetes.io/origin": true, "alpha.config.kubernetes.io/transformations": true}

// admitAccount checks a ServiceAccount. It may have what the account of a native component
// has: annotations that policy lists with their values, and no token in its pods.
func (a Admission) admitAccount(path string, u *unstructured.Unstructured) error {
	for _, key := range slices.Sorted(maps.Keys(u.GetAnnotations())) {
		if provenance[key] {
			continue
		}
		if text := key + "=" + u.GetAnnotations()[key]; !model.Matches(a.Policy.Accounts, text) {
			return declared.Against("policy.secrets.annotations", declared.CodeAccount, path, "has the annotation %s, which policy does not allow with this value; it allows %s (secrets.annotations)", key, declared.List(a.Policy.Accounts))
		}
	}
	if mount, there := u.Object["automountServiceAccountToken"]; there && mount != false {
		return declared.Faultf(declared.CodePrivilege, path, "asks for automountServiceAccountToken: pods have no business with the API server")
	}
	u.Object["automountServiceAccountToken"] = false
	return nil
}

// ownAccount reports whether pods of the component may run as the account of a name. Those of
// other components may have rights outside the cluster.
func (a Admission) ownAccount(name string) bool {
	return name == "" || name == "default" || slices.Contains(a.Accounts, name)
}
