package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// A machine that also builds, tests and measures is slow: these limits only end what will never be ready.
const (
	apiServerLimit      = 3 * time.Minute
	nodesLimit          = 10 * time.Minute
	serviceAccountLimit = 2 * time.Minute

	pollInterval = 50 * time.Millisecond
)

func waitForAPIServer(ctx context.Context, client kubernetes.Interface) error {
	return poll(ctx, "wait for kube-apiserver", apiServerLimit, pollInterval, func(ctx context.Context) error {
		_, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err
	})
}

// waitForNodes waits until all nodes are Ready and the controllers have taken the taint of a new node off.
func waitForNodes(ctx context.Context, client kubernetes.Interface, nodes []*corev1.Node, untainted bool) error {
	// Listing thousands of nodes in a tight loop would keep them from becoming ready.
	interval := max(pollInterval, time.Duration(len(nodes))*time.Millisecond)
	return poll(ctx, "wait for nodes", nodesLimit, interval, func(ctx context.Context) error {
		// Version 0 is answered from the API server's cache.
		list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return err
		}
		ready := map[string]bool{}
		for i := range list.Items {
			ready[list.Items[i].Name] = nodeIsReady(&list.Items[i], untainted)
		}
		for i, node := range nodes {
			if !ready[node.Name] {
				return fmt.Errorf("node %s, number %d of %d, is not ready", node.Name, i+1, len(nodes))
			}
		}
		return nil
	})
}

func nodeIsReady(node *corev1.Node, untainted bool) bool {
	if untainted && slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeNotReady }) {
		return false
	}
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// waitForServiceAccount waits for the account without which no pod is admitted to the default namespace.
func waitForServiceAccount(ctx context.Context, client kubernetes.Interface) error {
	return poll(ctx, "wait for the default service account", serviceAccountLimit, pollInterval, func(ctx context.Context) error {
		_, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

// poll calls check until it returns nil, the limit has passed or the context ends.
func poll(ctx context.Context, what string, limit, interval time.Duration, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w (last: %w)", what, context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}
