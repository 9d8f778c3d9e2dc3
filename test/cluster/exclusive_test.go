package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kwok/pkg/apis/internalversion"
	"sigs.k8s.io/kwok/pkg/apis/v1alpha1"
	"sigs.k8s.io/kwok/pkg/utils/lifecycle"
	"sigs.k8s.io/yaml"
)

// kwok picks one of several matching stages at random, and a mark that is obeyed half the time makes tests fail
// half the time. So no state of a pod or node may match two.
func TestAtMostOneStageMatches(t *testing.T) {
	pods, nodes := lifecycleOf(t, "Pod"), lifecycleOf(t, "Node")
	for _, mode := range []string{"", "crash", "oom", "image", "never-ready", "job-fail", "hang", "not-ready"} {
		meta := metav1.ObjectMeta{}
		if mode != "" {
			meta.Labels = map[string]string{"kwok.d-aros.dev/fail": mode}
		}
		for status := range podStatuses() {
			for _, owner := range []string{"", "Job", "ReplicaSet"} {
				for _, deleted := range []bool{false, true} {
					pod := &corev1.Pod{ObjectMeta: *meta.DeepCopy(), Status: podStatuses()[status]}
					if owner != "" {
						pod.OwnerReferences = []metav1.OwnerReference{{Kind: owner}}
					}
					if deleted {
						pod.DeletionTimestamp = new(metav1.Now())
					}
					requireAtMostOne(t, pods, pod.Labels, pod, fmt.Sprint(mode, " ", status, " ", owner, " deleted=", deleted))
				}
			}
		}
		for _, ready := range []corev1.ConditionStatus{"", corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown} {
			node := &corev1.Node{ObjectMeta: *meta.DeepCopy()}
			if ready != "" {
				node.Status = corev1.NodeStatus{Phase: corev1.NodeRunning, Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}}
			}
			requireAtMostOne(t, nodes, node.Labels, node, fmt.Sprintf("node, marked %q, Ready is %q", mode, ready))
		}
	}
}

func podStatuses() map[string]corev1.PodStatus {
	status := func(phase corev1.PodPhase, ready corev1.ConditionStatus, reason string, state corev1.ContainerState) corev1.PodStatus {
		return corev1.PodStatus{
			Phase:             phase,
			Conditions:        []corev1.PodCondition{{Type: corev1.PodReady, Status: ready, Reason: reason}},
			ContainerStatuses: []corev1.ContainerStatus{{Ready: ready == corev1.ConditionTrue, State: state}},
		}
	}
	waiting := func(reason string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
	}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	terminated := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	return map[string]corev1.PodStatus{
		"new":         {Phase: corev1.PodPending},
		"ready":       status(corev1.PodRunning, corev1.ConditionTrue, "", running),
		"crashing":    status(corev1.PodRunning, corev1.ConditionFalse, "ContainersNotReady", waiting("CrashLoopBackOff")),
		"no image":    status(corev1.PodPending, corev1.ConditionFalse, "ContainersNotReady", waiting("ImagePullBackOff")),
		"never ready": status(corev1.PodRunning, corev1.ConditionFalse, "ContainersNotReady", running),
		"node lost":   status(corev1.PodRunning, corev1.ConditionFalse, "", running),
		"succeeded":   status(corev1.PodSucceeded, corev1.ConditionFalse, "PodCompleted", terminated),
		"failed":      status(corev1.PodFailed, corev1.ConditionFalse, "PodFailed", terminated),
	}
}

func lifecycleOf(t *testing.T, kind string) lifecycle.Lifecycle {
	t.Helper()
	documents, err := builtinStages()
	require.NoError(t, err)
	var stages []*internalversion.Stage
	for _, document := range documents {
		text, err := yaml.Marshal(document)
		require.NoError(t, err)
		var external v1alpha1.Stage
		require.NoError(t, yaml.UnmarshalStrict(text, &external), document.name())
		internal, err := internalversion.ConvertToInternalStage(&external)
		require.NoError(t, err)
		if internal.Spec.ResourceRef.Kind == kind {
			stages = append(stages, internal)
		}
	}
	l, err := lifecycle.NewLifecycle(stages)
	require.NoError(t, err)
	return l
}

func requireAtMostOne(t *testing.T, l lifecycle.Lifecycle, labels map[string]string, object any, what string) {
	t.Helper()
	matching, err := l.ListAllPossible(t.Context(), &lifecycle.Event{Labels: labels, Data: object})
	require.NoError(t, err)
	var names []string
	for _, stage := range matching {
		names = append(names, stage.Name())
	}
	require.LessOrEqual(t, len(names), 1, "%s matches %q", what, names)
}
