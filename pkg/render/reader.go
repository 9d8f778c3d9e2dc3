package render

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// readers is the name of the RoleBinding of people in a namespace.
const readers = systemName + "-readers"

// Readers returns, by namespace and in order, the principals who may read a tenant's objects in the
// cluster: its admins everywhere, and owners in the namespaces of their applications. A
// principal that its layer or the platform revokes may not.
func Readers(prefix string, platform *model.Access, t *model.Tenant, apps []model.AppID) map[string][]string {
	all := map[string][]string{}
	if t.Access == nil {
		return all
	}
	add := func(app model.AppID, names []string) {
		in := Namespace(prefix, app, t.Policy.Namespace)
		for _, name := range names {
			own, here := t.Access.Find(name)
			theirs, known := platform.Find(name)
			if revoked := here && own.Revoked || known && theirs.Revoked; revoked || !here && !known || slices.Contains(all[in], name) {
				continue
			}
			all[in] = append(all[in], name)
			slices.Sort(all[in])
		}
	}
	for _, app := range append([]model.AppID{{Tenant: t.Name}}, apps...) {
		add(app, t.Access.Admins)
	}
	for _, o := range t.Access.Owners {
		if app := (model.AppID{Tenant: t.Name, Name: o.App}); t.Policy.Namespace != "application" || slices.Contains(apps, app) {
			add(app, o.Principals)
		}
	}
	return all
}

// readersBinding returns the RoleBinding that gives people a role in a namespace.
func readersBinding(people []string, role string) *rbacv1.RoleBinding {
	b := &rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "RoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: readers},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
	}
	for _, name := range people {
		b.Subjects = append(b.Subjects, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name})
	}
	return b
}
