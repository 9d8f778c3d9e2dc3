package render

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// pool returns the declaration of the pool that the component was granted, nil
// where it was granted none.
func (w *workload) pool() (*model.PoolSpec, error) {
	if w.grant.Pool == "" {
		return nil, nil
	}
	i := slices.IndexFunc(w.app.Pools, func(p model.PoolSpec) bool { return p.Name == w.grant.Pool })
	if i < 0 {
		return nil, faultf(CodePlacement, "placement.pool", "was granted pool %s, which the platform does not declare any more", w.grant.Pool)
	}
	return &w.app.Pools[i], nil
}

// nodes returns the labels of the nodes that the component may run on.
func (w *workload) nodes() (map[string]string, error) {
	pool, err := w.pool()
	if err != nil {
		return nil, err
	}
	os := w.spec.OS
	if os == "" {
		os = "linux"
	}
	selector := map[string]string{corev1.LabelOSStable: os}
	if pool != nil {
		selector = merge(pool.Selector, selector)
	}
	return selector, nil
}

// placement says where the pods of a workload of the given kind may run.
func (w *workload) placement(kind string) (map[string]string, []corev1.TopologySpreadConstraint, error) {
	selector, err := w.nodes()
	spread := w.spec.Placement.Spread
	if err != nil || spread == nil || kind == "DaemonSet" {
		return selector, nil, err
	}
	key, err := w.topologyKey(spread.Over)
	if err != nil {
		return nil, nil, err
	}
	constraint := corev1.TopologySpreadConstraint{
		MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.ScheduleAnyway,
		LabelSelector: &metav1.LabelSelector{MatchLabels: w.app.selector(w.spec.Name)},
	}
	if kind == "Deployment" {
		// Old and new pods of an update are spread apart from each other.
		constraint.MatchLabelKeys = []string{"pod-template-hash"}
	}
	if spread.Min > 1 {
		// A number of domains was asked for, not only a preference.
		least := int32(spread.Min)
		constraint.WhenUnsatisfiable, constraint.MinDomains = corev1.DoNotSchedule, &least
	}
	return selector, []corev1.TopologySpreadConstraint{constraint}, nil
}

// topologyKey returns the node label whose values are the domains: what the
// pool says, or the name that Kubernetes has for it.
func (w *workload) topologyKey(over string) (string, error) {
	pool, err := w.pool()
	switch {
	case err != nil:
		return "", err
	case over == "node":
		return corev1.LabelHostname, nil
	case pool != nil && pool.TopologyKey != "":
		return pool.TopologyKey, nil
	}
	return "topology.kubernetes.io/" + over, nil
}
