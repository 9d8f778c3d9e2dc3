package render

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// podSecurity is the Pod Security Standard that the API server enforces on all pods of
// tenants: no host access, no privileges.
const podSecurity = "baseline"

// Tenant renders the objects of a tenant without its applications: its namespace and, if
// policy gives every application its own, those of the applications that have objects. Each
// has the quota of the tenant, as a second line of defence behind arbitration. A namespace
// that belongs to the cluster itself is left out.
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
		set.Objects = append(set.Objects, scope(fleet, name, t, held.Room)...)
	}
	inOrder(set.Objects)
	return set
}

// scope renders one namespace with its limits.
func scope(fleet, name string, t *model.Tenant, room model.Resources) []Object {
	labels := map[string]string{LabelFleet: fleet, LabelTenant: t.Name, LabelManagedBy: ManagedBy}
	// A namespace holds volumes, and deleting it deletes them.
	cluster := &part{labels: labels}
	cluster.add(&corev1.Namespace{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Labels:      map[string]string{"pod-security.kubernetes.io/enforce": podSecurity},
			Annotations: map[string]string{AnnotationPrune: PruneKeep},
		},
	})
	inside := &part{labels: labels, namespace: name}
	if hard := quantities(Hard(t, room)); len(hard) > 0 {
		inside.add(&corev1.ResourceQuota{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ResourceQuota"},
			ObjectMeta: metav1.ObjectMeta{Name: "d-aros"},
			Spec:       corev1.ResourceQuotaSpec{Hard: hard},
		})
	}
	// A quota refuses pods without requests, so they get tiny ones by default.
	inside.add(&corev1.LimitRange{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "LimitRange"},
		ObjectMeta: metav1.ObjectMeta{Name: "d-aros"},
		Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
			Type: corev1.LimitTypeContainer,
			DefaultRequest: corev1.ResourceList{
				corev1.ResourceCPU:    resource.MustParse("10m"),
				corev1.ResourceMemory: resource.MustParse("16Mi"),
			},
		}}},
	})
	return append(cluster.seal(), inside.seal()...)
}

// Hard is the most that the pods of a tenant may request in a namespace, nil without a
// quota: its quota, or the room of what it was granted where that is more. So a pod that
// dies comes back, also where the quota was lowered below use.
func Hard(t *model.Tenant, room model.Resources) *model.Resources {
	if t.Quota == nil {
		return nil
	}
	hard := *t.Quota
	for _, name := range hard.Names() {
		if n := hard.Get(name); n > 0 {
			hard = hard.With(name, max(n, room.Get(name)))
		}
	}
	return &hard
}

// quantities converts the quota of a tenant to that of a namespace.
func quantities(quota *model.Resources) corev1.ResourceList {
	if quota == nil {
		return nil
	}
	hard := corev1.ResourceList{}
	for _, name := range quota.Names() {
		if n := quota.Get(name); n > 0 {
			hard[corev1.ResourceName("requests."+name)] = quantity(name, n)
		}
	}
	return hard
}

// quantity converts an amount of the named resource.
func quantity(name string, n int64) resource.Quantity {
	switch name {
	case "cpu":
		return *resource.NewMilliQuantity(n, resource.DecimalSI)
	case "memory":
		return *resource.NewQuantity(n, resource.BinarySI)
	}
	return *resource.NewQuantity(n, resource.DecimalSI)
}
