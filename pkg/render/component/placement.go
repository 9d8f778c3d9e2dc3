package component

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// placement decides where the pods of a component may run.
type placement struct {
	spec    *model.Component
	granted string           // the pool, "" if none
	domains []string         // of the grant
	pools   []model.PoolSpec // that the platform declares
}

// pool returns the declaration of the granted pool, nil without a grant.
func (p placement) pool() (*model.PoolSpec, error) {
	if p.granted == "" {
		return nil, nil
	}
	pool, ok := model.Find(p.pools, p.granted)
	if !ok {
		return nil, declared.Faultf(declared.CodePlacement, "placement.pool", "was granted pool %s, which the platform does not declare any more", p.granted)
	}
	return pool, nil
}

// nodes returns the labels of the nodes that the component may run on.
func (p placement) nodes() (map[string]string, error) {
	pool, err := p.pool()
	if err != nil {
		return nil, err
	}
	selector := map[string]string{corev1.LabelOSStable: cmp.Or(p.spec.OS, "linux")}
	if pool != nil {
		selector = declared.Merge(pool.Selector, selector)
	}
	return selector, nil
}

// where returns the labels of these nodes, and how the pods of a workload of a kind are spread over domains.
func (p placement) where(kind string, selector map[string]string) (map[string]string, []corev1.TopologySpreadConstraint, error) {
	nodes, err := p.nodes()
	spread, wrong := p.spread(kind, selector)
	return nodes, spread, cmp.Or(err, wrong)
}

// spread returns how the pods of a workload of a kind are spread over domains. The
// selector is that of the pods.
func (p placement) spread(kind string, selector map[string]string) ([]corev1.TopologySpreadConstraint, error) {
	spread := p.spec.Placement.Spread
	if spread == nil || kind == "DaemonSet" {
		return nil, nil
	}
	key, err := p.topologyKey(spread.Over)
	if err != nil {
		return nil, err
	}
	constraint := corev1.TopologySpreadConstraint{
		MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.ScheduleAnyway,
		LabelSelector: &metav1.LabelSelector{MatchLabels: selector},
	}
	if kind == "Deployment" {
		// Old and new pods of an update are spread apart from each other.
		constraint.MatchLabelKeys = []string{"pod-template-hash"}
	}
	if spread.Min > 1 {
		// The component demands a number of domains, and does not only prefer them.
		constraint.WhenUnsatisfiable, constraint.MinDomains = corev1.DoNotSchedule, new(int32(spread.Min))
	}
	return []corev1.TopologySpreadConstraint{constraint}, nil
}

// topologyKey returns the node label whose values are the domains: the label that the
// pool declares, or that of Kubernetes.
func (p placement) topologyKey(over string) (string, error) {
	pool, err := p.pool()
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

// placement returns where the pods of the component may run.
func (in Input) placement() placement {
	return placement{in.Spec, in.Grant.Pool, in.Grant.Domains, in.App.Pools}
}
