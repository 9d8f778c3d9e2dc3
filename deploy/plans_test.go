package deploy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"

	adapter "github.com/d-aros/d-aros/pkg/runtime/kubernetes"
)

// installAgents installs the manifests of the agents, too, and returns their namespace and an adapter with the rights of
// the reconciler.
func installAgents(t *testing.T) (in *installation, agents string, carrier *adapter.Runtime) {
	in = install(t)
	agents = in.fleet + "-nodes"
	for _, object := range build(t, "/deploy/nodeagent") {
		in.create(t, object)
	}
	carrier, err := adapter.New(in.config, adapter.Options{Fleet: in.fleet, Agents: agents})
	require.NoError(t, err)
	t.Cleanup(carrier.Close)
	return in, agents, carrier
}

// TestPlansUnderTheRights: with the manifests of the agents the reconciler may write the plans
// of its fleet in their namespace, and nothing else there.
func TestPlansUnderTheRights(t *testing.T) {
	in, agents, carrier := installAgents(t)
	plans := map[string][]byte{"general": []byte("{}")}
	require.Eventually(t, func() bool { // the API server learns of rules by a watch
		return carrier.Plan(t.Context(), nil, plans) == nil
	}, patience, 20*time.Millisecond)
	c, err := in.Clientset.CoreV1().ConfigMaps(agents).Get(t.Context(), adapter.PlanName(in.fleet, "general"), metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, "{}", c.Data["plan.json"])
	plans["general"] = []byte("{} ")
	require.NoError(t, carrier.Plan(t.Context(), nil, plans))

	client, err := kubernetes.NewForConfig(in.config)
	require.NoError(t, err)
	_, err = client.CoreV1().ConfigMaps(agents).Apply(t.Context(), corev1.ConfigMap("other", agents), metav1.ApplyOptions{FieldManager: "test"})
	require.ErrorContains(t, err, "only in namespaces of its fleet")
	_, err = client.CoreV1().Secrets(agents).Apply(t.Context(), corev1.Secret(adapter.PlanName(in.fleet, "general"), agents), metav1.ApplyOptions{FieldManager: "test"})
	require.True(t, apierrors.IsForbidden(err), err)
}
