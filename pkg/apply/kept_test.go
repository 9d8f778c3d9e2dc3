package apply

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/cli-utils/pkg/common"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// shown are the objects of one application as the watches show them at a version: what D-AROS applied, its inventory,
// and what controllers made of it.
func shown(t testing.TB, l *Live, n, version int) (list []*Object) {
	tenant, app := fmt.Sprintf("tenant%03d", n/50), fmt.Sprintf("app%05d", n)
	labels := fmt.Sprintf(`%q:%q,%q:%q,%q:%q,%q:"web"`, render.LabelFleet, l.fleet, render.LabelTenant, tenant, render.LabelApplication, app, render.LabelComponent)
	managed := `"managedFields":[{"manager":"d-aros","operation":"Apply","apiVersion":%q,"fieldsV1":{"f:metadata":{"f:annotations":{"f:` + render.AnnotationOwner + `":{}}},"f:spec":{}}}]`
	text := func(apiVersion, kind, name, more string) string {
		return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"namespace":%q,"uid":"%08d-4321-4321-4321-%012d","resourceVersion":"%d",%s}`,
			apiVersion, kind, name, tenant, n, len(list), version+n, more)
	}
	ours := func(apiVersion string) string {
		return fmt.Sprintf(`"labels":{%s},"annotations":{%q:"%032d",%q:"%032d.2",%q:"bench/%s/%s",%q:"%040d"},`+managed,
			labels, render.AnnotationApplied, n, render.AnnotationWorkload, n, render.AnnotationOwner, tenant, app, render.AnnotationCommit, 7, apiVersion)
	}
	by := func(kind, name string) string {
		return fmt.Sprintf(`"labels":{%s},"ownerReferences":[{"apiVersion":"apps/v1","kind":%q,"name":%q,"controller":true}]`, labels, kind, name)
	}
	inventory := fmt.Sprintf(`"labels":{%s,%q:"x"},`+managed, labels, common.InventoryLabel, "v1")
	for _, object := range []string{
		text("apps/v1", "Deployment", app+"-web", ours("apps/v1")) + `,"spec":{"replicas":1}}`,
		text("v1", "Service", app+"-web", ours("v1")) + `,"spec":{"type":"ClusterIP"}}`,
		text("v1", "ConfigMap", inventoryName(model.AppID{Tenant: tenant, Name: app}), inventory) +
			fmt.Sprintf(`,"data":{"%[1]s_%[2]s-web_apps_Deployment":"%08[3]d-4321-4321-4321-000000000000","%[1]s_%[2]s-web__Service":"%08[3]d-4321-4321-4321-000000000001"}}`, tenant, app, n),
		text("apps/v1", "ReplicaSet", app+"-web-5d4f8c7b9", by("Deployment", app+"-web")) + `}`,
		text("v1", "Pod", app+"-web-5d4f8c7b9-x2x4z", by("ReplicaSet", app+"-web-5d4f8c7b9")) + `}`,
	} {
		o, err := l.read(object)
		require.NoError(t, err)
		list = append(list, o)
	}
	require.NotNil(t, list[2].inventory)
	return list
}

// take has Live take in an application: the answers to our requests, and then what its controllers make of it.
func take(t testing.TB, l *Live, n int) {
	for i, o := range shown(t, l, n, 100) {
		if i < 3 {
			r, a := o.Ref, o.App
			l.begin(r)
			l.settle(r, a, o)
		}
	}
	for _, o := range shown(t, l, n, 100_000) {
		l.put(o)
	}
}

// TestKeptIsSmall: what is known to be unchanged of an object is kept as a mark alone, and an object has a size that a fleet of
// 10,000 applications can bear: a new field of it is paid 50,000 times.
func TestKeptIsSmall(t *testing.T) {
	l := newLive(&client{manager: "d-aros"}, nil, nil, Options{Fleet: "bench"})
	take(t, l, 7)
	objects := l.Objects(model.AppID{Tenant: "tenant000", Name: "app00007"})
	require.Len(t, objects, 5)
	for _, o := range objects {
		require.Empty(t, o.own, "%s is as we left it", o.Ref)
	}
	require.Len(t, l.left, 3)
	require.LessOrEqual(t, reflect.TypeFor[Object]().Size(), uintptr(352))
}

// BenchmarkKept measures what the watch cache keeps of an application that runs.
func BenchmarkKept(b *testing.B) {
	const applications = 5000
	var before, after runtime.MemStats
	for b.Loop() {
		l := newLive(&client{manager: "d-aros"}, nil, nil, Options{Fleet: "bench"})
		runtime.GC()
		runtime.ReadMemStats(&before)
		for n := range applications {
			take(b, l, n)
		}
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(l)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/applications, "B/application")
}
