package clustertest

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	limit = time.Minute
	tick  = 50 * time.Millisecond
)

func TestStartTwiceIsOneCluster(t *testing.T) {
	require.Same(t, Start(t), Start(t))
}

func TestPodRunsOnNodeOfItsPool(t *testing.T) {
	c := Start(t)
	namespace := c.Namespace(t)
	nodes := c.AddNodes(t, namespace, 2, "4", "8Gi")
	require.Len(t, nodes, 2)

	c.createPod(t, namespace, corev1.PodSpec{NodeSelector: map[string]string{PoolLabel: namespace}}, nil)
	require.Eventually(t, func() bool {
		pod := c.pod(t, namespace)
		return pod.Status.Phase == corev1.PodRunning && (pod.Spec.NodeName == nodes[0] || pod.Spec.NodeName == nodes[1])
	}, limit, tick)
}

func TestPodPlaysFailure(t *testing.T) {
	c := Start(t)
	if c.External {
		t.Skip("KUBECONFIG is set: its nodes may not play failures")
	}
	namespace := c.Namespace(t)
	c.createPod(t, namespace, corev1.PodSpec{NodeSelector: map[string]string{PoolLabel: SharedPool}}, map[string]string{FailLabel: "image"})
	require.Eventually(t, func() bool {
		statuses := c.pod(t, namespace).Status.ContainerStatuses
		return len(statuses) == 1 && statuses[0].State.Waiting != nil && statuses[0].State.Waiting.Reason == "ImagePullBackOff"
	}, limit, tick)
}

func TestCleanupRemovesWhatTheTestMade(t *testing.T) {
	c := Start(t)
	var namespace string
	var nodes []string
	require.True(t, t.Run("inner", func(t *testing.T) {
		namespace = c.Namespace(t)
		nodes = c.AddNodes(t, namespace, 1, "1", "1Gi")
		c.createPod(t, namespace, corev1.PodSpec{NodeName: nodes[0]}, nil)
	}))
	require.Eventually(t, func() bool {
		_, namespaceErr := c.Clientset.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{})
		_, nodeErr := c.Clientset.CoreV1().Nodes().Get(t.Context(), nodes[0], metav1.GetOptions{})
		return namespaceErr != nil && nodeErr != nil
	}, limit, tick)
}

func TestSkipIsAskedFor(t *testing.T) {
	t.Setenv(SkipVariable, "1")
	skipped := false
	t.Run("inner", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		Start(t)
	})
	require.True(t, skipped)
}

func TestPrefix(t *testing.T) {
	seen := map[string]bool{}
	for _, test := range []string{"TestX", "Test", "TestÄpfel/größer_als", "Test/007", "TestVeryLongNameOfSomethingImportant/with/parts/-"} {
		prefix := prefixFor(test)
		require.Empty(t, validation.IsDNS1123Label(prefix), prefix)
		require.Empty(t, validation.IsDNS1035Label(prefix), prefix)
		require.LessOrEqual(t, len(prefix), 22)
		require.False(t, strings.HasSuffix(prefix, "-"))
		require.False(t, seen[prefix])
		seen[prefix] = true
	}
	require.NotEqual(t, prefixFor("TestX"), prefixFor("TestX"))
}

func TestConnectNamesTheFile(t *testing.T) {
	missing := t.TempDir() + "/missing"
	_, err := connect(missing)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, missing)
}

func (c *Cluster) createPod(t *testing.T, namespace string, spec corev1.PodSpec, labels map[string]string) {
	t.Helper()
	require.Eventually(t, func() bool { // pods are refused until the namespace has its service account
		_, err := c.Clientset.CoreV1().ServiceAccounts(namespace).Get(t.Context(), "default", metav1.GetOptions{})
		return err == nil
	}, limit, tick)
	spec.Containers = []corev1.Container{{Name: "c", Image: "none"}}
	_, err := c.Clientset.CoreV1().Pods(namespace).Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "pod", Labels: labels},
		Spec:       spec,
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

func (c *Cluster) pod(t *testing.T, namespace string) *corev1.Pod {
	t.Helper()
	pod, err := c.Clientset.CoreV1().Pods(namespace).Get(t.Context(), "pod", metav1.GetOptions{})
	require.NoError(t, err)
	return pod
}
