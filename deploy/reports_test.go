package deploy

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/qos"
	adapter "github.com/d-aros/d-aros/pkg/runtime/kubernetes"
)

// tokenOfNode returns a client with the token that a kubelet gives a pod of the agents on a node.
func (in *installation) tokenOfNode(t *testing.T, node string) *kubernetes.Clientset {
	t.Helper()
	agents := in.fleet + "-nodes"
	pod, err := in.Clientset.CoreV1().Pods(agents).Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "nodeagent-" + node},
		Spec:       corev1.PodSpec{NodeName: node, ServiceAccountName: "nodeagent", Containers: []corev1.Container{{Name: "publish", Image: "example.com/nodeagent:1"}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	answer, err := in.Clientset.CoreV1().ServiceAccounts(agents).CreateToken(t.Context(), "nodeagent", &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{BoundObjectRef: &authenticationv1.BoundObjectReference{Kind: "Pod", APIVersion: "v1", Name: pod.Name, UID: pod.UID}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	config := rest.AnonymousClientConfig(in.Config)
	config.QPS, config.BearerToken = -1, answer.Status.Token
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

// TestReportsUnderTheRights: with the manifests a node may write what it reports, under its own
// name in the ConfigMap of its pool, and nothing else; the reconciler makes the ConfigMap.
func TestReportsUnderTheRights(t *testing.T) {
	in, agents, carrier := installAgents(t)
	plans := map[string][]byte{"general": []byte("{}"), "edge": []byte("{}")}
	require.Eventually(t, func() bool { return carrier.Plan(t.Context(), nil, plans) == nil }, patience, 20*time.Millisecond)

	nodes := in.AddNodes(t, in.fleet, 2, "4", "8Gi")
	one, other := in.tokenOfNode(t, nodes[0]), in.tokenOfNode(t, nodes[1])
	name := adapter.ReportName(in.fleet, "general")
	patch := func(client *kubernetes.Clientset, name, body string) error {
		_, err := client.CoreV1().ConfigMaps(agents).Patch(t.Context(), name, types.MergePatchType, []byte(body), metav1.PatchOptions{})
		return err
	}
	under := func(node string) string { return `{"data": {"` + node + `": "x"}}` }
	require.Eventually(t, func() bool { return patch(one, name, under(nodes[0])) == nil }, patience, 20*time.Millisecond)
	require.Eventually(t, func() bool { // the API server learns of policies by a watch
		_, err := one.CoreV1().ConfigMaps(agents).Patch(t.Context(), name, types.MergePatchType, []byte(under("probe")), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		return apierrors.IsInvalid(err)
	}, patience, 20*time.Millisecond)
	require.NoError(t, patch(other, name, under(nodes[1])))
	require.ErrorContains(t, patch(one, name, `{"data": {"`+nodes[1]+`": null}}`), "under its own name alone")
	require.ErrorContains(t, patch(one, name, `{"data": null}`), "under its own name alone")
	require.ErrorContains(t, patch(one, name, `{"metadata": {"labels": null}}`), "nothing but reports of nodes")
	require.ErrorContains(t, patch(one, name, `{"binaryData": {"big": "eA=="}}`), "nothing but reports of nodes")
	require.ErrorContains(t, patch(one, name, `{"data": {"`+nodes[0]+`": "`+strings.Repeat("x", qos.MaxReport+1)+`"}}`), "at most 16 KiB")
	require.NoError(t, patch(one, name, `{"data": {"`+nodes[0]+`": null}}`), "it takes out what it wrote")
	for _, foreign := range []string{adapter.ReportName(in.fleet, "edge"), adapter.PlanName(in.fleet, "general")} {
		require.True(t, apierrors.IsForbidden(patch(one, foreign, under(nodes[0]))), foreign)
	}
	reads := map[string]func(context.Context) error{
		"its ConfigMap": func(ctx context.Context) error {
			_, err := one.CoreV1().ConfigMaps(agents).Get(ctx, name, metav1.GetOptions{})
			return err
		},
		"secrets": func(ctx context.Context) error {
			_, err := one.CoreV1().Secrets(agents).List(ctx, metav1.ListOptions{})
			return err
		},
		"nodes": func(ctx context.Context) error {
			_, err := one.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
			return err
		},
	}
	for what, read := range reads {
		require.True(t, apierrors.IsForbidden(read(t.Context())), what)
	}
}
