package component

import corev1 "k8s.io/api/core/v1"

// restrict adds what the restricted Pod Security Standard asks of the pods of a component:
// no root, and no capabilities. Windows has none of these.
func restrict(p *pod) {
	if p.template.Spec.SecurityContext == nil {
		p.template.Spec.SecurityContext = &corev1.PodSecurityContext{}
	}
	p.template.Spec.SecurityContext.RunAsNonRoot = new(true)
	if p.main.SecurityContext != nil {
		p.main.SecurityContext.Capabilities = &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}
	}
}
