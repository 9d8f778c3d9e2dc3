package render

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Account is the name of the ServiceAccount that requests about a tenant's objects
// impersonate, in each of its namespaces.
const Account = systemName

// WithAccounts returns the set of a tenant with an account in each of its namespaces that
// has the rights of a ClusterRole there, and with the rights of its readers, which have the
// ClusterRole of that name and "-reader". The account stays, like its namespace, because the objects
// of ended applications are deleted with its rights.
func WithAccounts(set Set, role string) Set {
	objects := set.Objects
	for i := range set.Objects {
		o := set.Objects[i].Object
		if o.GetKind() != "Namespace" || set.Objects[i].Keep {
			continue
		}
		inside := &part{labels: o.GetLabels(), namespace: o.GetName()}
		delete(inside.labels, podSecurityEnforce)
		meta := metav1.ObjectMeta{Name: Account, Annotations: map[string]string{AnnotationPrune: PruneKeep}}
		inside.add(&corev1.ServiceAccount{
			TypeMeta:                     metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
			ObjectMeta:                   meta,
			AutomountServiceAccountToken: new(bool), // no pod runs as it
		})
		inside.add(&rbacv1.RoleBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "RoleBinding"},
			ObjectMeta: meta,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: Account, Namespace: o.GetName()}},
		})
		if people := set.Readers[o.GetName()]; len(people) > 0 {
			inside.add(readersBinding(people, role+"-reader"))
		}
		objects = append(objects[:len(objects):len(objects)], inside.seal()...)
	}
	set.Objects = inOrder(objects)
	return set
}
