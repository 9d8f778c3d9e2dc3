package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-helpers/resource"

	"github.com/d-aros/d-aros/pkg/render"
)

// nodes watches what takes part in capacity: the nodes, and the pods that are
// not the fleet's own. Of both only what counts is kept.
type nodes struct {
	nodes, pods cache.SharedIndexInformer
	changed     func()

	start  sync.Once
	ctx    context.Context
	stop   context.CancelFunc
	group  sync.WaitGroup
	mu     sync.Mutex
	errors map[string]trouble
}

// trouble is why a watch does not work, and since when.
type trouble struct {
	since time.Time
	err   error
}

func newNodes(core v1.CoreV1Interface, fleet string, changed func()) *nodes {
	n := &nodes{changed: changed, errors: map[string]trouble{}}
	n.ctx, n.stop = context.WithCancel(context.Background())
	n.nodes = cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			list, err := core.Nodes().List(ctx, o)
			return list, n.note("nodes", err)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			w, err := core.Nodes().Watch(ctx, o)
			return w, n.watched("nodes", w, err)
		},
	}, &corev1.Node{}, 0, cache.Indexers{})
	foreign := func(o metav1.ListOptions) metav1.ListOptions {
		o.LabelSelector = render.LabelFleet + "!=" + fleet
		o.FieldSelector = "status.phase!=Succeeded,status.phase!=Failed"
		return o
	}
	n.pods = cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			list, err := core.Pods("").List(ctx, foreign(o))
			return list, n.note("pods", err)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			w, err := core.Pods("").Watch(ctx, foreign(o))
			return w, n.watched("pods", w, err)
		},
	}, &corev1.Pod{}, 0, cache.Indexers{})
	return n
}

func (n *nodes) note(what string, err error) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	t, broken := n.errors[what]
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		delete(n.errors, what)
	case !broken:
		n.errors[what] = trouble{time.Now(), err}
	default:
		n.errors[what] = trouble{t.since, err}
	}
	return err
}

// watched notes the outcome of an attempt to watch. client-go makes an empty
// watch of a connection that the other side closed, as if nothing had happened.
func (n *nodes) watched(what string, w watch.Interface, err error) error {
	if err == nil && reflect.TypeOf(w) == reflect.TypeOf(watch.NewEmptyWatch()) {
		_ = n.note(what, errors.New("the API server closes the connection"))
		return nil
	}
	return n.note(what, err)
}

func (n *nodes) broken() (time.Time, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, what := range []string{"nodes", "pods"} {
		if t, ok := n.errors[what]; ok {
			return t.since, fmt.Errorf("watch %s: %w", what, t.err)
		}
	}
	return time.Time{}, nil
}

// wait starts the watches and waits until they are in step. It fails when the
// API server refuses or cannot be reached for longer than Stale.
func (n *nodes) wait(ctx context.Context) error {
	n.start.Do(n.run)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !n.nodes.HasSynced() || !n.pods.HasSynced() {
		if _, err := n.broken(); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (n *nodes) run() {
	_ = n.nodes.SetTransform(slimNode)
	_ = n.pods.SetTransform(slimPod)
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

// slimNode keeps what reports whether a node can take pods and how much.
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

// slimPod keeps where a pod is and what it asks for, in one container.
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
