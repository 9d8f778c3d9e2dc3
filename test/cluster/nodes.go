package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// build returns the nodes of all pools, in order. Each pool spreads over the zones on its own.
func (n nodeOptions) build() []*corev1.Node {
	var nodes []*corev1.Node
	for _, p := range n.pools {
		for i := range p.nodes {
			nodes = append(nodes, n.node(p.name, i))
		}
	}
	return nodes
}

func (n nodeOptions) node(pool string, i int) *corev1.Node {
	name := fmt.Sprintf("%s-%03d", pool, i+1)
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:    n.cpu,
		corev1.ResourceMemory: n.memory,
		corev1.ResourcePods:   n.pods,
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"},
			Labels: map[string]string{
				"type":                   "kwok",
				poolLabel:                pool,
				corev1.LabelHostname:     name,
				corev1.LabelOSStable:     "linux",
				corev1.LabelArchStable:   "amd64",
				corev1.LabelTopologyZone: fmt.Sprintf("zone-%d", i%n.zones+1),
			},
		},
		Status: corev1.NodeStatus{Capacity: capacity, Allocatable: capacity},
	}
}

// createNodes creates the nodes that do not exist yet.
func createNodes(ctx context.Context, client kubernetes.Interface, nodes []*corev1.Node) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for _, node := range nodes {
		group.Go(func() error {
			_, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
			if err != nil && !apierrors.IsAlreadyExists(err) {
				return fmt.Errorf("create node %s: %w", node.Name, err)
			}
			return nil
		})
	}
	return group.Wait()
}
