package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestAsks: the default of policy takes the place of what is not requested, up to the
// limit, and nothing else.
func TestAsks(t *testing.T) {
	policy := &model.Policy{DefaultRequests: model.Resources{CPU: 50, Memory: 64 << 20}}
	asks := func(c model.Component) model.Resources { return c.Asks(policy) }
	require.Equal(t, policy.DefaultRequests, asks(model.Component{Type: "worker"}))
	require.Equal(t, model.Resources{CPU: 10, Memory: 64 << 20}, asks(model.Component{Type: "job", Requests: model.Resources{CPU: 10}}))
	require.Equal(t, model.Resources{CPU: 50, Memory: 16 << 20}, asks(model.Component{Type: "raw", Limits: model.Resources{CPU: 100, Memory: 16 << 20}}))
	require.Zero(t, asks(model.Component{Type: "config"}))
	gpu := model.Resources{CPU: 1, Memory: 2, Devices: map[string]int64{"nvidia.com/gpu": 1}}
	require.Equal(t, gpu, asks(model.Component{Type: "worker", Requests: gpu}))
}

// TestDefaultIsNoOtherWorkload: what counts more than the objects say changes nothing that
// a runtime is told.
func TestDefaultIsNoOtherWorkload(t *testing.T) {
	c := &model.Component{Name: "web", Type: "worker"}
	was := model.Grant{Component: "web", Replicas: 2}
	is := was
	is.Requests, is.Told = model.Resources{CPU: 50}, &model.Resources{}
	require.Equal(t, model.WorkloadDigest(c, was, 2), model.WorkloadDigest(c, is, 2))
	require.Equal(t, model.FormerWorkload(c, was, 2), model.FormerWorkload(c, is, 2))
	require.False(t, was.SameCapacity(is))
	is.Told = nil
	require.NotEqual(t, model.WorkloadDigest(c, was, 2), model.WorkloadDigest(c, is, 2))
}
