package render

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rights is the declaration of the security trait.
type rights struct {
	User         *int64              `json:"user"`
	Group        *int64              `json:"group"`
	VolumeGroup  *int64              `json:"volumeGroup"`
	ReadOnlyRoot bool                `json:"readOnlyRoot"`
	Capabilities []corev1.Capability `json:"capabilities"`
}

// secure sets users, groups and rights. They come on top of what every pod has, see pod.
func (p *pod) secure(declared rights) error {
	if p.spec.OS == "windows" {
		return faultf(CodeConflict, "traits.security", "is for containers of linux: windows has no such users and rights")
	}
	p.security = &declared
	return nil
}

// meetsStandard refuses rights that the tenant's Pod Security Standard does not allow. The
// schema allows those of the baseline only.
func (p *pod) meetsStandard() error {
	if p.security == nil {
		return nil
	}
	return admission{standard: p.app.Tenant.PodSecurity}.admitStandard("traits.security", metav1.ObjectMeta{}, &p.template.Spec)
}

// add puts the rights into the security of the pod and of its container.
func (r *rights) add(pod *corev1.PodSecurityContext, main *corev1.SecurityContext) {
	if r == nil {
		return
	}
	main.RunAsUser, main.RunAsGroup, pod.FSGroup = r.User, r.Group, r.VolumeGroup
	if r.ReadOnlyRoot {
		main.ReadOnlyRootFilesystem = new(true)
	}
	if r.Capabilities != nil {
		if main.Capabilities == nil {
			main.Capabilities = &corev1.Capabilities{}
		}
		main.Capabilities.Add = r.Capabilities
	}
}
