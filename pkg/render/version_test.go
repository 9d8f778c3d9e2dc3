package render

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/manifest"
)

// anyVersion draws a spec of the application: its components differ from version
// to version or do not.
func anyVersion(t *rapid.T, version string) *model.Application {
	spec := model.Application{ID: model.AppID{Tenant: "acme", Name: "shop"}, Policy: &model.Policy{Namespace: "tenant"}, Commit: version}
	content := func(name string) int { return rapid.IntRange(1, 2).Draw(t, version+" "+name) }
	spec.Components = append(spec.Components,
		model.Component{Name: "settings", Type: "config", Properties: json.RawMessage(fmt.Sprintf(`{"data": {"a": "%d"}}`, content("settings")))},
		model.Component{Name: "key", Type: "secret", Properties: json.RawMessage(fmt.Sprintf(`{"data": {"a": "%d"}}`, content("key")))})
	for _, name := range []string{"api", "web"} {
		spec.Components = append(spec.Components, model.Component{
			Name: name, Type: "webservice", Replicas: 3, Requests: model.Resources{CPU: 100},
			Properties: json.RawMessage(fmt.Sprintf(`{"image": "example.com/%s:%d", "ports": [{"port": 80}]}`, name, content(name))),
			Traits:     json.RawMessage(`{"envFrom": [{"config": "settings"}, {"secret": "key"}]}`),
		})
	}
	if rapid.Bool().Draw(t, version+" has a workflow") {
		spec.Workflow = &model.Workflow{Steps: []model.Step{{Name: "release", Type: "canary", Components: []string{"web"}}}}
	}
	spec = spec.Seal()
	return &spec
}

// TestVersionsSideBySide: whatever versions the components run in, each pod finds
// the configuration of its own spec, the service leads to pods that are there and
// of the track that is wanted, and no name has two meanings.
func TestVersionsSideBySide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		specs := []*model.Application{anyVersion(t, "old"), anyVersion(t, "new")}
		inst := &model.Instance{App: specs[1].ID, Number: 1, Phase: model.PhaseScheduled, Previous: specs[0], Spec: specs[1]}
		runs := map[string]*model.Application{} // by Deployment
		for _, name := range []string{"settings", "key", "api", "web"} {
			at := specs[1]
			if specs[1].Workflow != nil { // without one, everything is of the accepted spec
				at = rapid.SampledFrom(specs).Draw(t, name+" runs in")
			}
			c, _ := at.Component(name)
			s := model.ComponentState{Grant: model.Grant{Component: name, Replicas: c.Replicas}, Run: c.Replicas, Spec: c.Content(at.ID)}
			if newer, _ := specs[1].Component(name); newer.Content(at.ID) == s.Spec {
				at = specs[1]
			}
			runs["shop-"+name] = at
			if name == "web" && specs[1].Workflow != nil && rapid.Bool().Draw(t, "beside") {
				newer, _ := specs[1].Component(name)
				s.Beside = &model.Beside{
					Spec: newer.Content(at.ID), Run: rapid.IntRange(0, 3).Draw(t, "run"),
					Traffic: rapid.SampledFrom([]model.Traffic{model.TrafficBoth, model.TrafficStable, model.TrafficNext}).Draw(t, "traffic"),
				}
				runs["shop-web-next"] = specs[1]
			}
			inst.Components = append(inst.Components, s)
		}
		set, err := Application(Input{Fleet: "example", Instance: inst, Tenant: &model.Tenant{Name: "acme"}})
		require.NoError(t, err)

		data := map[string]any{} // of configuration, by kind and name
		pods := map[string]labels.Set{}
		var deployments []appsv1.Deployment
		for _, o := range set.Objects {
			id := manifest.Identity(o.Object)
			require.NotContains(t, data, id)
			data[id] = o.Object.Object["data"]
			if o.Object.GetKind() == "Deployment" {
				var d appsv1.Deployment
				require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object.Object, &d))
				deployments = append(deployments, d)
				pods[d.Name] = d.Spec.Template.Labels
			}
		}
		for _, d := range deployments {
			at := runs[d.Name]
			require.NotNil(t, at, "%s is not to be there", d.Name)
			delete(runs, d.Name)
			env := d.Spec.Template.Spec.Containers[0].EnvFrom
			settings, _ := at.Component("settings")
			want := map[string]any{}
			require.NoError(t, json.Unmarshal(settings.Properties, &want))
			require.Equal(t, want["data"], data["ConfigMap "+env[0].ConfigMapRef.Name], "%s of %s", d.Name, at.Commit)
			require.Contains(t, data, "Secret "+env[1].SecretRef.Name)
		}
		require.NotContains(t, runs, "shop-web-next")
		for _, o := range set.Objects {
			if o.Object.GetKind() != "Service" {
				continue
			}
			var s corev1.Service
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object.Object, &s))
			state, _ := inst.Component(o.Component)
			selector := labels.SelectorFromSet(s.Spec.Selector)
			stable, next := selector.Matches(pods[s.Name]), pods[s.Name+"-next"] != nil && selector.Matches(pods[s.Name+"-next"])
			switch b := state.Beside; {
			case b == nil:
				require.True(t, stable && !next)
			case b.Traffic == model.TrafficBoth:
				require.True(t, stable && next)
			default:
				require.Equal(t, b.Traffic == model.TrafficStable, stable)
				require.Equal(t, b.Traffic == model.TrafficNext, next)
			}
		}
	})
}

// TestUnknownVersionIsKept: a component in a version that no spec has any more
// stays as it is, with the newer one beside it and all that it may refer to.
func TestUnknownVersionIsKept(t *testing.T) {
	in := goldens(t)["canary.txtar"]()
	state, ok := in.Instance.Component("web")
	require.True(t, ok)
	state.Spec = "gone"
	set, err := Application(in)
	require.NoError(t, err)
	require.True(t, set.KeepSupport)
	kept := map[string]bool{}
	for _, o := range set.Objects {
		if o.Component == "web" {
			require.True(t, o.Keep, manifest.Identity(o.Object))
			kept[manifest.Identity(o.Object)] = true
		}
	}
	require.True(t, kept["Deployment.apps shop-web"] && kept["Deployment.apps shop-web-next"] && kept["Service shop-web"], "%v", kept)
}

// TestRefusedBeforeAStepNeedsIt: what a step could not carry out later is refused
// when it is declared.
func TestRefusedBeforeAStepNeedsIt(t *testing.T) {
	for want, change := range map[string]string{
		declared.CodeConflict: `{name: web, type: worker, requests: {cpu: 100m, memory: 64Mi}, properties: {image: ghcr.io/acme/shop:1},
			traits: {storage: [{name: data, type: persistent, mountPath: /data, size: 1Gi}]}}`,
		declared.CodeName: `{name: web, type: worker, requests: {cpu: 100m, memory: 64Mi}, properties: {image: ghcr.io/acme/shop:1}},
			{name: web-next, type: worker, requests: {cpu: 100m, memory: 64Mi}, properties: {image: ghcr.io/acme/shop:1}}`,
		declared.CodeReference: `{name: migrate, type: job, requests: {cpu: 100m, memory: 64Mi},
			properties: {image: ghcr.io/acme/shop:1, env: {KEY: {secret: {name: none, key: key}}}}}`,
	} {
		in := readScenario(t, []byte("workflow: {steps: [{name: release, type: canary, components: [web]}, {name: migrate, type: job, component: migrate}]}\ncomponents: ["+change+"]")).input(t, nil)
		_, err := Application(in)
		var blamed *Error
		require.ErrorAs(t, err, &blamed)
		require.Equal(t, want, blamed.Problems[0].Code, "%v", err)
	}
}

// TestObjectGoesOver: an object that the newer spec has in another component is
// that one's, while the one that had it still runs as before.
func TestObjectGoesOver(t *testing.T) {
	object := `{apiVersion: v1, kind: ConfigMap, metadata: {name: moved}, data: {of: %s}}`
	in := readScenario(t, []byte(fmt.Sprintf(`
kinds: [ConfigMap]
workflow: {steps: [{name: first, type: deploy, components: [new]}, {name: then, type: deploy, components: [old], dependsOn: [first]}]}
components:
- {name: old, type: raw, before: true, properties: {objects: []}}
- {name: new, type: raw, properties: {objects: [`+object+`]}}
previous:
- {name: old, type: raw, properties: {objects: [`+object+`]}}`, "new", "old"))).input(t, nil)
	set, err := Application(in)
	require.NoError(t, err)
	require.Len(t, set.Objects, 1)
	require.Equal(t, "new", set.Objects[0].Component)
}
