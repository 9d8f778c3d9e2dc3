package component

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestInvalidPortsOpenNothing: a Service that the API server refuses makes no other object
// invalid.
func TestInvalidPortsOpenNothing(t *testing.T) {
	service := func(port int, protocol string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Service", "spec": map[string]any{"ports": []any{map[string]any{"port": int64(port), "protocol": protocol}}},
		}}
	}
	listens, _ := Input{}.manifested([]*unstructured.Unstructured{service(99999, "TCP"), service(-1, "TCP"), service(80, "HTTP")})
	require.Empty(t, listens)
	listens, _ = Input{}.manifested([]*unstructured.Unstructured{service(80, "UDP")})
	require.Equal(t, []Listening{{80, corev1.ProtocolUDP}}, listens)
}
