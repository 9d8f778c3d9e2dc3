package kubernetes

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/render"
)

const labelReport = render.Domain + "report" // of ConfigMaps with reports of nodes: the fleet

// ReportName is the name of the ConfigMap in which the nodes of a pool say, each under its
// name, what they do not keep of their plan.
func ReportName(fleet, pool string) string { return "report-" + fleet + "-" + pool }

// reports are those of the nodes of a pool, read once for each change of their ConfigMap.
type reports struct {
	metav1.ObjectMeta
	of map[string]report
}

// report is that of one node.
type report struct {
	shortfalls []model.Shortfall // without pool and node
	tooLarge   bool
}

// readReports reads a ConfigMap. Of a node that writes what no agent does it has nothing.
func readReports(obj any) (any, error) {
	c, ok := obj.(*corev1.ConfigMap)
	if !ok {
		return obj, nil
	}
	all := &reports{metav1.ObjectMeta{Namespace: c.Namespace, Name: c.Name, ResourceVersion: c.ResourceVersion}, map[string]report{}}
	for node, document := range c.Data {
		r := report{tooLarge: len(document) > qos.MaxReport}
		parsed, err := qos.ParseReport(document)
		for i := 0; err == nil && i < len(parsed.Shortfalls); i++ {
			if s, ok := shortfallOf(&parsed.Shortfalls[i]); ok {
				r.shortfalls = append(r.shortfalls, s)
			}
		}
		all.of[node] = r
	}
	return all, nil
}

// shortfalls returns what the nodes of the pools of a platform say that they do not keep. The
// name of a ConfigMap says which pool it is of, because those who write it cannot change that.
// A node that is not ready or not of the pool says nothing, and so does one that writes what
// no agent does.
func (r *Runtime) shortfalls(platform *model.Platform) (all []model.Shortfall) {
	if r.nodes.reports == nil || platform == nil {
		return nil
	}
	for i := range platform.Pools {
		pool := &platform.Pools[i]
		told := r.nodes.reportsOf(ReportName(r.o.Fleet, pool.Name))
		if len(told) == 0 || len(pool.Selector) == 0 || pool.Cluster != r.o.Cluster {
			continue
		}
		selector := labels.SelectorFromSet(pool.Selector)
		for name, report := range told {
			if node := r.nodes.node(name); node == nil || !isReady(node) || !selector.Matches(labels.Set(node.Labels)) {
				continue
			}
			for _, s := range report.shortfalls {
				s.Pool, s.Node = pool.Name, name
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b model.Shortfall) int { return cmp.Or(a.Compare(&b), cmp.Compare(a.Why, b.Why)) })
	return all
}

// shortfallOf tells from the name of a workload in a plan what it is:
// TENANT/APPLICATION/COMPONENT, or system/UNIT.
func shortfallOf(q *qos.Shortfall) (s model.Shortfall, ok bool) {
	s = model.Shortfall{Resource: q.Resource, Promised: q.Promised, Kept: q.Kept, Setting: q.Setting, Why: q.Reason}
	i := strings.LastIndexByte(q.Workload, '/')
	if i < 0 {
		return s, false
	}
	if q.Workload[:i] == "system" {
		s.Unit = q.Workload[i+1:]
		return s, s.Unit != ""
	}
	var err error
	s.App, err = model.ParseAppID(q.Workload[:i])
	s.Component = q.Workload[i+1:]
	return s, err == nil
}

// receive makes the ConfigMaps for the reports of pools, where there are none, and takes out
// what nodes wrote that are gone, and what is too large: it leaves no room for others.
func (r *Runtime) receive(ctx context.Context, pools []string) error {
	for _, pool := range pools {
		name := ReportName(r.o.Fleet, pool)
		told := r.nodes.reportsOf(name)
		if told == nil {
			if err := r.applyConfigMap(ctx, r.o.Agents, name, map[string]string{labelReport: r.o.Fleet}, nil); err != nil {
				return fmt.Errorf("make ConfigMap %s/%s: %w", r.o.Agents, name, err)
			}
			continue
		}
		gone := map[string]any{}
		for node, report := range told {
			if report.tooLarge || r.nodes.node(node) == nil {
				gone[node] = nil
			}
		}
		if len(gone) == 0 || !r.nodes.nodes.HasSynced() {
			continue
		}
		patch, err := json.Marshal(map[string]any{"data": gone})
		if err == nil {
			_, err = r.core.ConfigMaps(r.o.Agents).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: apply.FieldManager})
		}
		if err != nil {
			return fmt.Errorf("clear ConfigMap %s/%s: %w", r.o.Agents, name, err)
		}
	}
	return nil
}

// reportsOf returns the reports in a ConfigMap by node, nil if it is not seen.
func (n *nodes) reportsOf(name string) map[string]report {
	if n.reports == nil {
		return nil
	}
	obj, found, _ := n.reports.GetStore().GetByKey(n.agents + "/" + name)
	if !found {
		return nil
	}
	return obj.(*reports).of
}

// node returns a node by its name, nil if there is none.
func (n *nodes) node(name string) *corev1.Node {
	obj, _, _ := n.nodes.GetStore().GetByKey(name)
	node, _ := obj.(*corev1.Node)
	return node
}
