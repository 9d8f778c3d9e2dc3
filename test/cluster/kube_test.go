package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// kube is a client that speaks YAML, which shows in a test what is sent.
type kube struct {
	*kubernetes.Clientset
	config *rest.Config
}

// deployment returns a Deployment whose pods carry the label app and, unless empty, play a failure.
func deployment(name string, replicas int, fail string) string {
	mark := ""
	if fail != "" {
		mark = ", kwok.d-aros.dev/fail: " + fail
	}
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  replicas: %[2]d
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s%[3]s}}
    spec:
      containers: [{name: c, image: none}]
`, name, replicas, mark)
}

// namespace creates a namespace in which pods are admitted. It goes with the cluster.
func (k *kube) namespace(t *testing.T, name string) string {
	t.Helper()
	_, err := k.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(t, "wait for the service account of "+name, func(ctx context.Context) error {
		_, err := k.CoreV1().ServiceAccounts(name).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	return name
}

func (k *kube) apply(t *testing.T, path, manager string, force bool, object string) error {
	t.Helper()
	return k.Discovery().RESTClient().Patch(types.ApplyYAMLPatchType).AbsPath(path).
		Param("fieldManager", manager).Param("force", fmt.Sprint(force)).
		Body([]byte(object)).Do(t.Context()).Error()
}

func (k *kube) create(t *testing.T, path, object string) {
	t.Helper()
	err := k.Discovery().RESTClient().Post().AbsPath(path).SetHeader("Content-Type", "application/yaml").
		Body([]byte(object)).Do(t.Context()).Error()
	require.NoError(t, err)
}

func (k *kube) pod(t *testing.T, namespace, name string) *corev1.Pod {
	t.Helper()
	pod, err := k.CoreV1().Pods(namespace).Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return pod
}

func (k *kube) nodesOfPods(t *testing.T, namespace string) []*corev1.Node {
	t.Helper()
	pods, err := k.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, pods.Items)
	var nodes []*corev1.Node
	for _, pod := range pods.Items {
		node, err := k.CoreV1().Nodes().Get(t.Context(), pod.Spec.NodeName, metav1.GetOptions{})
		require.NoError(t, err)
		nodes = append(nodes, node)
	}
	return nodes
}

// waitAvailable waits until the latest rollout of a Deployment is complete.
func (k *kube) waitAvailable(t *testing.T, namespace, name string, replicas int32) {
	t.Helper()
	eventually(t, "wait for deployment "+name, func(ctx context.Context) error {
		d, err := k.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
		require.NoError(t, err)
		s := d.Status
		if s.ObservedGeneration < d.Generation || s.UpdatedReplicas != replicas || s.AvailableReplicas != replicas || s.Replicas != replicas {
			return fmt.Errorf("%d updated, %d available, %d in all; %d wanted", s.UpdatedReplicas, s.AvailableReplicas, s.Replicas, replicas)
		}
		return nil
	})
}
