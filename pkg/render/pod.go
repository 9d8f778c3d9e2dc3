package render

import (
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// pod renders the template of the component's pods and what else its traits
// bring. Ports are those of a service, none for a job.
func (w *workload) pod(kind string, c container, ports []port, restart corev1.RestartPolicy) (corev1.PodTemplateSpec, traitResult, error) {
	none := corev1.PodTemplateSpec{}
	if c.Image == "" {
		return none, traitResult{}, faultf(CodeUnreadable, "properties.image", "is missing")
	}
	if err := refuseReserved("properties", c.Labels, c.Annotations); err != nil {
		return none, traitResult{}, err
	}
	traits, err := w.traits(traitContext{workload: w, kind: kind, ports: ports})
	if err != nil {
		return none, traitResult{}, err
	}
	env, references, err := w.env(c.Env)
	if err != nil {
		return none, traitResult{}, err
	}
	listening, err := containerPorts(ports)
	if err != nil {
		return none, traitResult{}, err
	}
	selector, spread, err := w.placement(kind)
	if err != nil {
		return none, traitResult{}, err
	}
	main := corev1.Container{
		Name: w.spec.Name, Image: c.Image, Command: c.Command, Args: c.Args,
		Env: append(env, traits.env...), EnvFrom: traits.envFrom, Ports: listening, VolumeMounts: traits.mounts,
		LivenessProbe: traits.liveness, ReadinessProbe: traits.readiness, StartupProbe: traits.startup,
		Resources: requirements(w.spec, w.grant),
	}
	labels := w.out.labels
	if kind == "Deployment" {
		labels = merge(labels, map[string]string{LabelTrack: w.track})
	}
	off := false
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{
			Labels:      labelled(c.Labels, labels),
			Annotations: c.Annotations,
		},
		Spec: corev1.PodSpec{
			InitContainers: traits.initContainers,
			Containers:     append([]corev1.Container{main}, traits.containers...),
			Volumes:        traits.volumes,
			RestartPolicy:  restart,
			NodeSelector:   selector, TopologySpreadConstraints: spread,
			// Pods have no business with the API server, and the variables of
			// other services would reach them by chance.
			AutomountServiceAccountToken: &off,
			EnableServiceLinks:           &off,
		},
	}
	if grace := w.app.spec.Lifecycle.Grace; grace > 0 {
		template.Spec.TerminationGracePeriodSeconds = pointer(int64((grace + time.Second - 1) / time.Second))
	}
	if w.spec.OS == "windows" {
		template.Spec.OS = &corev1.PodOS{Name: corev1.Windows}
	} else {
		template.Spec.OS = &corev1.PodOS{Name: corev1.Linux}
		template.Spec.SecurityContext = &corev1.PodSecurityContext{
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		}
		for i := range template.Spec.Containers {
			template.Spec.Containers[i].SecurityContext = &corev1.SecurityContext{AllowPrivilegeEscalation: &off}
		}
	}
	if digest := w.app.configuration(append(references, traits.references...)); digest != "" {
		template.Annotations = merge(template.Annotations, map[string]string{AnnotationConfig: string(digest)})
	}
	return template, traits, nil
}

// configuration digests the data of the named components, "" without names.
// Secrets count by the digests of their values: those are all that the status
// branch holds of them, and a restart of the reconciler is to change no pod.
func (a *application) configuration(names []string) model.Digest {
	if len(names) == 0 {
		return ""
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	contents := map[string]data{}
	for _, name := range names {
		if c, ok := a.redacted.Component(name); ok {
			var d data
			if decode(c.Properties, &d) == nil {
				contents[name] = d
			}
		}
	}
	return model.DigestOf(contents)
}

// env renders environment variables by name, and names the components that they
// refer to.
func (w *workload) env(values map[string]envValue) (env []corev1.EnvVar, references []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v, path := values[name], "properties.env."+name
		variable := corev1.EnvVar{Name: name, Value: v.Value}
		switch {
		case v.Secret != nil:
			object, err := w.refer(path, "secret", v.Secret.Name)
			if err != nil {
				return nil, nil, err
			}
			references = append(references, v.Secret.Name)
			variable.ValueFrom = &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: object}, Key: v.Secret.Key,
			}}
		case v.Config != nil:
			object, err := w.refer(path, "config", v.Config.Name)
			if err != nil {
				return nil, nil, err
			}
			references = append(references, v.Config.Name)
			variable.ValueFrom = &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: object}, Key: v.Config.Key,
			}}
		case v.Field != "":
			variable.ValueFrom = &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: v.Field}}
		}
		env = append(env, variable)
	}
	return env, references, nil
}

// requirements are what a container asks for and how far it may go. A profile
// that guarantees memory makes the request the limit, so that the container is
// never killed for what a neighbour takes; guaranteed-pro does the same with
// CPU, which is what makes a pod Guaranteed to Kubernetes: its cores may be its
// own, and it is evicted last. Devices cannot be shared.
func requirements(c *model.Component, grant model.Grant) corev1.ResourceRequirements {
	limit := c.Limits
	qos := grant.QoS
	if qos == "" {
		qos = c.QoS
	}
	if qos == model.Guaranteed || qos == model.GuaranteedPro {
		limit.Memory = grant.Requests.Memory
	}
	if qos == model.GuaranteedPro {
		limit.CPU = grant.Requests.CPU
	}
	r := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
	for _, name := range grant.Requests.Names() {
		asked := grant.Requests.Get(name)
		key := corev1.ResourceName(name)
		r.Requests[key] = quantity(name, asked)
		if strings.Contains(name, "/") {
			r.Limits[key] = quantity(name, asked)
		} else if most := limit.Get(name); most > 0 {
			r.Limits[key] = quantity(name, max(most, asked))
		}
	}
	return r
}
