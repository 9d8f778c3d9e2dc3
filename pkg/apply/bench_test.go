package apply_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	cliapply "sigs.k8s.io/cli-utils/pkg/apply"
	"sigs.k8s.io/cli-utils/pkg/apply/event"
	clicommon "sigs.k8s.io/cli-utils/pkg/common"
	cliinventory "sigs.k8s.io/cli-utils/pkg/inventory"
	"sigs.k8s.io/cli-utils/pkg/object"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/render"
)

// BenchmarkApply measures the first apply of applications of two Deployments and
// six ConfigMaps each: by a bare client loop with as many workers, by this
// package, and by the Applier of cli-utils. They take turns on the same server,
// so that their rates can be compared. This package writes an inventory for each
// application besides: ours/raw counts objects, ours/raw-requests what was sent.
func BenchmarkApply(b *testing.B) {
	const applications = 30
	f := setup(b)
	a := f.applier()
	f.apply(a, f.tenant())
	f.apply(a, f.set("warm", configMap("warm", "1"), deployment("warm", "shop:1", "replicas: 0")))
	round := 0
	sets := func() []render.Set {
		round++
		var all []render.Set
		for i := range applications {
			app := fmt.Sprintf("a%d-%d", round, i)
			all = append(all, f.set(app, configMap(app+"-1", "1"), configMap(app+"-2", "2"), configMap(app+"-3", "3"),
				configMap(app+"-4", "4"), configMap(app+"-5", "5"), configMap(app+"-6", "6"),
				deployment(app+"-7", "shop:1", "replicas: 0"), deployment(app+"-8", "shop:1", "replicas: 0")))
		}
		return all
	}
	ours := func(sets []render.Set) { f.apply(a, sets...) }
	client := f.rawClient()
	raw := func(sets []render.Set) { f.applyRaw(client, sets) }
	raw([]render.Set{f.set("warm", configMap("warm-raw", "1"))})
	took := map[string]time.Duration{}
	n := 0
	for b.Loop() {
		for name, way := range map[string]func([]render.Set){"raw": raw, "ours": ours, "cli-utils": f.applyCLI} {
			work := sets()
			began := time.Now()
			way(work)
			took[name] += time.Since(began)
		}
		n += applications * 8
	}
	for name, d := range took {
		b.ReportMetric(float64(n)/d.Seconds(), name+"-objects/s")
	}
	b.ReportMetric(took["raw"].Seconds()/took["ours"].Seconds(), "ours/raw")
	b.ReportMetric(took["raw"].Seconds()/took["ours"].Seconds()*9/8, "ours/raw-requests")
	b.ReportMetric(took["cli-utils"].Seconds()/took["ours"].Seconds(), "ours/cli-utils")
}

// BenchmarkFirstApply measures the processor time of this process for each object of a
// first apply, watches included. It is for comparing two versions of this package, in turns.
func BenchmarkFirstApply(b *testing.B) {
	const applications = 30
	f := setup(b)
	a := f.applier()
	f.apply(a, f.tenant(), f.set("warm", configMap("warm", "1"), deployment("warm", "shop:1", "replicas: 0")))
	var took time.Duration
	round := 0
	for b.Loop() {
		round++
		var sets []render.Set
		for i := range applications {
			app := fmt.Sprintf("f%d-%d", round, i)
			sets = append(sets, f.set(app, configMap(app+"-1", "1"), configMap(app+"-2", "2"), configMap(app+"-3", "3"),
				deployment(app+"-4", "shop:1", "replicas: 0"), deployment(app+"-5", "shop:1", "replicas: 0")))
		}
		began := processorTime(b)
		f.apply(a, sets...)
		took += processorTime(b) - began
	}
	b.ReportMetric(float64(took.Microseconds())/float64(round*applications*5), "µs-CPU/object")
}

// processorTime is what this process has used.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// rawClient is made once, as ours is, so that no round pays for a connection.
func (f *fixture) rawClient() *rest.RESTClient {
	cfg := rest.CopyConfig(f.Config)
	cfg.QPS = -1
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c, err := rest.UnversionedRESTClientFor(cfg)
	require.NoError(f.t, err)
	return c
}

// applyRaw sends every object and looks at nothing.
func (f *fixture) applyRaw(c *rest.RESTClient, sets []render.Set) {
	objects := make(chan *render.Object)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for o := range objects {
				path := "/api/v1/namespaces/" + f.fleet + "/configmaps/" + o.Object.GetName()
				if o.Object.GetKind() == "Deployment" {
					path = "/apis/apps/v1/namespaces/" + f.fleet + "/deployments/" + o.Object.GetName()
				}
				err := c.Patch(types.ApplyYAMLPatchType).AbsPath(path).Param("fieldManager", "raw").Param("force", "true").
					Body(o.JSON).Do(context.Background()).Error()
				if err != nil {
					f.t.Error(err)
				}
			}
		})
	}
	for i := range sets {
		for j := range sets[i].Objects {
			objects <- &sets[i].Objects[j]
		}
	}
	close(objects)
	group.Wait()
}

// applyCLI gives every application to the Applier of cli-utils, one after the
// other as its users do, without waiting for readiness.
func (f *fixture) applyCLI(sets []render.Set) {
	flags := genericclioptions.NewConfigFlags(false)
	flags.KubeConfig = &f.Kubeconfig
	flags.WrapConfigFn = func(c *rest.Config) *rest.Config { c.QPS = -1; return c }
	factory := cmdutil.NewFactory(flags)
	inventories, err := cliinventory.NewClient(factory, cliinventory.WrapInventoryObj, cliinventory.InvInfoToConfigMap,
		cliinventory.StatusPolicyNone, cliinventory.ConfigMapGVK)
	require.NoError(f.t, err)
	applier, err := cliapply.NewApplierBuilder().WithFactory(factory).WithInventoryClient(inventories).Build()
	require.NoError(f.t, err)
	for _, s := range sets {
		inventory := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{
			"name": "inventory-" + s.App.Name, "namespace": f.fleet, "labels": map[string]any{clicommon.InventoryLabel: s.App.Name}}}}
		var objects object.UnstructuredSet
		for _, o := range s.Objects {
			objects = append(objects, o.Object)
		}
		for e := range applier.Run(context.Background(), cliinventory.WrapInventoryInfoObj(inventory), objects, cliapply.ApplierOptions{
			ServerSideOptions: clicommon.ServerSideOptions{ServerSideApply: true, ForceConflicts: true, FieldManager: "cli-utils"},
			NoPrune:           true,
			InventoryPolicy:   cliinventory.PolicyAdoptAll,
		}) {
			if e.Type == event.ErrorType || e.Type == event.ApplyType && e.ApplyEvent.Error != nil {
				f.t.Fatalf("%+v", e)
			}
		}
	}
}

// BenchmarkUnchanged measures a pass over applications of which nothing
// changed, and what the watch cache keeps of them.
func BenchmarkUnchanged(b *testing.B) {
	const applications = 250
	f := setup(b)
	var sets []render.Set
	for i := range applications {
		app := fmt.Sprintf("a%d", i)
		sets = append(sets, f.set(app, configMap(app+"-1", "1"), configMap(app+"-2", "2"), configMap(app+"-3", "3"),
			deployment(app, "shop:1", "replicas: 0")))
	}
	a := f.applier()
	f.apply(a, f.tenant())
	f.apply(a, sets...)

	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	again := f.applier()
	f.apply(again, sets...)
	kept := float64(heap()-before) / (1 << 20)
	for b.Loop() {
		r := a.Apply(b.Context(), sets)
		require.Equal(b, apply.Requests{}, r.Requests)
	}
	b.ReportMetric(kept/(applications*5)*1000, "MiB/1000-objects")
	b.ReportMetric(float64(b.N*applications*4)/b.Elapsed().Seconds(), "objects/s")
	runtime.KeepAlive(again)
}
