package render

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// account is the service account of a component.
type account struct {
	Annotations map[string]string `json:"annotations"`
}

// account adds the Secrets to pull images with and the service account of the component.
// The token of the account is not mounted, by the pod and by the account.
func (p *pod) account(c container) {
	spec := &p.template.Spec
	for _, name := range c.PullSecrets {
		spec.ImagePullSecrets = append(spec.ImagePullSecrets, corev1.LocalObjectReference{Name: name})
	}
	if c.ServiceAccount == nil {
		return
	}
	p.out.add(&corev1.ServiceAccount{
		TypeMeta:                     metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta:                   metav1.ObjectMeta{Name: p.name, Annotations: c.ServiceAccount.Annotations},
		AutomountServiceAccountToken: new(false),
	})
	spec.ServiceAccountName = p.name
}
