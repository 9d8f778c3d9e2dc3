package clustertest

import (
	_ "embed"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

//go:embed httproutes.yaml
var httpRoutes []byte

// DefineRoutes has the cluster know the kind HTTPRoute of the Gateway API. It stays: other tests share it.
func (c *Cluster) DefineRoutes(t testing.TB) {
	t.Helper()
	c.define(t, httpRoutes, schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "httproutes"})
}
