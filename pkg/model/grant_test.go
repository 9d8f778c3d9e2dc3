package model

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGrantEqual changes each field of a grant alone: Equal finds every change,
// SameCapacity all but that of the domains.
func TestGrantEqual(t *testing.T) {
	g := Grant{Component: "web", Replicas: 2, Surge: 1, Requests: Resources{CPU: 1, Memory: 2}, QoS: "burstable", Pool: "general"}
	empty := g
	empty.Domains, empty.Requests.Devices = []string{}, map[string]int64{}
	require.True(t, g.Equal(empty), "empty is the same as nothing")

	other := Grant{Component: "x", Replicas: 9, Surge: 9, QoS: "x", Pool: "x", Domains: []string{"a"}, Told: &Resources{CPU: 1},
		Requests: Resources{CPU: 9, Memory: 9, Devices: map[string]int64{"gpu": 1}}}
	check := func(name string, change func(changed *Grant)) {
		changed := g
		change(&changed)
		require.NotEqual(t, g, changed, name)
		require.False(t, g.Equal(changed), name)
		require.Equal(t, name == "Domains", g.SameCapacity(changed), name)
	}
	for i, field := range reflect.VisibleFields(reflect.TypeFor[Grant]()) {
		check(field.Name, func(changed *Grant) {
			reflect.ValueOf(changed).Elem().Field(i).Set(reflect.ValueOf(other).Field(i))
		})
	}
	for i, field := range reflect.VisibleFields(reflect.TypeFor[Resources]()) {
		check(field.Name, func(changed *Grant) {
			reflect.ValueOf(&changed.Requests).Elem().Field(i).Set(reflect.ValueOf(other.Requests).Field(i))
		})
	}
}
