package main

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// workload is what all ways apply: applications of eight ConfigMaps and two Deployments, which want no pod. They are of a
// fleet of their own, named like their namespace: what earlier rounds left is not theirs to watch.
type workload struct {
	applications int
	namespace    string
}

const perApplication = 10

func (w workload) objects() int { return w.applications * perApplication }

// changedFrom is the first application of which one object differs in a phase: one object in a hundred changes in the last.
func (w workload) sets(phase int) []render.Set {
	sets := make([]render.Set, w.applications)
	for i := range sets {
		value := "1"
		if phase == 2 && i%10 == 0 {
			value = "2"
		}
		sets[i] = w.set(fmt.Sprintf("a%d", i), value)
	}
	return sets
}

// scope is the namespace, as a set of its own.
func (w workload) scope() render.Set {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": w.namespace}}}
	s := render.Set{App: model.AppID{Tenant: w.namespace}, Namespace: w.namespace}
	s.Objects = []render.Object{w.sealed("", u, render.StageScope)}
	return s
}

func (w workload) set(app, value string) render.Set {
	s := render.Set{App: model.AppID{Tenant: w.namespace, Name: app}, Namespace: w.namespace}
	for i := range perApplication {
		name := fmt.Sprintf("%s-%d", app, i)
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"key": value}}}
		if i > 0 {
			u.Object["data"] = map[string]any{"key": "1"}
		}
		if i >= perApplication-2 {
			u.Object = deployment(name)
		}
		u.SetName(name)
		u.SetNamespace(w.namespace)
		s.Objects = append(s.Objects, w.sealed(app, u, render.StageWorkload))
	}
	return s
}

func deployment(name string) map[string]any {
	labels := map[string]any{"app": name}
	return map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "spec": map[string]any{
		"replicas": int64(0), "selector": map[string]any{"matchLabels": labels},
		"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{
			"containers": []any{map[string]any{
				"name": "web", "image": "registry.example.com/shop:1", "ports": []any{map[string]any{"containerPort": int64(8080)}},
				"env":          []any{map[string]any{"name": "A", "value": "b"}},
				"resources":    map[string]any{"requests": map[string]any{"cpu": "1", "memory": "64Mi"}, "limits": map[string]any{"memory": "512Mi"}},
				"volumeMounts": []any{map[string]any{"name": "tmp", "mountPath": "/tmp"}},
			}},
			"volumes": []any{map[string]any{"name": "tmp", "emptyDir": map[string]any{}}},
		}},
	}}
}

// sealed gives an object what rendering gives it: labels, and digests of its content.
func (w workload) sealed(app string, u *unstructured.Unstructured, stage int) render.Object {
	labels := map[string]string{render.LabelFleet: w.namespace, render.LabelTenant: w.namespace, render.LabelComponent: u.GetName()}
	if app != "" {
		labels[render.LabelApplication] = app
	}
	u.SetLabels(labels)
	u.SetAnnotations(map[string]string{render.AnnotationApplied: string(model.DigestOf(u.Object))})
	body, err := json.Marshal(u.Object)
	if err != nil {
		panic(err) // it is made above
	}
	return render.Object{Component: u.GetName(), Object: u, Stage: stage, JSON: body, Digest: model.DigestOf(json.RawMessage(body))}
}
