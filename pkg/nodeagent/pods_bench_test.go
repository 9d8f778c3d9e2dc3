//go:build linux

package nodeagent

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// BenchmarkSteadyPods measures a turn with a plan of 1000 workloads, of which a node has 110 pods.
func BenchmarkSteadyPods(b *testing.B) {
	cgrouptest.V1(b, "cpu")
	cfg := Config{Plan: filepath.Join(b.TempDir(), "plan.yaml"), Root: cgrouptest.Root, StateDir: b.TempDir(), Interval: time.Second, Log: slog.New(slog.DiscardHandler),
		Kubelet: qos.Kubelet{Links: b.TempDir(), Group: cgrouptest.Name(b) + "/kubepods"}}
	doc := "apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nworkloads:\n"
	for i := range 1000 {
		doc += fmt.Sprintf("- {name: acme/a%d/web, profile: burstable, cpu: {request: 10m, limit: 200m}, pods: {namespace: acme, kind: StatefulSet, names: [a%d-web], container: web}}\n", i, i)
		if i < 110 {
			uid, id := fmt.Sprintf("0f8a3c1e-5b7d-4e2a-9c61-%012d", i), strings.Repeat("0", 60)+fmt.Sprintf("%04d", i)
			pod := fmt.Sprintf("a%d-web-0", i)
			require.NoError(b, os.Symlink(fmt.Sprintf("/var/log/pods/acme_%s_%s/web/0.log", pod, uid), filepath.Join(cfg.Kubelet.Links, pod+"_acme_web-"+id+".log")))
			cgrouptest.Group(b, cgrouptest.Root+"/cpu", cfg.Kubelet.Group+"/burstable/pod"+uid+"/"+id)
		}
	}
	require.NoError(b, os.WriteFile(cfg.Plan, []byte(doc), 0o600))
	a, err := open(cfg, false)
	require.NoError(b, err)
	defer a.close()
	_, stop := a.arrivals.start(cfg.Log)
	defer stop()
	require.NoError(b, a.pass(b.Context(), false))
	require.Len(b, a.report.Unplaced, 890)
	before := used(b)
	for b.Loop() {
		if err := a.pass(b.Context(), false); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(used(b)-before)/float64(b.N), "cpu-ns/op")
}
