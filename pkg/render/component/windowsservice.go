package component

import (
	"cmp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// serviceMonitor starts a service of Windows and ends when it has stopped, so that the container lives as long. The base images of Microsoft for
// services have it.
const serviceMonitor = `C:\ServiceMonitor.exe`

// watched returns the properties of a component of which a service of Windows, if it names one, is started and watched.
func (s service) watched() service {
	if s.WindowsService != "" && s.Command == nil && s.Args == nil {
		s.Command = []string{serviceMonitor, s.WindowsService}
	}
	return s
}

// serve says in the pod which service of Windows it runs, and as whom.
func (p *pod) serve(s service) error {
	if s.WindowsService == "" {
		return nil
	}
	p.template.Annotations = declared.Merge(p.template.Annotations, map[string]string{AnnotationService: s.WindowsService})
	if s.User == "" {
		return nil
	}
	if s.HostProcess != "" {
		return declared.Faultf(declared.CodeConflict, "properties.user", "is a user of a container, and hostProcess says which account of the node it runs as")
	}
	if s.User == "ContainerAdministrator" && p.App.Standard == model.PodSecurityRestricted {
		return declared.Faultf(declared.CodeStandard, "properties.user", "is ContainerAdministrator, and the Pod Security Standard of the tenant is restricted; run it as ContainerUser")
	}
	p.template.Spec.SecurityContext = cmp.Or(p.template.Spec.SecurityContext, &corev1.PodSecurityContext{})
	p.template.Spec.SecurityContext.WindowsOptions = &corev1.WindowsSecurityContextOptions{RunAsUserName: &s.User}
	return nil
}

// windowsTaint keeps containers of Linux off nodes with Windows, where people set it.
var windowsTaint = corev1.Toleration{Key: "os", Operator: corev1.TolerationOpEqual, Value: "windows", Effect: corev1.TaintEffectNoSchedule}

// onWindows makes the pod one of Windows, and refuses what only Linux has.
func (p *pod) onWindows() error {
	refuse := func(path, what string) error {
		return declared.Faultf(declared.CodeConflict, path, "%s, which only containers of Linux have: leave it out, or run the component on linux", what)
	}
	for _, v := range p.patch.Volumes {
		if v.EmptyDir != nil && v.EmptyDir.Medium == corev1.StorageMediumMemory {
			return refuse("traits.storage", "has a directory in memory ("+v.Name+")")
		}
	}
	if len(p.patch.Pod.Hosts) > 0 {
		return refuse("traits.hostAliases", "has names in /etc/hosts")
	}
	for _, probe := range []struct {
		name string
		is   *corev1.Probe
	}{{"liveness", p.patch.Main.Liveness}, {"readiness", p.patch.Main.Readiness}, {"startup", p.patch.Main.Startup}} {
		if probe.is != nil && ofShell(probe.is.Exec) {
			return refuse("traits.probes."+probe.name+".exec", "asks with a shell of Unix ("+probe.is.Exec.Command[0]+")")
		}
	}
	hooks := cmp.Or(p.patch.Main.Lifecycle, &corev1.Lifecycle{})
	for _, hook := range []struct {
		name string
		is   *corev1.LifecycleHandler
	}{{"postStart", hooks.PostStart}, {"preStop", hooks.PreStop}} {
		if hook.is != nil && ofShell(hook.is.Exec) {
			return refuse("traits.lifecycle."+hook.name, "runs a shell of Unix ("+hook.is.Exec.Command[0]+")")
		}
	}
	p.template.Spec.OS = &corev1.PodOS{Name: corev1.Windows}
	p.patch.Pod.Tolerations = append([]corev1.Toleration{windowsTaint}, p.patch.Pod.Tolerations...)
	return nil
}

// ofShell reports whether a command is one of a shell of Unix.
func ofShell(of *corev1.ExecAction) bool {
	return of != nil && len(of.Command) > 0 && (of.Command[0] == "sh" || of.Command[0] == "bash" || strings.HasPrefix(of.Command[0], "/"))
}
