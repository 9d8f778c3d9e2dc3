package apply_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/render"
)

func TestSecondApplySendsNothing(t *testing.T) {
	f := setup(t)
	a := f.applier()
	sets := []render.Set{f.tenant(), f.set("shop", configMap("settings", "1"), deployment("web", "shop:1", "replicas: 0"),
		"{apiVersion: v1, kind: Secret, metadata: {name: key}, data: {k: c2VjcmV0}}",
		"{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}}",
		`{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web}, spec: {minReplicas: 1, maxReplicas: 3,
		  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web},
		  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]}}`,
		`{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web}, spec: {rules: [{host: shop.example.com, http: {paths: [
		  {path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]}}`,
		`{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota}, spec: {hard: {requests.cpu: "64", requests.memory: 1024Mi}}}`,
		`{apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly}, spec: {schedule: "0 3 * * *", suspend: true, jobTemplate: {spec: {
		  template: {spec: {restartPolicy: Never, containers: [{name: c, image: c:1}]}}}}}}`,
	)}
	first := f.apply(a, sets...)
	require.Equal(t, len(sets[1].Objects)+1, count(first, apply.Created), "%+v", first)

	second := f.apply(a, sets...)
	require.Equal(t, apply.Requests{}, second.Requests, "%+v", second)
	require.Equal(t, len(sets[1].Objects)+1, count(second, apply.Unchanged))

	t.Run("nor after a restart", func(t *testing.T) {
		before := f.versions()
		b := f.applier()
		third := f.apply(b, sets...)
		require.Equal(t, apply.Requests{}, third.Requests, "%+v", third)
		require.Equal(t, before, f.versions())
		require.Equal(t, len(sets[1].Objects)+1, count(third, apply.Unchanged))
	})
	t.Run("a change is sent alone", func(t *testing.T) {
		sets[1].Objects[0] = f.object("shop", configMap("settings", "2"))
		r := f.apply(a, sets...)
		require.Equal(t, apply.Requests{Apply: 1}, r.Requests)
		require.Equal(t, apply.Configured, actions(r, "shop")["ConfigMap/settings"])
	})
}

func TestDriftIsCorrected(t *testing.T) {
	f := setup(t)
	a := f.applier()
	set := f.set("shop", configMap("settings", "1"), deployment("web", "shop:1", "replicas: 0"))
	f.apply(a, f.tenant(), set)
	a.Live().Drifted()

	patch := `[{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "evil:1"},
	           {"op": "replace", "path": "/spec/replicas", "value": 1}]`
	_, err := f.dynamic.Resource(deployments).Namespace(f.fleet).Patch(t.Context(), "web", types.JSONPatchType, []byte(patch),
		metav1.PatchOptions{FieldManager: "somebody"})
	require.NoError(t, err)
	f.drifts(a, "shop")
	r := f.apply(a, set)
	require.Equal(t, apply.Corrected, actions(r, "shop")["Deployment/web"], "%+v", r)
	require.Equal(t, []apply.Difference{
		{Path: "spec.replicas", Manager: "somebody"},
		{Path: "spec.template.spec.containers[name=web].image", Manager: "somebody"},
	}, r.Sets[0].Results[1].Drift)
	require.Equal(t, apply.Requests{Get: 1, Apply: 1}, r.Requests)
	require.Equal(t, apply.Requests{}, f.apply(a, set).Requests)

	require.NoError(t, f.dynamic.Resource(configMaps).Namespace(f.fleet).Delete(t.Context(), "settings", metav1.DeleteOptions{}))
	f.drifts(a, "shop")
	r = f.apply(a, set)
	require.Equal(t, apply.Corrected, actions(r, "shop")["ConfigMap/settings"], "%+v", r)
	f.get(configMaps, "settings")
}

func TestFieldsOfOthersAreLeftAlone(t *testing.T) {
	f := setup(t)
	a := f.applier()
	set := f.set("shop", deployment("web", "shop:1", "")) // no replicas: an autoscaler has them
	f.apply(a, f.tenant(), set)
	scale := `{"spec": {"replicas": 4}}`
	_, err := f.dynamic.Resource(deployments).Namespace(f.fleet).Patch(t.Context(), "web", types.MergePatchType, []byte(scale),
		metav1.PatchOptions{FieldManager: "autoscaler"}, "scale")
	require.NoError(t, err)
	require.Equal(t, apply.Requests{}, f.apply(a, set).Requests)
	require.Equal(t, apply.Requests{}, f.apply(f.applier(), set).Requests)

	set = f.set("shop", deployment("web", "shop:2", ""))
	f.apply(a, set)
	replicas, _ := f.get(deployments, "web").Object["spec"].(map[string]any)["replicas"].(int64)
	require.EqualValues(t, 4, replicas)
}

func TestScaleThroughSubresourceIsDrift(t *testing.T) {
	f := setup(t)
	a := f.applier()
	set := f.set("shop", deployment("web", "shop:1", "replicas: 0"))
	f.apply(a, f.tenant(), set)
	_, err := f.dynamic.Resource(deployments).Namespace(f.fleet).Patch(t.Context(), "web", types.MergePatchType,
		[]byte(`{"spec": {"replicas": 2}}`), metav1.PatchOptions{FieldManager: "kubectl"}, "scale")
	require.NoError(t, err)
	f.drifts(a, "shop")
	r := f.apply(a, set)
	require.Equal(t, []apply.Difference{{Path: "spec.replicas", Manager: "kubectl"}}, r.Sets[0].Results[0].Drift)
}
