//go:build linux

package kubelet

import (
	"fmt"
	"path/filepath"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// workload is a StatefulSet with one pod.
type workload struct {
	name             string
	requests, limits corev1.ResourceList
}

func amounts(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
}

var workloads = []workload{
	{"guaranteed", amounts("300m", "64Mi"), amounts("300m", "64Mi")},
	{"burstable", amounts("100m", "32Mi"), amounts("200m", "64Mi")},
	{"besteffort", nil, nil},
}

func (n *node) create(w workload) {
	one, grace := int32(1), int64(0)
	labels := map[string]string{"app": w.name}
	no := false
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: w.name, Namespace: metav1.NamespaceDefault},
		Spec: appsv1.StatefulSetSpec{
			Replicas: &one, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					HostNetwork: true, AutomountServiceAccountToken: &no, EnableServiceLinks: &no, TerminationGracePeriodSeconds: &grace,
					Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}}, // no network of pods: the node is not ready
					Containers: []corev1.Container{{
						Name: "main", Image: image, ImagePullPolicy: corev1.PullNever,
						Resources: corev1.ResourceRequirements{Requests: w.requests, Limits: w.limits},
					}},
				},
			},
		},
	}
	_, err := n.client.AppsV1().StatefulSets(metav1.NamespaceDefault).Create(n.t.Context(), set, metav1.CreateOptions{})
	require.NoError(n.t, err)
}

// running waits for the pod of a workload, and returns it.
func (n *node) running(w workload) (pod *corev1.Pod) {
	n.eventually(w.name+" runs", func() (err error) {
		pod, err = n.client.CoreV1().Pods(metav1.NamespaceDefault).Get(n.t.Context(), w.name+"-0", metav1.GetOptions{})
		if err == nil && pod.Status.Phase != corev1.PodRunning {
			err = fmt.Errorf("%s: %+v", pod.Status.Phase, pod.Status)
		}
		return err
	})
	return pod
}

// groups are those of a pod and of its container, in the directory of its class, relative to the root.
func (n *node) groups(pod *corev1.Pod) (class, ofPod, container string) {
	class = map[corev1.PodQOSClass]string{corev1.PodQOSGuaranteed: "kubepods", corev1.PodQOSBurstable: "kubepods/burstable", corev1.PodQOSBestEffort: "kubepods/besteffort"}[pod.Status.QOSClass]
	ofPod = class + "/pod" + string(pod.UID)
	require.Len(n.t, pod.Status.ContainerStatuses, 1)
	id := pod.Status.ContainerStatuses[0].ContainerID
	require.Contains(n.t, id, "containerd://")
	container = ofPod + "/" + id[len("containerd://"):]
	require.DirExists(n.t, filepath.Join(cgroups, container))
	return class, ofPod, container
}
