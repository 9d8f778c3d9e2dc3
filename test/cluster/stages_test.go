package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuiltinStages(t *testing.T) {
	stages, err := builtinStages()
	require.NoError(t, err)
	var names []string
	for _, s := range stages {
		names = append(names, s.name())
	}
	require.Equal(t, []string{
		"node-initialize", "node-heartbeat-with-lease", "pod-delete", // kwok's
		"node-not-ready", "pod-complete", "pod-crash", "pod-image", "pod-job-fail", "pod-never-ready", "pod-ready",
	}, names)
}

func TestStagesOfUserReplaceAndAdd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stages.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`# mine
---
kind: Stage
metadata: {name: pod-ready}
spec: {mine: true}
---
kind: Stage
metadata: {name: pod-slow}
`), 0o600))
	builtin, err := builtinStages()
	require.NoError(t, err)
	c := &cluster{options: options{stages: file}}
	stages, err := c.kwokStages()
	require.NoError(t, err)
	require.Len(t, stages, len(builtin)+1)
	require.Equal(t, "pod-slow", stages[len(builtin)].(stage).name())
	require.Equal(t, stage{"kind": "Stage", "metadata": map[string]any{"name": "pod-ready"}, "spec": map[string]any{"mine": true}}, stages[len(builtin)-1])

	for text, want := range map[string]string{
		"kind: ConfigMap\nmetadata: {name: x}": "only named Stage documents",
		"kind: Stage":                          "only named Stage documents",
		"kind: [":                              "yaml",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := c.kwokStages()
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, os.Remove(file))
	_, err = c.kwokStages()
	require.ErrorIs(t, err, os.ErrNotExist)
}
