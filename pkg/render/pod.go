package render

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// A pod is the template of a component's pods while it is rendered. Traits add to it.
type pod struct {
	*workload
	kind  string // of the workload: Deployment, StatefulSet, DaemonSet, Job
	ports []port // of a service, none for a job

	template   corev1.PodTemplateSpec
	main       corev1.Container   // the component's own
	before     []corev1.Container // that run before it
	beside     []corev1.Container // sidecars
	claims     []corev1.PersistentVolumeClaim
	references []string // config and secret components whose change reaches the pods
	exclusive  bool     // two pods cannot run at the same time
	scales     bool     // an autoscaler sets the number of replicas
	security   *rights  // of the container, beyond those that every pod has
}

// pod renders the template of the component's pods, and the objects of its traits.
func (w *workload) pod(kind string, c container, ports []port, restart corev1.RestartPolicy) (*pod, error) {
	if c.Image == "" {
		return nil, faultf(CodeUnreadable, "properties.image", "is missing")
	}
	if err := refuseReserved("properties", c.Labels, c.Annotations); err != nil {
		return nil, err
	}
	p := &pod{workload: w, kind: kind, ports: ports, main: corev1.Container{
		Name: w.spec.Name, Image: c.Image, Command: c.Command, Args: c.Args, Resources: requirements(w.spec, w.grant),
	}}
	if err := p.addTraits(); err != nil {
		return nil, err
	}
	env, err := p.variables("properties.env", c.Env)
	if err != nil {
		return nil, err
	}
	p.main.Env = append(p.main.Env, env...) // behind those of traits
	if p.main.Ports, err = containerPorts(ports); err != nil {
		return nil, err
	}
	for _, port := range ports {
		w.flows.listens = append(w.flows.listens, listening{port.target(), port.protocol()})
	}
	spec := &p.template.Spec
	place := w.placement()
	if spec.NodeSelector, err = place.nodes(); err != nil {
		return nil, err
	}
	if spec.TopologySpreadConstraints, err = place.spread(kind, w.app.selector(w.spec.Name)); err != nil {
		return nil, err
	}
	labels := w.out.labels
	if kind == "Deployment" {
		labels = merge(labels, map[string]string{LabelTrack: w.track})
	}
	p.template.Labels, p.template.Annotations = labelled(c.Labels, labels), c.Annotations
	if digest := w.app.configuration(p.references); digest != "" {
		p.template.Annotations = merge(p.template.Annotations, map[string]string{AnnotationConfig: string(digest)})
	}
	// Pods do not need the API server, and would get the variables of other services
	// by chance.
	spec.AutomountServiceAccountToken, spec.EnableServiceLinks = new(false), new(false)
	spec.RestartPolicy = restart
	p.account(c)
	if grace := w.app.spec.Lifecycle.Grace; grace > 0 {
		spec.TerminationGracePeriodSeconds = new(int64((grace + time.Second - 1) / time.Second))
	}
	if w.spec.OS == "windows" {
		spec.OS = &corev1.PodOS{Name: corev1.Windows}
	} else {
		spec.OS = &corev1.PodOS{Name: corev1.Linux}
		spec.SecurityContext = &corev1.PodSecurityContext{
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		}
		p.main.SecurityContext = &corev1.SecurityContext{AllowPrivilegeEscalation: new(false)}
	}
	if w.app.Tenant.PodSecurity == model.PodSecurityRestricted {
		restrict(p)
	}
	p.security.add(spec.SecurityContext, p.main.SecurityContext)
	spec.InitContainers, spec.Containers = p.extras(), []corev1.Container{p.main}
	return p, p.meetsStandard()
}

// configuration digests the data of the named components, "" without names. Secrets
// count by the digests of their values: the status branch has nothing else of them,
// and a restart of the reconciler must change no pod.
func (a *application) configuration(names []string) model.Digest {
	if len(names) == 0 {
		return ""
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	contents := map[string]any{}
	for _, name := range names {
		c, ok := a.redacted.Component(name)
		if !ok {
			continue
		}
		var d data
		switch {
		case c.Type == "external-secret":
			contents[name] = c.Properties
		case decode(c.Properties, &d) == nil:
			if d.Sops != "" {
				d.Source = c.Source
			}
			contents[name] = d
		}
	}
	return model.DigestOf(contents)
}

// variables returns environment variables in order of their names.
func (p *pod) variables(below string, values map[string]envValue) (all []corev1.EnvVar, err error) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v, path := values[name], below+"."+name
		variable := corev1.EnvVar{Name: name, Value: v.Value}
		switch {
		case v.Secret != nil:
			object, err := p.referSecret(path, secretRef{v.Secret.Name, v.Secret.Existing})
			if err != nil {
				return nil, err
			}
			variable.ValueFrom = &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: object, Key: v.Secret.Key}}
		case v.Config != nil:
			object, err := p.refer(path, "config", v.Config.Name)
			if err != nil {
				return nil, err
			}
			variable.ValueFrom = &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: object, Key: v.Config.Key}}
		case v.Field != "":
			variable.ValueFrom = &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: v.Field}}
		}
		all = append(all, variable)
	}
	return all, nil
}

// referSecret returns the Secret of a secret component, or one that others made.
func (p *pod) referSecret(path string, to secretRef) (corev1.LocalObjectReference, error) {
	if to.Existing != "" {
		return corev1.LocalObjectReference{Name: to.Existing}, nil
	}
	return p.refer(path, "secret", to.Name)
}

// refer returns the object of a config or secret component of the application. A
// change of its data reaches the pods.
func (p *pod) refer(path, kind, name string) (object corev1.LocalObjectReference, err error) {
	c, ok := p.app.spec.Component(name)
	if !ok {
		return object, faultf(CodeReference, path, "refers to component %s, which the application does not have", name)
	}
	if c.Configures() != kind {
		return object, faultf(CodeReference, path, "refers to component %s as a %s, but it is a %s", name, kind, c.Type)
	}
	p.references = append(p.references, name)
	return corev1.LocalObjectReference{Name: p.app.configName(c)}, nil
}

// requirements returns the requests and limits of a container. A QoS profile that
// guarantees memory makes the request the limit, so that the kernel never kills the
// container for the memory of a neighbour. guaranteed-pro does the same with CPU:
// then Kubernetes classes the pod as Guaranteed, may give it cores of its own, and
// evicts it last. A default of policy is no limit: nobody said that it suffices. Devices
// cannot be shared.
func requirements(c *model.Component, grant model.Grant) corev1.ResourceRequirements {
	limit := limitsOf(c, grant)
	r := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
	for _, name := range grant.Requests.Names() {
		asked := grant.Requests.Get(name)
		key := corev1.ResourceName(name)
		r.Requests[key] = quantity(name, asked)
		if strings.Contains(name, "/") {
			r.Limits[key] = quantity(name, asked)
		} else if most := limit.Get(name); most > 0 {
			r.Limits[key] = quantity(name, most)
		}
	}
	return r
}

// limitsOf returns the CPU and the memory that bound a container, 0 where nothing does.
func limitsOf(c *model.Component, grant model.Grant) model.Resources {
	limit := c.Limits
	qos := cmp.Or(grant.QoS, c.QoS)
	if (qos == model.Guaranteed || qos == model.GuaranteedPro) && c.Requests.Memory > 0 {
		limit.Memory = grant.Requests.Memory
	}
	if qos == model.GuaranteedPro && c.Requests.CPU > 0 {
		limit.CPU = grant.Requests.CPU
	}
	for _, name := range []string{"cpu", "memory"} {
		if most := limit.Get(name); most > 0 {
			limit = limit.With(name, max(most, grant.Requests.Get(name)))
		}
	}
	return limit
}
