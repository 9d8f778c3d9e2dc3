package render

import (
	"cmp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/manifest"
	"github.com/d-aros/d-aros/pkg/render/trait"
)

// A pod is the template of a component's pods while it is rendered.
type pod struct {
	*workload
	template corev1.PodTemplateSpec
	main     corev1.Container // the component's own
	patch    trait.Patch      // what its traits give
}

// pod renders the template of the component's pods, and the objects of its traits.
func (w *workload) pod(kind string, c container, ports []declared.Port, restart corev1.RestartPolicy) (*pod, error) {
	if c.Image == "" {
		return nil, declared.Faultf(declared.CodeUnreadable, "properties.image", "is missing")
	}
	if err := declared.RefuseReserved("properties", c.Labels, c.Annotations); err != nil {
		return nil, err
	}
	p := &pod{workload: w, main: corev1.Container{
		Name: w.spec.Name, Image: c.Image, Command: c.Command, Args: c.Args, Resources: requirements(w.spec, w.grant),
	}}
	known := w.known(kind, c, ports, p.main.Resources)
	var err error
	if p.patch, err = trait.Process(known); err != nil {
		return nil, err
	}
	env, references, err := known.Variables("properties.env", c.Env)
	if err != nil {
		return nil, err
	}
	p.main.Env = slices.Concat(p.patch.Main.Env, env)
	if p.main.Ports, err = containerPorts(ports); err != nil {
		return nil, err
	}
	for _, port := range ports {
		w.flows.listens = append(w.flows.listens, listening{port.Target(), port.Transport()})
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
		labels = declared.Merge(labels, map[string]string{LabelTrack: w.track})
	}
	p.template.Labels, p.template.Annotations = labelled(c.Labels, labels), c.Annotations
	if digest := w.app.configuration(append(references, p.patch.References...)); digest != "" {
		p.template.Annotations = declared.Merge(p.template.Annotations, map[string]string{AnnotationConfig: string(digest)})
	}
	// Pods do not need the API server, and would get the variables of other services
	// by chance.
	spec.AutomountServiceAccountToken, spec.EnableServiceLinks = new(false), new(false)
	spec.RestartPolicy = restart
	if err := p.account(c); err != nil {
		return nil, err
	}
	if grace := w.app.spec.Lifecycle.Grace; grace > 0 {
		spec.TerminationGracePeriodSeconds = new(int64((grace + time.Second - 1) / time.Second))
	}
	if w.spec.OS == "windows" {
		if err := p.onWindows(); err != nil {
			return nil, err
		}
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
	p.carry()
	if err := place.together(spec); err != nil {
		return nil, err
	}
	if fields := p.patch.Pod.Fields; fields != nil {
		if err := manifest.Patch("traits.pod", fields, spec); err != nil {
			return nil, err
		}
	}
	return p, p.meetsStandard()
}

// known returns what the traits of the component may know of it.
func (w *workload) known(kind string, c container, ports []declared.Port, resources corev1.ResourceRequirements) trait.Context {
	return trait.Context{
		Component: w.spec, Grant: w.grant, Ports: ports, Resources: resources, Env: c.Env,
		Workload: trait.Workload{
			Kind: kind, Name: w.name, Run: w.run, Newer: w.track == TrackNext, Selector: w.app.selector(w.spec.Name),
		},
		Claims: trait.Claims{Kept: map[string]string{AnnotationPrune: PruneKeep}, Deleted: w.app.deletion()},
		Policy: &w.app.spec.Policy, Domain: w.placement().topologyKey,
		Peer: w.app.peer,
		Configuration: func(name string) (trait.Configuration, bool) {
			c, ok := w.app.spec.Component(name)
			if !ok {
				return trait.Configuration{}, false
			}
			found := trait.Configuration{Type: c.Type, Sort: c.Configures()}
			if found.Sort != "" {
				found.Name = w.app.configName(c)
			}
			return found, true
		},
	}
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
		case declared.Read(c.Properties, &d) == nil:
			if d.Sops != "" {
				d.Source = c.Source
			}
			contents[name] = d
		}
	}
	return model.DigestOf(contents)
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
		r.Requests[key] = declared.Quantity(name, asked)
		if strings.Contains(name, "/") {
			r.Limits[key] = declared.Quantity(name, asked)
		} else if most := limit.Get(name); most > 0 {
			r.Limits[key] = declared.Quantity(name, most)
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
