package main

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// checkFailures marks pods, by label and by annotation, sees them fail as marked, and heals them.
func checkFailures(t *testing.T, k *kube, namespace string) {
	looks := map[string]string{
		"crash":       "Running waiting=CrashLoopBackOff last=1 restarts=5",
		"oom":         "Running waiting=CrashLoopBackOff last=137 restarts=5",
		"image":       "Pending waiting=ImagePullBackOff",
		"never-ready": "Running not ready",
		"hang":        "Running ready", // concerns pods of Jobs only
	}
	for mode := range looks {
		for _, where := range []string{"labels", "annotations"} {
			k.create(t, "/api/v1/namespaces/"+namespace+"/pods", fmt.Sprintf(`
metadata: {name: %s-%s, %s: {kwok.d-aros.dev/fail: %s}}
spec: {containers: [{name: c, image: none}]}`, mode, where, where, mode))
		}
	}
	for mode, want := range looks {
		for _, where := range []string{"labels", "annotations"} {
			k.waitPod(t, namespace, mode+"-"+where, want)
		}
	}
	for mode := range looks {
		for _, where := range []string{"labels", "annotations"} {
			k.mark(t, namespace, mode+"-"+where, where, "null")
			k.waitPod(t, namespace, mode+"-"+where, "Running ready")
		}
	}
	// A pod that runs well can be made to fail, and a failure can turn into another.
	for _, mode := range []string{"image", "crash", "never-ready", "crash"} {
		k.mark(t, namespace, "hang-labels", "labels", `"`+mode+`"`)
		k.waitPod(t, namespace, "hang-labels", looks[mode])
	}
}

func checkNodeFailure(t *testing.T, k *kube, _ string) {
	mark := func(value string) {
		t.Helper()
		patch := fmt.Sprintf(`{"metadata": {"labels": {"kwok.d-aros.dev/fail": %s}}}`, value)
		_, err := k.CoreV1().Nodes().Patch(t.Context(), "batch-001", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		require.NoError(t, err)
	}
	ready := func(want bool) func(context.Context) error {
		return func(ctx context.Context) error {
			node, err := k.CoreV1().Nodes().Get(ctx, "batch-001", metav1.GetOptions{})
			require.NoError(t, err)
			if nodeIsReady(node, true) != want {
				return errors.New("it is not so")
			}
			return nil
		}
	}
	mark(`"not-ready"`)
	eventually(t, "wait for the node to fail", ready(false))
	mark("null")
	eventually(t, "wait for the node to heal", ready(true))
}

// mark sets the mark in the labels or annotations of a pod to a JSON value.
func (k *kube) mark(t *testing.T, namespace, pod, where, value string) {
	t.Helper()
	patch := fmt.Sprintf(`{"metadata": {%q: {"kwok.d-aros.dev/fail": %s}}}`, where, value)
	_, err := k.CoreV1().Pods(namespace).Patch(t.Context(), pod, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(t, err)
}

func (k *kube) waitPod(t *testing.T, namespace, name, want string) {
	t.Helper()
	eventually(t, "wait for pod "+name, func(context.Context) error {
		if got := look(k.pod(t, namespace, name)); got != want {
			return fmt.Errorf("it is %q, not %q", got, want)
		}
		return nil
	})
}

// look says in one line what a person sees of a pod with one container.
func look(pod *corev1.Pod) string {
	if len(pod.Status.ContainerStatuses) == 0 {
		return string(pod.Status.Phase)
	}
	c := pod.Status.ContainerStatuses[0]
	text := string(pod.Status.Phase)
	switch {
	case c.State.Waiting != nil:
		text += " waiting=" + c.State.Waiting.Reason
	case c.Ready:
		text += " ready"
	default:
		text += " not ready"
	}
	if c.LastTerminationState.Terminated != nil {
		text += fmt.Sprintf(" last=%d restarts=%d", c.LastTerminationState.Terminated.ExitCode, c.RestartCount)
	}
	ready := false
	for _, condition := range pod.Status.Conditions {
		ready = ready || condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue
	}
	if ready != c.Ready {
		text += " but the Ready condition differs"
	}
	return text
}
