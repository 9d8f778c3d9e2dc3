package component

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/render/manifest"
)

// carry puts what the traits give into the pod, and their objects beside it.
func (p *pod) carry() {
	main, spec := &p.main, &p.template.Spec
	rights := main.SecurityContext // that every container has
	gives := p.patch.Main
	main.EnvFrom, main.VolumeMounts = gives.EnvFrom, gives.Mounts
	main.LivenessProbe, main.ReadinessProbe, main.StartupProbe, main.Lifecycle = gives.Liveness, gives.Readiness, gives.Startup, gives.Lifecycle
	if gives.Resources != nil {
		main.Resources = *gives.Resources
	}
	if more := p.patch.Pod.Security; more != nil {
		every := spec.SecurityContext
		every.FSGroup, every.SupplementalGroups = more.FSGroup, more.SupplementalGroups
		every.RunAsNonRoot = cmp.Or(more.RunAsNonRoot, every.RunAsNonRoot)
	}
	main.SecurityContext = secured(rights, gives.Security)
	spec.Volumes = p.patch.Volumes
	spec.Affinity, spec.Tolerations, spec.HostAliases = p.patch.Pod.Affinity, p.patch.Pod.Tolerations, p.patch.Pod.Hosts
	main.ImagePullPolicy = p.patch.Pod.Pull
	spec.InitContainers, spec.Containers = p.extras(rights), []corev1.Container{*main}
	for _, port := range p.patch.Entries {
		p.out.Entries = append(p.out.Entries, At(port))
	}
	p.out.patches = p.patch.Last
	for _, o := range p.patch.Objects {
		p.out.add(o)
	}
}

// secured returns the rights of a container: those that every container has, and more.
func secured(every, more *corev1.SecurityContext) *corev1.SecurityContext {
	all := every.DeepCopy()
	if more == nil {
		return all
	}
	all.RunAsUser, all.RunAsGroup, all.ReadOnlyRootFilesystem = more.RunAsUser, more.RunAsGroup, more.ReadOnlyRootFilesystem
	if more.Capabilities != nil {
		all.Capabilities = cmp.Or(all.Capabilities, &corev1.Capabilities{})
		all.Capabilities.Add = more.Capabilities.Add
	}
	return all
}

// extras returns the containers beside the component's own, with the requests of those that
// run before it, and the rights that its own has where they say no others.
func (p *pod) extras(every *corev1.SecurityContext) []corev1.Container {
	before := slices.Clone(p.patch.Before)
	for i := range before {
		before[i].Resources = *p.main.Resources.DeepCopy()
	}
	all := slices.Concat(p.patch.Beside, before) // sidecars first: what runs before may need them
	for i := range all {
		all[i].ImagePullPolicy = p.patch.Pod.Pull
		all[i].SecurityContext = secured(every, cmp.Or(all[i].SecurityContext, p.patch.Main.Security))
	}
	return all
}

// meetsStandard refuses rights that the tenant's Pod Security Standard does not allow.
func (p *pod) meetsStandard() error {
	own := func(c corev1.Container) bool { return c.SecurityContext != nil }
	path := ""
	switch {
	case p.patch.Main.Security != nil:
		path = "traits.security"
	case slices.ContainsFunc(p.patch.Before, own):
		path = "traits.init"
	case slices.ContainsFunc(p.patch.Beside, own):
		path = "traits.sidecars"
	default:
		return nil
	}
	return manifest.Admission{Standard: p.App.Standard}.AdmitStandard(path, metav1.ObjectMeta{}, &p.template.Spec)
}

// restrict adds what the restricted Pod Security Standard asks of the pods of a component:
// no root, and no capabilities. Windows has none of these.
func restrict(p *pod) {
	p.template.Spec.SecurityContext = cmp.Or(p.template.Spec.SecurityContext, &corev1.PodSecurityContext{})
	p.template.Spec.SecurityContext.RunAsNonRoot = new(true)
	if p.main.SecurityContext != nil {
		p.main.SecurityContext.Capabilities = &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}
	}
}
