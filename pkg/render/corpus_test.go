package render

import (
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// TestCorpusAsComponents: the kustomizations that package kustomize compares with kustomize are
// components like any other, with accounts, namespaces and kinds of their own.
func TestCorpusAsComponents(t *testing.T) {
	archives, err := filepath.Glob("kustomize/testdata/corpus/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		require.NoError(t, err)
		files := mapFS()
		for _, f := range archive.Files {
			files[f.Name] = mapFS(f.Name, string(f.Data))[f.Name]
		}
		for _, f := range archive.Files {
			if !strings.HasPrefix(strings.ToLower(path.Base(f.Name)), "kustomization") || strings.Contains(string(f.Data), "kind: Component") {
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar")+"/"+path.Dir(f.Name), func(t *testing.T) {
				s := readScenario(t, []byte(`
kinds: [ConfigMap, Secret, Deployment, StatefulSet, DaemonSet, Service, ServiceAccount, Ingress, HorizontalPodAutoscaler, CronJob, NetworkPolicy, PodDisruptionBudget,
  Prometheus.monitoring.coreos.com, PrometheusRule.monitoring.coreos.com, ServiceMonitor.monitoring.coreos.com, HelmRepository.source.toolkit.fluxcd.io, HelmRelease.helm.toolkit.fluxcd.io, Widget.example.com]
registries: [docker.io/library, ghcr.io/example, registry.example.com, quay.io/prometheus]
components: [{name: k, type: kustomize, replicas: 6, requests: {cpu: 200m, memory: 256Mi}, properties: {path: "`+path.Dir(f.Name)+`", mapNamespace: true}}]`))
				set, err := Application(s.input(t, files))
				require.NoError(t, err)
				require.NotEmpty(t, set.Objects)
			})
		}
	}
}
