package clustertest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// PoolLabel names the pool of a node.
	PoolLabel = "d-aros.dev/pool"
	// SharedPool is a pool whose nodes every test finds. A pod that a test makes selects them or nodes of its own: a pod
	// without a pool lands on the nodes of another test, which counts what is free there.
	SharedPool = "general"
	// TestLabel is on the nodes that a test added, with the test's prefix as its value.
	TestLabel = "d-aros.dev/test"
	// FailLabel, or an annotation of that name, makes a pod or node play a failure; "devcluster up --help" lists them.
	FailLabel = "kwok.d-aros.dev/fail"

	nodesLimit = 2 * time.Minute
)

// AddNodes adds n nodes of the given size to a pool, spread over the zones zone-1 to zone-3, and returns their names
// once they are Ready. They and the pods on them are removed after the test. A pool that only this test
// uses should be named after its Prefix. On an external cluster it works if KWOK plays nodes there.
func (c *Cluster) AddNodes(t testing.TB, pool string, n int, cpu, memory string) []string {
	t.Helper()
	capacity := corev1.ResourceList{corev1.ResourcePods: resource.MustParse("110")}
	for name, text := range map[corev1.ResourceName]string{corev1.ResourceCPU: cpu, corev1.ResourceMemory: memory} {
		quantity, err := resource.ParseQuantity(text)
		if err != nil {
			t.Fatalf("add nodes: %s %q: %v", name, text, err)
		}
		capacity[name] = quantity
	}
	prefix := prefixFor(t.Name())
	t.Cleanup(func() { c.removeNodes(t, prefix) })
	var names []string
	for i := range n {
		node := testNode(prefix, pool, i, capacity)
		if _, err := c.Clientset.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
			t.Fatalf("add node %s: %v", node.Name, err)
		}
		names = append(names, node.Name)
	}
	c.waitNodes(t, prefix, n)
	return names
}

func testNode(prefix, pool string, i int, capacity corev1.ResourceList) *corev1.Node {
	name := fmt.Sprintf("%s-%d", prefix, i+1)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"},
			Labels: map[string]string{
				"type":                   "kwok",
				PoolLabel:                pool,
				TestLabel:                prefix,
				corev1.LabelHostname:     name,
				corev1.LabelOSStable:     "linux",
				corev1.LabelArchStable:   "amd64",
				corev1.LabelTopologyZone: fmt.Sprintf("zone-%d", i%3+1),
			},
		},
		Status: corev1.NodeStatus{Capacity: capacity, Allocatable: capacity},
	}
}

func (c *Cluster) waitNodes(t testing.TB, prefix string, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), nodesLimit)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		nodes, err := c.Clientset.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: TestLabel + "=" + prefix})
		if err != nil {
			t.Fatalf("wait for nodes %s: %v", prefix, err)
		}
		waiting := slices.DeleteFunc(nodes.Items, isReady)
		if len(waiting) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("wait for nodes %s: %d of %d are not Ready: %v", prefix, len(waiting), n, ctx.Err())
		case <-ticker.C:
		}
	}
}

// isReady reports whether pods can be scheduled to the node.
func isReady(node corev1.Node) bool {
	if slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeNotReady }) {
		return false
	}
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// removeNodes removes the test's nodes and then the pods left on them, which without a node nothing else would end soon.
func (c *Cluster) removeNodes(t testing.TB, prefix string) {
	ctx, cancel := context.WithTimeout(context.Background(), cleanupLimit)
	defer cancel()
	nodes, err := c.Clientset.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: TestLabel + "=" + prefix})
	if err != nil {
		t.Errorf("remove nodes %s: %v", prefix, err)
		return
	}
	now := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	for _, node := range nodes.Items {
		if err := c.Clientset.CoreV1().Nodes().Delete(ctx, node.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			t.Errorf("remove node %s: %v", node.Name, err)
		}
		pods, err := c.Clientset.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node.Name})
		if err != nil {
			t.Errorf("remove pods of node %s: %v", node.Name, err)
			continue
		}
		for _, pod := range pods.Items {
			if err := c.Clientset.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, now); err != nil && !apierrors.IsNotFound(err) {
				t.Errorf("remove pod %s/%s of node %s: %v", pod.Namespace, pod.Name, node.Name, err)
			}
		}
	}
}
