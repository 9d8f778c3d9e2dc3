package kubernetes

import (
	"context"
	"reflect"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-helpers/resource"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// nodes watches the nodes, the pods of others, which take capacity away, and what the agents
// of nodes report. It keeps only the fields that count.
type nodes struct {
	*runtime.Background
	nodes, pods *watched
	reports     *watched // nil without agents
	agents      string   // their namespace
	changed     func()

	start sync.Once
}

// watched is the watch of one kind.
type watched struct {
	cache.SharedIndexInformer
	*apply.Health
}

func newNodes(core v1.CoreV1Interface, fleet, agents string, changed func()) *nodes {
	n := &nodes{Background: runtime.NewBackground(), agents: agents, changed: changed}
	n.nodes = watchKind(core, "", "nodes", &corev1.Node{}, slimNode, func(*metav1.ListOptions) {})
	n.pods = watchKind(core, "", "pods", &corev1.Pod{}, slimPod, func(o *metav1.ListOptions) {
		o.LabelSelector = render.LabelFleet + "!=" + fleet
		o.FieldSelector = "status.phase!=Succeeded,status.phase!=Failed"
	})
	if agents != "" {
		n.reports = watchKind(core, agents, "configmaps", &corev1.ConfigMap{}, readReports, func(o *metav1.ListOptions) {
			o.LabelSelector = labelReport + "=" + fleet
		})
	}
	return n
}

// all lists the watches.
func (n *nodes) all() []*watched {
	if n.reports == nil {
		return []*watched{n.nodes, n.pods}
	}
	return []*watched{n.nodes, n.pods, n.reports}
}

func watchKind(core v1.CoreV1Interface, namespace, resource string, example apiruntime.Object, slim cache.TransformFunc, only func(*metav1.ListOptions)) *watched {
	health := apply.NewHealth(resource)
	lw := health.Follow(cache.NewFilteredListWatchFromClient(core.RESTClient(), resource, namespace, only))
	informer := cache.NewSharedIndexInformer(lw, example, 0, cache.Indexers{})
	_ = informer.SetTransform(slim)
	return &watched{informer, health}
}

// tell calls a function when an object comes, goes or is not the same any more.
func (w *watched) tell(changed func(), same func(a, b any) bool) {
	_, _ = w.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { changed() }, DeleteFunc: func(any) { changed() }, UpdateFunc: func(a, b any) {
		if !same(a, b) {
			changed()
		}
	}})
}

// broken returns when and why the first of the broken watches broke.
func (n *nodes) broken() (time.Time, error) {
	for _, w := range n.all() {
		if since, err := w.Broken(); err != nil {
			return since, err
		}
	}
	return time.Time{}, nil
}

// wait starts the watches and waits until they are in step. It fails while the API
// server refuses a watch or cannot be reached.
func (n *nodes) wait(ctx context.Context) error {
	n.start.Do(n.run)
	for _, w := range n.all() {
		if err := w.Wait(ctx, w.HasSyncedChecker().Done()); err != nil {
			return err
		}
	}
	return nil
}

func (n *nodes) run() {
	n.nodes.tell(n.changed, func(a, b any) bool {
		x, y := *a.(*corev1.Node), *b.(*corev1.Node)
		x.ResourceVersion, y.ResourceVersion = "", ""
		return reflect.DeepEqual(x, y)
	})
	if n.reports != nil {
		n.reports.tell(n.changed, func(a, b any) bool { return reflect.DeepEqual(a.(*reports).of, b.(*reports).of) })
	}
	for _, w := range n.all() {
		n.Busy.Go(func() { w.RunWithContext(n.Ctx) })
	}
}

// slimNode keeps the fields that show whether a node takes pods, and its capacity.
func slimNode(obj any) (any, error) {
	node, ok := obj.(*corev1.Node)
	if !ok {
		return obj, nil
	}
	slim := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: node.Name, ResourceVersion: node.ResourceVersion, Labels: node.Labels},
		Spec:       corev1.NodeSpec{Unschedulable: node.Spec.Unschedulable},
		Status:     corev1.NodeStatus{Allocatable: node.Status.Allocatable},
	}
	for _, t := range node.Spec.Taints {
		slim.Spec.Taints = append(slim.Spec.Taints, corev1.Taint{Key: t.Key, Effect: t.Effect})
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			slim.Status.Conditions = []corev1.NodeCondition{{Type: c.Type, Status: c.Status}}
		}
	}
	return slim, nil
}

// slimPod keeps the node of a pod and its requests, in one container.
func slimPod(obj any) (any, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return obj, nil
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion},
		Spec: corev1.PodSpec{NodeName: pod.Spec.NodeName, Containers: []corev1.Container{
			{Resources: corev1.ResourceRequirements{Requests: resource.PodRequests(pod, resource.PodResourcesOptions{})}},
		}},
		Status: corev1.PodStatus{Phase: pod.Status.Phase},
	}, nil
}
