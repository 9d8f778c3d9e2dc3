package clustertest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

// ServeLogs answers in the place of the kubelets of some nodes, to which the API server passes what is asked about logs:
// GET /containerLogs/NAMESPACE/POD/CONTAINER. They serve until the test ends.
func (c *Cluster) ServeLogs(t testing.TB, nodes []string, serve http.HandlerFunc) {
	t.Helper()
	kubelet := httptest.NewTLSServer(serve)
	t.Cleanup(func() {
		kubelet.CloseClientConnections() // a log that is followed has no end
		kubelet.Close()
	})
	_, port, err := net.SplitHostPort(kubelet.Listener.Addr().String())
	if err != nil {
		t.Fatalf("serve logs: %v", err)
	}
	number, err := strconv.ParseInt(port, 10, 32)
	if err != nil {
		t.Fatalf("serve logs: %v", err)
	}
	for _, name := range nodes {
		if err := c.lead(t.Context(), name, int32(number)); err != nil {
			t.Fatalf("serve logs of node %s: %v", name, err)
		}
	}
}

// lead tells the API server where the kubelet of a node is.
func (c *Cluster) lead(ctx context.Context, node string, port int32) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		n, err := c.Clientset.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
		if err != nil {
			return err
		}
		n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "127.0.0.1"}}
		n.Status.DaemonEndpoints.KubeletEndpoint.Port = port
		_, err = c.Clientset.CoreV1().Nodes().UpdateStatus(ctx, n, metav1.UpdateOptions{})
		return err
	})
}
