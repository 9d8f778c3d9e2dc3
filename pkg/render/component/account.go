package component

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/manifest"
)

// account is the service account of a component.
type account struct {
	Annotations map[string]string `json:"annotations"`
}

// account adds the Secrets to pull images with and the service account of the component.
// The account does not mount its token, and the pod does it only to use rights that policy allows.
func (p *pod) account(c container) error {
	spec := &p.template.Spec
	for _, name := range c.PullSecrets {
		spec.ImagePullSecrets = append(spec.ImagePullSecrets, corev1.LocalObjectReference{Name: name})
	}
	rights := p.patch.Pod.Rights
	if c.ServiceAccount == nil && rights == nil {
		return nil
	}
	own := &corev1.ServiceAccount{
		TypeMeta:                     metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta:                   metav1.ObjectMeta{Name: p.Name},
		AutomountServiceAccountToken: new(false),
	}
	if c.ServiceAccount != nil {
		own.Annotations = c.ServiceAccount.Annotations
	}
	p.out.add(own)
	spec.ServiceAccountName = p.Name
	var here []rbacv1.PolicyRule
	for i, r := range rights {
		admit := manifest.AdmitRight
		if r.Cluster {
			admit = manifest.AdmitReading // the tenant's objects have it: the account of a namespace gives nothing outside
		} else {
			here = append(here, r.PolicyRule)
		}
		if err := admit(fmt.Sprintf("traits.rights.%d", i), r.PolicyRule, p.App.Spec.Policy); err != nil {
			return err
		}
	}
	if here != nil {
		p.out.add(&rbacv1.Role{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
			ObjectMeta: metav1.ObjectMeta{Name: p.Name},
			Rules:      here,
		})
		p.out.add(&rbacv1.RoleBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "RoleBinding"},
			ObjectMeta: metav1.ObjectMeta{Name: p.Name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: p.Name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: p.Name, Namespace: p.App.Namespace}},
		})
	}
	if rights != nil {
		p.out.token = true
		spec.AutomountServiceAccountToken = new(true)
		p.template.Labels = declared.Merge(p.template.Labels, map[string]string{LabelRights: "true"})
	}
	return nil
}
