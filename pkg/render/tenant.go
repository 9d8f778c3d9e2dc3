package render

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// systemName is the name of our own objects in a namespace. No tenant's object has it.
const systemName = "d-aros"

// podSecurityEnforce is the label of namespaces that names their Pod Security Standard.
const podSecurityEnforce = "pod-security.kubernetes.io/enforce"

// standard returns the Pod Security Standard that the API server enforces on the pods of
// a tenant: no host access and no privileges, and if restricted no root either. Kubernetes has
// none between those that allow processes of a Windows node and nothing else of it, and all: where
// policy allows these, what the API server admits is bounded by the policy d-aros-pods alone.
func standard(t *model.Tenant) string {
	switch {
	case t.PodSecurity == model.PodSecurityBaseline && t.Policy.HostProcess:
		return "privileged"
	case t.PodSecurity == model.PodSecurityBaseline:
		return "baseline"
	}
	return string(t.PodSecurity)
}

// Tenant renders the objects of a tenant without its applications: its namespace and, if
// policy gives every application its own, those of the applications that have objects. Each
// has the quota of the tenant, as a second line of defence behind arbitration, and if the
// tenant is locked a policy that denies traffic. A namespace that belongs to the cluster
// itself is left out.
func Tenant(fleet, prefix string, t *model.Tenant, held model.Occupancy) Set {
	home := model.AppID{Tenant: t.Name}
	set := Set{App: home, Namespace: Namespace(prefix, home, t.Policy.Namespace)}
	seen := map[string]bool{}
	for _, app := range append([]model.AppID{home}, held.Apps...) {
		name := Namespace(prefix, app, t.Policy.Namespace)
		if seen[name] || reserved(name) || app.Tenant != t.Name {
			continue
		}
		seen[name] = true
		set.Objects = append(set.Objects, scope(fleet, name, t, held)...)
	}
	set.Objects = append(set.Objects, readings(fleet, prefix, t, held.Reads)...)
	inOrder(set.Objects)
	return set
}

// scope renders one namespace with its limits.
func scope(fleet, name string, t *model.Tenant, held model.Occupancy) []Object {
	labels := declared.Merge(namespaceLabels(fleet, t.Name), map[string]string{LabelManagedBy: ManagedBy})
	// A namespace holds volumes, and deleting it deletes them.
	cluster := &part{labels: labels}
	cluster.add(&corev1.Namespace{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Labels:      map[string]string{podSecurityEnforce: standard(t)},
			Annotations: map[string]string{AnnotationPrune: PruneKeep},
		},
	})
	inside := &part{labels: labels, namespace: name}
	if hard := quantities(t.Ceiling(held.Room)); len(hard) > 0 {
		inside.add(&corev1.ResourceQuota{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ResourceQuota"},
			ObjectMeta: metav1.ObjectMeta{Name: systemName},
			Spec:       corev1.ResourceQuotaSpec{Hard: hard},
		})
	}
	inside.add(&corev1.LimitRange{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "LimitRange"},
		ObjectMeta: metav1.ObjectMeta{Name: systemName},
		Spec:       corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{limits(t, held)}},
	})
	if t.Isolation == model.IsolationLocked {
		inside.add(deny(fleet, t))
	}
	return append(cluster.seal(), inside.seal()...)
}

// limits returns what a container has that says nothing: tiny requests, because a quota
// refuses pods without any, and in a locked namespace the limits. No container there may
// have more than the quota, or than what was accepted.
func limits(t *model.Tenant, held model.Occupancy) corev1.LimitRangeItem {
	item := corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, DefaultRequest: corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("10m"),
		corev1.ResourceMemory: resource.MustParse("16Mi"),
	}}
	if t.Isolation != model.IsolationLocked || t.Quota == nil {
		return item
	}
	item.Max = corev1.ResourceList{}
	for name, request := range item.DefaultRequest { // a device counts only where it is asked for
		most := t.Ceiling(held.Room.Max(held.Limits)).Get(string(name))
		if most == 0 {
			continue
		}
		item.Max[name] = declared.Quantity(string(name), most)
		if request.Cmp(item.Max[name]) > 0 {
			item.DefaultRequest[name] = item.Max[name]
		}
	}
	item.Default = item.Max.DeepCopy()
	return item
}

// AboveLimits returns the limits of an application that a locked namespace of its tenant
// refuses to new pods.
func AboveLimits(app *model.Application, t *model.Tenant) (problems []model.Problem) {
	if t == nil || t.Isolation != model.IsolationLocked || t.Quota == nil {
		return nil
	}
	for i := range app.Components {
		c := &app.Components[i]
		for _, name := range []string{"cpu", "memory"} {
			if most, limit := t.Quota.Get(name), c.Limits.Get(name); most > 0 && limit > most {
				p := problem(app, c.Name, declared.Faultf(declared.CodeLimits, "resources.limits."+name, "is %s; no container of tenant %s has more than its quota of %s",
					model.FormatAmount(name, limit), t.Name, model.FormatAmount(name, most)))
				if at, written := t.At["quota."+name]; written {
					p.Places = append(p.Places, model.Place{At: at, Note: "tenant.quota." + name + ": " + model.FormatAmount(name, most)})
				}
				problems = append(problems, p)
			}
		}
	}
	return problems
}

// quantities converts the quota of a tenant to that of a namespace.
func quantities(quota *model.Resources) corev1.ResourceList {
	if quota == nil {
		return nil
	}
	hard := corev1.ResourceList{}
	for _, name := range quota.Names() {
		if n := quota.Get(name); n > 0 {
			hard[corev1.ResourceName("requests."+name)] = declared.Quantity(name, n)
		}
	}
	return hard
}
