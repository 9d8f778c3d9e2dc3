package render

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/manifest"
	"github.com/d-aros/d-aros/pkg/render/trait"
)

// readings renders the rights of components on the whole cluster. They are objects of the tenant, not of the
// application: the account of its namespace gives nothing outside, and these go with the last component that
// wants them. A right that the tenant's policy does not allow any more is left out.
func readings(fleet, prefix string, t *model.Tenant, reads []model.Reads) []Object {
	cluster := &part{labels: declared.Merge(namespaceLabels(fleet, t.Name), map[string]string{LabelManagedBy: ManagedBy})}
	for _, r := range reads {
		var rules []rbacv1.PolicyRule
		for _, right := range r.Of {
			rule := trait.Rule(right)
			known := func(has rbacv1.PolicyRule) bool { return has.String() == rule.String() }
			if manifest.AdmitReading("", rule, &t.Policy) == nil && rule.Verbs != nil && rule.Resources != nil && !slices.ContainsFunc(rules, known) {
				rules = append(rules, rule)
			}
		}
		namespace := Namespace(prefix, r.App, t.Policy.Namespace)
		if rules == nil || reserved(namespace) {
			continue
		}
		name := strings.Join([]string{systemName, fleet, r.App.Tenant, r.App.Name, r.Component}, ":")
		cluster.add(&rbacv1.ClusterRole{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Rules:      rules,
		})
		cluster.add(&rbacv1.ClusterRoleBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding"},
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: ObjectName(r.App, r.Component), Namespace: namespace}},
		})
	}
	return cluster.seal()
}
