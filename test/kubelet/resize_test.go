//go:build linux

package kubelet

import (
	"encoding/json"
	"fmt"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// resize asks for other resources of the container of a running pod.
func (n *node) resize(w workload, requests, limits corev1.ResourceList) {
	container := map[string]any{"name": "main", "resources": corev1.ResourceRequirements{Requests: requests, Limits: limits}}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"containers": []any{container}}})
	require.NoError(n.t, err)
	_, err = n.client.CoreV1().Pods(metav1.NamespaceDefault).Patch(n.t.Context(), w.name+"-0", types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "resize")
	require.NoError(n.t, err)
}

// resizing returns what the kubelet says of a pod that is to have other resources.
func (n *node) resizing(w workload) (conditions []corev1.PodCondition, has corev1.ResourceRequirements, err error) {
	pod, err := n.client.CoreV1().Pods(metav1.NamespaceDefault).Get(n.t.Context(), w.name+"-0", metav1.GetOptions{})
	if err != nil {
		return nil, has, err
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodResizePending || c.Type == corev1.PodResizeInProgress {
			conditions = append(conditions, c)
		}
	}
	if r := pod.Status.ContainerStatuses[0].Resources; r != nil {
		has = *r
	}
	return conditions, has, nil
}

// resized waits until the kubelet says that the container has these resources.
func (n *node) resized(w workload, requests, limits corev1.ResourceList) {
	n.eventually("the kubelet has resized "+w.name, func() error {
		conditions, has, err := n.resizing(w)
		if err == nil && (len(conditions) > 0 || !equality.Semantic.DeepEqual(has, corev1.ResourceRequirements{Requests: requests, Limits: limits})) {
			err = fmt.Errorf("it has %+v, with %+v", has, conditions)
		}
		return err
	})
}
