package kubernetes

import (
	"context"
	"reflect"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-helpers/resource"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/render"
)

// nodes watches the nodes, and the pods of others, which take capacity away. It keeps
// only the fields that count.
type nodes struct {
	nodes, pods *watched
	changed     func()

	start sync.Once
	ctx   context.Context
	stop  context.CancelFunc
	group sync.WaitGroup
}

// watched is the watch of one kind.
type watched struct {
	cache.SharedIndexInformer
	*apply.Health
}

func newNodes(core v1.CoreV1Interface, fleet string, changed func()) *nodes {
	n := &nodes{changed: changed}
	n.ctx, n.stop = context.WithCancel(context.Background())
	n.nodes = watchKind(core, "nodes", &corev1.Node{}, slimNode, func(*metav1.ListOptions) {})
	n.pods = watchKind(core, "pods", &corev1.Pod{}, slimPod, func(o *metav1.ListOptions) {
		o.LabelSelector = render.LabelFleet + "!=" + fleet
		o.FieldSelector = "status.phase!=Succeeded,status.phase!=Failed"
	})
	return n
}

func watchKind(core v1.CoreV1Interface, resource string, example runtime.Object, slim cache.TransformFunc, only func(*metav1.ListOptions)) *watched {
	health := apply.NewHealth(resource)
	lw := health.Follow(cache.NewFilteredListWatchFromClient(core.RESTClient(), resource, "", only))
	informer := cache.NewSharedIndexInformer(lw, example, 0, cache.Indexers{})
	_ = informer.SetTransform(slim)
	return &watched{informer, health}
}

// broken returns when and why the first of the broken watches broke.
func (n *nodes) broken() (time.Time, error) {
	if since, err := n.nodes.Broken(); err != nil {
		return since, err
	}
	return n.pods.Broken()
}

// wait starts the watches and waits until they are in step. It fails while the API
// server refuses a watch or cannot be reached.
func (n *nodes) wait(ctx context.Context) error {
	n.start.Do(n.run)
	for _, w := range []*watched{n.nodes, n.pods} {
		if err := w.Wait(ctx, w.HasSyncedChecker().Done()); err != nil {
			return err
		}
	}
	return nil
}

func (n *nodes) run() {
	_, _ = n.nodes.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { n.changed() },
		DeleteFunc: func(any) { n.changed() },
		UpdateFunc: func(a, b any) {
			x, y := *a.(*corev1.Node), *b.(*corev1.Node)
			x.ResourceVersion, y.ResourceVersion = "", ""
			if !reflect.DeepEqual(x, y) {
				n.changed()
			}
		},
	})
	n.group.Go(func() { n.nodes.RunWithContext(n.ctx) })
	n.group.Go(func() { n.pods.RunWithContext(n.ctx) })
}

func (n *nodes) close() {
	n.stop()
	n.group.Wait()
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
