package render

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/render/manifest"
)

// carry puts what the traits give into the pod, and their objects beside it.
func (p *pod) carry() {
	main, spec := &p.main, &p.template.Spec
	gives := p.patch.Main
	main.EnvFrom, main.VolumeMounts = gives.EnvFrom, gives.Mounts
	main.LivenessProbe, main.ReadinessProbe, main.StartupProbe, main.Lifecycle = gives.Liveness, gives.Readiness, gives.Startup, gives.Lifecycle
	if gives.Resources != nil {
		main.Resources = *gives.Resources
	}
	secure(spec.SecurityContext, p.patch.Pod.Security, main.SecurityContext, gives.Security)
	spec.Volumes = p.patch.Volumes
	spec.Affinity, spec.Tolerations, spec.HostAliases = p.patch.Pod.Affinity, p.patch.Pod.Tolerations, p.patch.Pod.Hosts
	main.ImagePullPolicy = p.patch.Pod.Pull
	spec.InitContainers, spec.Containers = p.extras(), []corev1.Container{*main}
	for _, port := range p.patch.Entries {
		p.flows.entries = append(p.flows.entries, listening{port.Target(), port.Transport()})
	}
	for _, o := range p.patch.Objects {
		p.out.add(o)
	}
}

// secure adds rights to those that every pod and container has.
func secure(pod, morePod *corev1.PodSecurityContext, main, moreMain *corev1.SecurityContext) {
	if morePod != nil {
		pod.FSGroup, pod.SupplementalGroups = morePod.FSGroup, morePod.SupplementalGroups
		if morePod.RunAsNonRoot != nil {
			pod.RunAsNonRoot = morePod.RunAsNonRoot
		}
	}
	if moreMain == nil {
		return
	}
	main.RunAsUser, main.RunAsGroup, main.ReadOnlyRootFilesystem = moreMain.RunAsUser, moreMain.RunAsGroup, moreMain.ReadOnlyRootFilesystem
	if moreMain.Capabilities != nil {
		if main.Capabilities == nil {
			main.Capabilities = &corev1.Capabilities{}
		}
		main.Capabilities.Add = moreMain.Capabilities.Add
	}
}

// extras returns the containers beside the component's own, with the requests of those that
// run before it and the rights that its own has.
func (p *pod) extras() []corev1.Container {
	before := slices.Clone(p.patch.Before)
	for i := range before {
		before[i].Resources = *p.main.Resources.DeepCopy()
	}
	all := slices.Concat(p.patch.Beside, before) // sidecars first: what runs before may need them
	for i := range all {
		all[i].ImagePullPolicy = p.patch.Pod.Pull
		all[i].SecurityContext = p.main.SecurityContext.DeepCopy()
	}
	return all
}

// meetsStandard refuses rights that the tenant's Pod Security Standard does not allow.
func (p *pod) meetsStandard() error {
	if p.patch.Main.Security == nil {
		return nil
	}
	return manifest.Admission{Standard: p.app.Tenant.PodSecurity}.AdmitStandard("traits.security", metav1.ObjectMeta{}, &p.template.Spec)
}
