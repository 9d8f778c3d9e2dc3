package manifest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// admitPods checks the pods of a workload that a tenant wrote, and places them in the
// pool that the component was granted.
func (a Admission) admitPods(path string, u *unstructured.Unstructured, s Shape) error {
	template := u.Object
	for _, field := range s.Pod {
		inner, ok := template[field].(map[string]any)
		if !ok {
			return declared.Faultf(declared.CodeUnreadable, path, "has no %s", strings.Join(s.Pod, "."))
		}
		template = inner
	}
	raw, ok := template["spec"].(map[string]any)
	if !ok {
		return declared.Faultf(declared.CodeUnreadable, path, "has no spec of its pods")
	}
	var spec corev1.PodSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(raw, &spec, true); err != nil {
		return declared.Faultf(declared.CodeUnreadable, path, "has a spec of its pods that cannot be read: %v", err)
	}
	field := strings.Join(append(slices.Clone(s.Pod), "spec"), ".")
	if err := cmp.Or(a.refusePrivileges(path, &spec), a.admitFields(path, field, raw, &spec),
		admitNested(path, "spec", u.Object["spec"])); err != nil {
		return err
	}
	if found := claimTemplate.beyond("spec.volumeClaimTemplates", declared.Below(u.Object, "spec")["volumeClaimTemplates"]); found != "" {
		return declared.Faultf(declared.CodeField, path, "sets %s, which claims of a tenant may not have", found)
	}
	for _, c := range Containers(&spec) {
		if !allowedImage(c.Image, a.Policy.Registries) {
			return declared.Against("policy.images.registries", declared.CodeImage, path, "runs image %s; policy allows images from %s (images.registries)", c.Image, declared.List(a.Policy.Registries))
		}
	}
	nodes, err := a.Nodes()
	if err != nil {
		return err
	}
	meta, ok := template["metadata"].(map[string]any)
	if !ok {
		meta = map[string]any{}
	}
	if err := stringMaps(path, meta); err != nil {
		return err
	}
	labels, _, _ := unstructured.NestedStringMap(meta, "labels")
	annotations, _, _ := unstructured.NestedStringMap(meta, "annotations")
	if err := declared.RefuseReserved(path, labels, annotations); err != nil {
		return err
	}
	if err := a.AdmitStandard(path, metav1.ObjectMeta{Annotations: annotations}, &spec); err != nil {
		return err
	}
	unstructured.SetNestedStringMap(meta, declared.Merge(labels, a.Labels), "labels")
	template["metadata"] = meta
	unstructured.SetNestedStringMap(raw, declared.Merge(spec.NodeSelector, nodes), "nodeSelector")
	raw["automountServiceAccountToken"] = false
	return nil
}

// PodSpec returns the pods of a workload that was admitted.
func PodSpec(u *unstructured.Unstructured, s Shape) *corev1.PodSpec {
	spec := &corev1.PodSpec{}
	if raw, there, _ := unstructured.NestedMap(u.Object, append(slices.Clone(s.Pod), "spec")...); there {
		runtime.DefaultUnstructuredConverter.FromUnstructured(raw, spec) // it was read before
	}
	return spec
}

// Containers returns all containers of a pod.
func Containers(spec *corev1.PodSpec) []corev1.Container {
	all := append(append([]corev1.Container{}, spec.InitContainers...), spec.Containers...)
	for _, e := range spec.EphemeralContainers {
		all = append(all, corev1.Container(e.EphemeralContainerCommon))
	}
	return all
}

// allowedImage reports whether an image comes from one of the registries. Each is a
// host, or a path on a host. A short name is compared as what a node pulls for it: redis is
// docker.io/library/redis.
func allowedImage(image string, registries []string) bool {
	ref, err := name.ParseReference(image)
	if err != nil || strings.Contains(image, "..") {
		return false
	}
	full := ref.Context().Name()
	if rest, ok := strings.CutPrefix(full, name.DefaultRegistry+"/"); ok {
		full = "docker.io/" + rest
	}
	return slices.ContainsFunc(registries, func(r string) bool {
		return strings.HasPrefix(full, strings.TrimSuffix(r, "/")+"/")
	})
}

// refusePrivileges refuses fields that give access to the node, to other pods on it or
// to the API server, or that change the order of scheduling.
func (a Admission) refusePrivileges(path string, spec *corev1.PodSpec) error {
	refuse := func(field, why string) error {
		return declared.Faultf(declared.CodePrivilege, path, "asks for %s: %s", field, why)
	}
	switch {
	case spec.HostNetwork && !a.HostProcess:
		return refuse("hostNetwork", "pods have a network of their own")
	case spec.HostPID:
		return refuse("hostPID", "pods see only their own processes")
	case spec.HostIPC:
		return refuse("hostIPC", "pods have a memory of their own")
	case spec.NodeName != "":
		return refuse("nodeName", "pods are placed by the scheduler")
	case spec.SchedulerName != "" && spec.SchedulerName != corev1.DefaultSchedulerName:
		return refuse("schedulerName", "pods are placed by the scheduler of the cluster")
	case spec.PriorityClassName != "" || spec.Priority != nil || spec.PreemptionPolicy != nil:
		return refuse("a priority", "priorities are given by arbitration")
	case !a.ownAccount(spec.ServiceAccountName):
		return refuse("serviceAccountName "+spec.ServiceAccountName, "pods run as default or as a ServiceAccount that their component brings")
	case !a.ownAccount(spec.DeprecatedServiceAccount):
		return refuse("serviceAccount "+spec.DeprecatedServiceAccount, "pods run as default or as a ServiceAccount that their component brings")
	case spec.AutomountServiceAccountToken != nil && *spec.AutomountServiceAccountToken && !a.Token:
		return refuse("automountServiceAccountToken", "pods have no business with the API server")
	case spec.RuntimeClassName != nil && *spec.RuntimeClassName != a.RuntimeClass:
		return refuse("runtimeClassName", "runtimes are declared by the component")
	case len(spec.EphemeralContainers) > 0:
		return refuse("ephemeralContainers", "they are for debugging a pod that runs")
	case len(spec.ResourceClaims) > 0:
		return refuse("resourceClaims", "devices are declared by the component")
	case spec.SecurityContext != nil && len(spec.SecurityContext.Sysctls) > 0:
		return refuse("securityContext.sysctls", "they change the node")
	case spec.SecurityContext != nil && !a.HostProcess && windowsHost(spec.SecurityContext.WindowsOptions):
		return refuse("securityContext.windowsOptions.hostProcess", "it runs on the node itself")
	}
	for _, t := range spec.Tolerations {
		if t.Key == "" && t.Operator == corev1.TolerationOpExists {
			return refuse("a toleration of everything", "nodes are kept free for reasons")
		}
	}
	for _, v := range spec.Volumes {
		if field := beyond(v.VolumeSource); field != "" {
			return refuse("volume "+v.Name+" ("+field+")", "volumes are of the application: claims, configuration or empty directories")
		}
	}
	for _, c := range Containers(spec) {
		for _, p := range c.Ports {
			if p.HostPort != 0 || p.HostIP != "" {
				return refuse("hostPort in container "+c.Name, "ports of nodes are shared")
			}
		}
		if err := refuseSecurity(c, refuse); err != nil {
			return err
		}
	}
	return nil
}

// refuseSecurity refuses privileges of one container.
func refuseSecurity(c corev1.Container, refuse func(field, why string) error) error {
	s := c.SecurityContext
	switch {
	case s == nil:
	case s.Privileged != nil && *s.Privileged:
		return refuse("privileged in container "+c.Name, "it is the node's administrator then")
	case s.ProcMount != nil && *s.ProcMount != corev1.DefaultProcMount:
		return refuse("procMount in container "+c.Name, "it shows the kernel")
	case windowsHost(s.WindowsOptions):
		return refuse("hostProcess in container "+c.Name, "it runs on the node itself")
	case s.Capabilities != nil:
		for _, added := range s.Capabilities.Add {
			if !baseline[added] {
				return refuse("capability "+string(added)+" in container "+c.Name, "it reaches beyond the container")
			}
		}
	}
	return nil
}

func windowsHost(o *corev1.WindowsSecurityContextOptions) bool {
	return o != nil && o.HostProcess != nil && *o.HostProcess
}

// baseline are the capabilities that the baseline Pod Security Standard of Kubernetes
// allows containers to add.
var baseline = map[corev1.Capability]bool{
	"AUDIT_WRITE": true, "CHOWN": true, "DAC_OVERRIDE": true, "FOWNER": true, "FSETID": true, "KILL": true,
	"MKNOD": true, "NET_BIND_SERVICE": true, "SETFCAP": true, "SETGID": true, "SETPCAP": true, "SETUID": true, "SYS_CHROOT": true,
}

// beyond returns the name of a volume source that does not belong to the application,
// "" for a source that does.
func beyond(v corev1.VolumeSource) string {
	own := corev1.VolumeSource{
		EmptyDir: v.EmptyDir, ConfigMap: v.ConfigMap, Secret: v.Secret, DownwardAPI: v.DownwardAPI,
		PersistentVolumeClaim: v.PersistentVolumeClaim, Ephemeral: v.Ephemeral,
	}
	if v.Projected != nil {
		for _, s := range v.Projected.Sources {
			if s.ServiceAccountToken != nil || s.ClusterTrustBundle != nil || s.PodCertificate != nil {
				return "projected identity"
			}
		}
		own.Projected = v.Projected
	}
	switch {
	case v == own:
		return ""
	case v.HostPath != nil:
		return "hostPath"
	}
	return "a source outside the cluster's claims"
}
