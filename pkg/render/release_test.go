package render

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/build"
)

// TestReleaseIsWhatRuns changes every field of an application and of its policy, one at
// a time. The release differs if and only if the workflow does, or the objects do under
// one grant.
func TestReleaseIsWhatRuns(t *testing.T) {
	base := released()
	seen := map[string]bool{}
	eachField(reflect.ValueOf(released()).Elem(), "", func(path string, _ reflect.Value) {
		if unread(path) {
			return
		}
		changed := released()
		eachField(reflect.ValueOf(changed).Elem(), "", func(p string, v reflect.Value) {
			if p == path {
				mutate(t, path, v)
			}
		})
		runs := !bytes.Equal(inJSON(t, base.Workflow), inJSON(t, changed.Workflow)) || renderedAs(t, base) != renderedAs(t, changed)
		require.Equal(t, runs, base.Released().Release != changed.Released().Release, "%s: runs otherwise is %t", path, runs)
		require.NotEqual(t, base.Seal().Digest, changed.Seal().Digest, "%s: arbitration sees everything", path)
		if !runs {
			require.NotEmpty(t, model.AdmissionChanges(base, changed), "%s is told in the history", path)
		}
		seen[path] = runs
	})
	for path, runs := range map[string]bool{
		"Components.0.Properties": true, "Components.1.Properties": true, "Components.2.Properties": true, "Components.3.Source": true, "Components.0.Traits": true,
		"Components.0.Requests.CPU": true, "Components.0.Connects": true, "Components.0.Placement.Spread.Min": true, "Components.0.Placement.Together.Mode": true, "Workflow.Steps.0.Timeout": true,
		"Policy.Namespace": true, "Lifecycle.Grace": true,
		"Components.0.Replicas": false, "Components.0.Degrade.MinReplicas": false, "Components.0.QoS": false, "Components.0.Placement.Pool": false,
		"Components.0.Critical": false, "Priority": false, "Labels": false, "Budget": false, "Objectives.Class": false, "Desired": false,
		"Policy.Egress": false, "Policy.StartDeadline": false, "Lifecycle.Deletion": false,
		"Policy.Requests": false, "Policy.DefaultRequests.CPU": false, "Policy.DefaultRequests.Memory": false,
	} {
		is, there := seen[path]
		require.True(t, there, path)
		require.Equal(t, runs, is, path)
	}
}

// TestPolicyReachesObjects: what policy contributes to objects changes them although
// the release is the same.
func TestPolicyReachesObjects(t *testing.T) {
	for name, change := range map[string]func(*model.Application){
		"startDeadline": func(a *model.Application) { a.Policy.StartDeadline = time.Hour },
		"deletion":      func(a *model.Application) { a.Lifecycle.Deletion, a.Policy.Deletion = DeletionData, DeletionData },
	} {
		a := released()
		change(a)
		require.Equal(t, released().Released().Release, a.Released().Release, name)
		require.NotEqual(t, wholly(t, released()), wholly(t, a), name)
	}
}

// released is an application with a value in every field.
func released() *model.Application {
	return &model.Application{
		ID: model.AppID{Tenant: "acme", Name: "shop"}, Labels: map[string]string{"team": "web"}, Priority: 300, Desired: model.DesiredRunning,
		Objectives: model.Objectives{Class: "latency", Availability: 999_000, LatencyP99: time.Second}, Budget: 5_000_000,
		Policy: &model.Policy{
			MaxReplicas: 10, PriorityCeiling: 500, MaxShare: 500, Registries: []string{"ghcr.io/acme"}, Runtimes: []string{"container"},
			Kinds: []string{"ConfigMap"}, Namespace: "tenant", OvercommitCPU: 1000, OvercommitMem: 1000, Preemption: model.PreemptionNone,
			RequiredLabels: []string{"team"}, Strategies: []string{"spread"}, Strategy: "spread", OnUpdateFailure: model.OnUpdateFailureHold,
			MaxGrace: time.Hour, Deletion: model.DeletionKeepData, Egress: []string{"a.example.com"}, Ladder: []string{"qos"},
			MinRuntime: time.Minute, RestoreHold: time.Minute, RestoreMargin: 10, ReserveAfter: time.Minute, Replicas: 1, Priority: 100,
			StartDeadline: 10 * time.Minute, Requests: model.RequestsDefaulted, DefaultRequests: model.Resources{CPU: 50, Memory: 64 << 20},
		},
		Lifecycle: model.Lifecycle{
			Grace: 30 * time.Second, Deletion: model.DeletionKeepData, OnFailure: model.OnFailureRestart, Threshold: 3, Window: time.Minute,
			Backoff: model.Backoff{Initial: time.Second, Factor: 2, Max: time.Minute}, Quarantine: 5,
		},
		Components: []model.Component{
			{
				Name: "web", Type: "webservice", Definition: "shop-web", Runtime: "container", OS: "linux", Replicas: 3, Critical: true,
				DependsOn: []string{"settings"}, Requests: model.Resources{CPU: 100, Memory: 1 << 30}, Limits: model.Resources{CPU: 500, Memory: 2 << 30},
				QoS: model.Burstable, Degrade: &model.Degrade{MinReplicas: 1, QoS: model.BestEffort},
				Placement:  model.Placement{Pool: "general", Flavours: []model.Flavour{{Pool: "spot", Requests: model.Resources{CPU: 200}}}, Spread: &model.Spread{Over: "zone", Min: 2}, Together: &model.Together{Over: "zone", Mode: model.TogetherRequired}},
				Properties: []byte(`{"image":"ghcr.io/acme/web:v1","ports":[{"port":8080}]}`),
				Traits:     []byte(`{"ingress":[{"host":"v1.example.com","port":8080}],"storage":[{"name":"c","type":"config","source":"settings","mountPath":"/c"}]}`),
			},
			{Name: "settings", Type: "config", Replicas: 1, Properties: []byte(`{"data":{"a":"v1"}}`)},
			{Name: "key", Type: "secret", Replicas: 1, Properties: []byte(`{"data":{"a":"v1"}}`)},
			{Name: "more", Type: "kustomize", Replicas: 1, Properties: []byte(`{"path":"v1"}`), Source: "1"},
			{
				Name: "db", Type: "store", Replicas: 1, Requests: model.Resources{CPU: 100, Memory: 1 << 30},
				Properties: []byte(`{"image":"ghcr.io/acme/db:v1","ports":[{"port":5432}]}`),
				Traits:     []byte(`{"storage":[{"name":"data","type":"persistent","mountPath":"/data","size":"1Gi"}]}`),
			},
		},
		Workflow: &model.Workflow{Parallelism: 1, Timeout: time.Hour, RollbackWindow: 1, Steps: []model.Step{{
			Name: "release", Type: "deploy", If: "always", Timeout: time.Minute, OnFailure: model.StepFailureStop, Components: []string{"web"},
			Retry: model.Retry{Attempts: 1},
		}}},
	}
}

// unread reports whether a field says nothing to a release: what names the spec or
// tells where it was written, and what a type of component does not have.
func unread(path string) bool {
	switch path {
	case "Digest", "Release", "Commit", "At", "InForce",
		"Components.0.Limits.Devices", // the API server has devices requested and limited alike
		"Components.0.Source", "Components.3.Properties":
		return true
	}
	part := strings.Split(path, ".")
	return part[0] == "Components" && part[1] != "0" && part[2] != "Properties" && (part[2] != "Source" || part[1] != "3")
}

// eachField visits the fields of a value and of what it holds.
func eachField(v reflect.Value, path string, visit func(path string, v reflect.Value)) {
	of := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		eachField(v.Elem(), path, visit)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			eachField(v.Field(i), of(v.Type().Field(i).Name), visit)
		}
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct && v.Len() > 0:
		for i := range v.Len() {
			eachField(v.Index(i), of(strconv.Itoa(i)), visit)
		}
	default:
		visit(path, v)
	}
}

// mutate gives a field another value, one that is valid there.
func mutate(t *testing.T, path string, v reflect.Value) {
	switch v := v.Addr().Interface().(type) {
	case *json.RawMessage:
		*v = bytes.ReplaceAll(*v, []byte("v1"), []byte("v2"))
		if len(*v) == 0 {
			*v = json.RawMessage(`{"a":1}`)
		}
		return
	case *time.Duration:
		*v += time.Second
		return
	}
	other := map[string]string{"Policy.Namespace": "application", "Components.0.Type": "daemon", "Components.0.Name": "front", "Components.0.Placement.Together.Mode": "preferred"}
	switch v.Kind() {
	case reflect.String:
		if to, ok := other[path]; ok {
			v.SetString(to)
		} else {
			v.SetString(v.String() + "x")
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Slice:
		more := reflect.New(v.Type().Elem()).Elem()
		if more.Kind() == reflect.String {
			more.SetString("more")
		}
		v.Set(reflect.Append(v, more))
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		value := reflect.New(v.Type().Elem()).Elem()
		if value.Kind() == reflect.String {
			value.SetString("more")
		} else {
			value.SetInt(1)
		}
		m.SetMapIndex(reflect.ValueOf("example.com/more"), value)
		v.Set(m)
	default:
		t.Fatalf("%s: no other value of %s is known", path, v.Type())
	}
}

// renderedAs is what Application makes of an application under one grant, without
// what follows policy within a release and without what names a release.
func renderedAs(t *testing.T, a *model.Application) string {
	set, err := renderUnderOneGrant(a)
	if err != nil {
		return err.Error()
	}
	var out bytes.Buffer
	for _, o := range set.Objects {
		u := o.Object.DeepCopy()
		unstructured.RemoveNestedField(u.Object, "spec", "progressDeadlineSeconds")
		annotations := u.GetAnnotations()
		for _, name := range []string{AnnotationApplied, AnnotationWorkload, AnnotationRelease, AnnotationGrant, AnnotationDeletion, AnnotationJudged} {
			delete(annotations, name)
		}
		u.SetAnnotations(annotations)
		out.Write(inJSON(t, u.Object))
	}
	return out.String()
}

// wholly is the same with everything in it.
func wholly(t *testing.T, a *model.Application) string {
	set, err := renderUnderOneGrant(a)
	require.NoError(t, err)
	var out bytes.Buffer
	for _, o := range set.Objects {
		out.Write(o.JSON)
	}
	return out.String()
}

func renderUnderOneGrant(a *model.Application) (Set, error) {
	sealed := a.Seal()
	inst := &model.Instance{App: a.ID, Number: 1, Phase: model.PhaseRunning, Spec: &sealed}
	built := Builds{}
	for i := range sealed.Components {
		c := &sealed.Components[i]
		inst.Components = append(inst.Components, model.ComponentState{
			Grant: model.Grant{Component: c.Name, Replicas: 3, Requests: c.Requests, QoS: model.Burstable, Pool: "general", Domains: []string{"a"}}, Run: 3, Spec: c.Content(a.ID),
		})
		if c.Type == "kustomize" {
			built["v1"] = build.Result{Objects: []json.RawMessage{[]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"more"},"data":{"source":"` + string(c.Source) + `"}}`)}}
		}
	}
	return Application(Input{
		Fleet: "test", Instance: inst, Tenant: &model.Tenant{Name: a.ID.Tenant}, Pools: []model.PoolSpec{{Name: "general"}}, Builds: built,
	})
}

func inJSON(t *testing.T, v any) []byte {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return slices.Clip(b)
}
