package kubernetes

import (
	"context"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/render"
)

const (
	labelPlan = render.Domain + "plan" // of ConfigMaps with plans of nodes: the fleet
	planKey   = "plan.json"
)

// PlanName is the name of the ConfigMap that the agents on the nodes of a pool mount.
func PlanName(fleet, pool string) string { return "plan-" + fleet + "-" + pool }

// Plans returns what the agents of each pool are to keep for a ledger, by pool.
func (r *Runtime) Plans(ledger *model.Ledger) map[string][]byte {
	return render.NodePlans(ledger, r.renderer.Prefix)
}

// Plan gives the agents on the nodes of each of the cluster's pools their plan, in a ConfigMap of
// the namespace of agents, and writes only what differs. The agents of a pool that is gone or in
// another cluster get an empty plan, with which they give everything back. Beside each plan it makes the ConfigMap
// in which the nodes answer. Without that namespace there are no agents, and nothing is
// written.
func (r *Runtime) Plan(ctx context.Context, pools []model.PoolSpec, plans map[string][]byte) error {
	if r.o.Agents == "" {
		return nil
	}
	plans = maps.Clone(plans)
	for i := range pools {
		if pools[i].Cluster != r.o.Cluster {
			delete(plans, pools[i].Name)
		}
	}
	there, err := r.core.ConfigMaps(r.o.Agents).List(ctx, metav1.ListOptions{LabelSelector: labelPlan + "=" + r.o.Fleet})
	if err != nil {
		return fmt.Errorf("list the plans of nodes in namespace %s: %w", r.o.Agents, err)
	}
	wanted := map[string]string{}
	for i := range there.Items {
		wanted[there.Items[i].Name] = string(qos.Encode(qos.Plan{}))
	}
	for pool, document := range plans {
		wanted[PlanName(r.o.Fleet, pool)] = string(document)
	}
	for i := range there.Items {
		if c := &there.Items[i]; c.Data[planKey] == wanted[c.Name] {
			delete(wanted, c.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		err := r.applyConfigMap(ctx, r.o.Agents, name, map[string]string{labelPlan: r.o.Fleet}, map[string]string{planKey: wanted[name]})
		if apierrors.IsNotFound(err) {
			return nil // no namespace
		}
		if err != nil {
			return fmt.Errorf("write ConfigMap %s/%s: %w", r.o.Agents, name, err)
		}
	}
	return r.receive(ctx, slices.Sorted(maps.Keys(plans)))
}
