package main

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

func TestOptionsDefaults(t *testing.T) {
	o, err := parseOptions(nil, io.Discard)
	require.NoError(t, err)
	require.Equal(t, []pool{{"general", 3}}, o.nodes.pools)
	require.Equal(t, 40*time.Second, o.lease)
	require.True(t, o.restart && o.controllers && o.scheduler && o.kwok)

	o, err = parseOptions([]string{"--nodes=1000"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, 10*time.Minute, o.lease)
}

func TestOptionsRefuse(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"--nodes=-1", "not a number of nodes"},
		{"--nodes=10001", "not a number of nodes"},
		{"--pools=a=9000,b=9000", "18000 nodes: at most 10000"},
		{"--pools=a", "is not NAME=COUNT"},
		{"--pools=A_=1", "lower case"},
		{"--pools=a=1,a=2", "given twice"},
		{"--pools=", "is not NAME=COUNT"},
		{"--zones=0", "--zones 0: must be positive"},
		{"--cpu=many", `--cpu "many"`},
		{"--memory=-1Gi", "must be positive"},
		{"--port=70000", "not a port"},
		{"--client-qps=0", "must be positive"},
		{"--node-lease=1s", "must be 10s or more"},
		{"--wrong", "unknown flag"},
		{"word", `unexpected argument "word"`},
	} {
		_, err := parseOptions([]string{tc.args}, io.Discard)
		require.ErrorContains(t, err, tc.want, tc.args)
	}
	_, err := parseOptions([]string{"--nodes=1", "--pools=a=1"}, io.Discard)
	require.ErrorContains(t, err, "give one of them")
}

func TestOptionsHelp(t *testing.T) {
	var out bytes.Buffer
	_, err := parseOptions([]string{"--help"}, &out)
	require.ErrorIs(t, err, pflag.ErrHelp)
	require.Contains(t, out.String(), "Examples:")
	require.Contains(t, out.String(), "--pools NAME=COUNT,...")
}

func TestNodesSpreadEachPoolOverZones(t *testing.T) {
	o, err := parseOptions([]string{"--pools=general=3,batch=2,none=0", "--zones=2", "--cpu=4", "--memory=8Gi", "--pods=9"}, io.Discard)
	require.NoError(t, err)
	type place struct{ name, pool, zone string }
	var places []place
	for _, n := range o.nodes.build() {
		places = append(places, place{n.Name, n.Labels[poolLabel], n.Labels[corev1.LabelTopologyZone]})
		require.Equal(t, "4", n.Status.Allocatable.Cpu().String())
		require.Equal(t, "8Gi", n.Status.Capacity.Memory().String())
		require.Equal(t, "9", n.Status.Allocatable.Pods().String())
	}
	require.Equal(t, []place{
		{"general-001", "general", "zone-1"},
		{"general-002", "general", "zone-2"},
		{"general-003", "general", "zone-1"},
		{"batch-001", "batch", "zone-1"},
		{"batch-002", "batch", "zone-2"},
	}, places)
}
