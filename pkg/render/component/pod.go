package component

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
	Input
	out      Output
	template corev1.PodTemplateSpec
	main     corev1.Container // the component's own
	patch    trait.Patch      // what its traits give
}

// pod renders the template of the component's pods, and the objects of its traits.
func (in Input) pod(kind string, c container, ports []declared.Port, restart corev1.RestartPolicy) (*pod, error) {
	if c.Image == "" {
		return nil, declared.Faultf(declared.CodeUnreadable, "properties.image", "is missing")
	}
	if err := declared.RefuseReserved("properties", c.Labels, c.Annotations); err != nil {
		return nil, err
	}
	p := &pod{Input: in, main: corev1.Container{
		Name: in.Spec.Name, Image: c.Image, Command: c.Command, Args: c.Args, Resources: requirements(in.Spec, in.Grant),
	}}
	known := in.known(kind, c, ports, p.main.Resources)
	spec, place := &p.template.Spec, in.placement()
	var unfit, twice, nowhere error
	p.patch, unfit = trait.Process(known)
	env, references, err := known.Variables("properties.env", c.Env)
	p.main.Ports, twice = containerPorts(ports)
	spec.NodeSelector, spec.TopologySpreadConstraints, nowhere = place.where(kind, Selector(in.App.ID, in.Spec.Name))
	if err := cmp.Or(unfit, err, twice, nowhere); err != nil {
		return nil, err
	}
	p.main.Env = slices.Concat(p.patch.Main.Env, env)
	for _, port := range ports {
		p.out.Listens = append(p.out.Listens, At(port))
	}
	labels := in.Labels
	if kind == "Deployment" {
		labels = declared.Merge(labels, map[string]string{LabelTrack: in.Track})
	}
	p.template.Labels, p.template.Annotations = Labelled(c.Labels, labels), c.Annotations
	if digest := in.App.configuration(append(references, p.patch.References...)); digest != "" {
		p.template.Annotations = declared.Merge(p.template.Annotations, map[string]string{AnnotationConfig: string(digest)})
	}
	// Pods do not need the API server, and would get the variables of other services
	// by chance.
	spec.AutomountServiceAccountToken, spec.EnableServiceLinks = new(false), new(false)
	spec.RestartPolicy = restart
	if err := p.account(c); err != nil {
		return nil, err
	}
	if grace := in.App.Spec.Lifecycle.Grace; grace > 0 {
		spec.TerminationGracePeriodSeconds = new(int64((grace + time.Second - 1) / time.Second))
	}
	if in.Spec.OS == "windows" {
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
	if in.App.Standard == model.PodSecurityRestricted {
		restrict(p)
	}
	p.carry()
	if err := cmp.Or(p.onNode(c), place.together(spec)); err != nil {
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
func (in Input) known(kind string, c container, ports []declared.Port, resources corev1.ResourceRequirements) trait.Context {
	return trait.Context{
		Component: in.Spec, Grant: in.Grant, Ports: ports, Resources: resources, Env: c.Env,
		Workload: trait.Workload{
			Kind: kind, Name: in.Name, Run: in.Run, Newer: in.Track == TrackNext, Selector: Selector(in.App.ID, in.Spec.Name),
		},
		Claims: trait.Claims{Kept: map[string]string{AnnotationPrune: PruneKeep}, Deleted: in.App.deletion()},
		Policy: in.App.Spec.Policy, Domain: in.placement().topologyKey,
		Peer: in.App.Peer,
		Configuration: func(name string) (trait.Configuration, bool) {
			c, ok := in.App.Spec.Component(name)
			if !ok {
				return trait.Configuration{}, false
			}
			found := trait.Configuration{Type: c.Type, Sort: c.Configures()}
			if found.Sort != "" {
				found.Name = in.App.ConfigName(c)
			}
			return found, true
		},
	}
}

// requirements returns the requests and limits of a container. A QoS profile that
// guarantees memory makes the request the limit, so that the kernel never kills the
// container for the memory of a neighbour. guaranteed-pro does the same with CPU:
// then Kubernetes classes the pod as Guaranteed, may give it cores of its own, and
// evicts it last. A default of policy is no limit: nobody said that it suffices. Devices
// cannot be shared.
func requirements(c *model.Component, grant model.Grant) corev1.ResourceRequirements {
	limit := Limits(c, grant)
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

// Limits returns the CPU and the memory that bound a container, 0 where nothing does.
func Limits(c *model.Component, grant model.Grant) model.Resources {
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
