package trait

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{Name: "sidecars", Needs: []string{"storage"}, Process: reading("sidecars", sidecars)})

// share is what a sidecar has of the requests and limits of its component.
type share struct{ Requests, Limits portion }

type portion struct{ CPU, Memory string }

func (a portion) parse(path string) (r model.Resources, err error) {
	if a.CPU != "" {
		if r.CPU, err = model.ParseCPU(a.CPU); err != nil {
			return r, declared.Faultf(declared.CodeUnreadable, path+".cpu", "%v", err)
		}
	}
	if a.Memory != "" {
		if r.Memory, err = model.ParseMemory(a.Memory); err != nil {
			return r, declared.Faultf(declared.CodeUnreadable, path+".memory", "%v", err)
		}
	}
	return r, nil
}

// sidecars run beside the component's own container. What they request and may use at most
// is taken from what the component does, so the grant covers all of the pod.
func sidecars(c Context, all []extra) (patch Patch, err error) {
	left := c.Resources.DeepCopy()
	for i := range all {
		path := fmt.Sprintf("traits.sidecars.%d", i)
		container, references, err := c.extra(path, &all[i], all[:i])
		requests, unread := all[i].Resources.Requests.parse(path + ".resources.requests")
		limits, unbound := all[i].Resources.Limits.parse(path + ".resources.limits")
		if err := cmp.Or(err, unread, unbound); err != nil {
			return patch, err
		}
		if container.Resources, err = take(left, path, requests, guaranteed(c, requests, limits)); err != nil {
			return patch, err
		}
		if container.LivenessProbe, container.ReadinessProbe, container.StartupProbe, err = all[i].Probes.render(path+".probes", nil); err != nil {
			return patch, err
		}
		container.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
		patch.Beside, patch.References = append(patch.Beside, container), append(patch.References, references...)
	}
	if len(all) > 0 {
		patch.Main.Resources = left
	}
	return patch, nil
}

// guaranteed makes a request the limit where the QoS profile of the component does.
func guaranteed(c Context, requests, limits model.Resources) model.Resources {
	qos := cmp.Or(c.Grant.QoS, c.Component.QoS)
	if qos == model.Guaranteed || qos == model.GuaranteedPro {
		limits.Memory = requests.Memory
	}
	if qos == model.GuaranteedPro {
		limits.CPU = requests.CPU
	}
	return limits
}

// take gives a sidecar its share of the requests and limits that are left to the component's own container.
func take(from *corev1.ResourceRequirements, path string, requests, limits model.Resources) (corev1.ResourceRequirements, error) {
	r := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
	for _, name := range []string{"cpu", "memory"} {
		key, asked, most := corev1.ResourceName(name), requests.Get(name), limits.Get(name)
		own := from.Requests[key]
		left := own.DeepCopy()
		if left.Sub(declared.Quantity(name, asked)); left.Sign() <= 0 {
			return r, declared.Faultf(declared.CodeConflict, path+".resources.requests."+name, "leaves nothing to the container of the component, which requests %s in all", own.String())
		}
		from.Requests[key], r.Requests[key] = left, declared.Quantity(name, asked)
		if most > 0 && most < asked {
			return r, declared.Faultf(declared.CodeConflict, path+".resources.limits."+name, "is below its request")
		}
		if most > 0 {
			r.Limits[key] = declared.Quantity(name, most)
		}
		if whole, limited := from.Limits[key]; limited {
			rest := whole.DeepCopy()
			if rest.Sub(declared.Quantity(name, max(asked, most))); rest.Cmp(left) < 0 {
				return r, declared.Faultf(declared.CodeConflict, path+".resources.limits."+name, "leaves less of the component's limit of %s than its own container requests", whole.String())
			}
			from.Limits[key] = rest
		}
	}
	return r, nil
}
