package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// extra is a container beside the component's own.
type extra struct {
	Name    string              `json:"name"`
	Image   string              `json:"image"`
	Command []string            `json:"command"`
	Args    []string            `json:"args"`
	Env     map[string]envValue `json:"env"`
	Mounts  map[string]string   `json:"mounts"` // paths by the names of storage

	Resources share `json:"resources"` // of a sidecar
}

// share is what a sidecar has of the requests and limits of its component.
type share struct{ Requests, Limits portion }

type portion struct{ CPU, Memory string }

func (a portion) parse(path string) (r model.Resources, err error) {
	if a.CPU != "" {
		if r.CPU, err = model.ParseCPU(a.CPU); err != nil {
			return r, faultf(CodeUnreadable, path+".cpu", "%v", err)
		}
	}
	if a.Memory != "" {
		if r.Memory, err = model.ParseMemory(a.Memory); err != nil {
			return r, faultf(CodeUnreadable, path+".memory", "%v", err)
		}
	}
	return r, nil
}

// initContainers run before the component's own container, which runs nothing meanwhile: so
// each may use what that one has.
func (p *pod) initContainers(declared []extra) error {
	for i := range declared {
		c, err := p.extra(fmt.Sprintf("traits.init.%d", i), &declared[i])
		if err != nil {
			return err
		}
		p.before = append(p.before, c)
	}
	return nil
}

// sidecars run beside the component's own container. What they request and may use at most
// is taken from what the component does, so the grant covers all of the pod.
func (p *pod) sidecars(declared []extra) error {
	for i := range declared {
		path := fmt.Sprintf("traits.sidecars.%d", i)
		c, err := p.extra(path, &declared[i])
		if err != nil {
			return err
		}
		requests, err := declared[i].Resources.Requests.parse(path + ".resources.requests")
		if err != nil {
			return err
		}
		limits, err := declared[i].Resources.Limits.parse(path + ".resources.limits")
		if err != nil {
			return err
		}
		if c.Resources, err = p.take(path, requests, limits); err != nil {
			return err
		}
		c.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
		p.beside = append(p.beside, c)
	}
	return nil
}

// take gives a sidecar its share of the requests and limits of the component's own container.
func (p *pod) take(path string, requests, limits model.Resources) (corev1.ResourceRequirements, error) {
	qos := cmp.Or(p.grant.QoS, p.spec.QoS)
	if qos == model.Guaranteed || qos == model.GuaranteedPro {
		limits.Memory = requests.Memory
	}
	if qos == model.GuaranteedPro {
		limits.CPU = requests.CPU
	}
	r := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
	for _, name := range []string{"cpu", "memory"} {
		key, asked, most := corev1.ResourceName(name), requests.Get(name), limits.Get(name)
		own := p.main.Resources.Requests[key]
		left := own.DeepCopy()
		if left.Sub(quantity(name, asked)); left.Sign() <= 0 {
			return r, faultf(CodeConflict, path+".resources.requests."+name, "leaves nothing to the container of the component, which requests %s in all", own.String())
		}
		p.main.Resources.Requests[key], r.Requests[key] = left, quantity(name, asked)
		if most > 0 && most < asked {
			return r, faultf(CodeConflict, path+".resources.limits."+name, "is below its request")
		}
		if most > 0 {
			r.Limits[key] = quantity(name, most)
		}
		if whole, limited := p.main.Resources.Limits[key]; limited {
			rest := whole.DeepCopy()
			if rest.Sub(quantity(name, max(asked, most))); rest.Cmp(left) < 0 {
				return r, faultf(CodeConflict, path+".resources.limits."+name, "leaves less of the component's limit of %s than its own container requests", whole.String())
			}
			p.main.Resources.Limits[key] = rest
		}
	}
	return r, nil
}

// extra renders what both sorts have in common.
func (p *pod) extra(path string, declared *extra) (corev1.Container, error) {
	taken := func(c corev1.Container) bool { return c.Name == declared.Name }
	if declared.Name == p.main.Name || slices.ContainsFunc(p.before, taken) || slices.ContainsFunc(p.beside, taken) {
		return corev1.Container{}, faultf(CodeConflict, path+".name", "is %s, and so is another container of the component", declared.Name)
	}
	c := corev1.Container{Name: declared.Name, Image: declared.Image, Command: declared.Command, Args: declared.Args}
	env, err := p.variables(path+".env", declared.Env)
	if err != nil {
		return c, err
	}
	c.Env = env
	for _, name := range slices.Sorted(maps.Keys(declared.Mounts)) {
		if !slices.ContainsFunc(p.main.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == name }) {
			return c, faultf(CodeReference, path+".mounts."+name, "is not the name of a storage of the component")
		}
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: declared.Mounts[name]})
	}
	return c, nil
}

// extras returns the containers beside the component's own, with the requests of those that
// run before it and the rights that its own has.
func (p *pod) extras() []corev1.Container {
	for i := range p.before {
		p.before[i].Resources = *p.main.Resources.DeepCopy()
	}
	all := slices.Concat(p.beside, p.before) // sidecars first: what runs before may need them
	for i := range all {
		all[i].SecurityContext = p.main.SecurityContext.DeepCopy()
	}
	return all
}
