package render

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
)

// kustomize renders a kustomize component: a directory of the application.
func (w *workload) kustomize() error {
	var p struct {
		Path string `json:"path"`
	}
	if err := w.properties(&p); err != nil {
		return err
	}
	if w.app.Files == nil {
		return faultf(CodeFiles, "properties.path", "needs the files of the application's directory as of commit %s, which are not at hand", w.app.spec.Commit)
	}
	t, err := newTree(w.app.Files)
	if err != nil {
		return faultf(CodeFiles, "properties.path", "read the application's directory: %v", err)
	}
	objects, err := build(t, p.Path)
	if err != nil {
		return err
	}
	return w.manifests("properties.path", objects)
}

// build builds the kustomization in a directory. A panic in a library is an
// error of this input, like any other.
func build(t *tree, dir string) (objects []*unstructured.Unstructured, err error) {
	var g *graph
	defer func() {
		if r := recover(); r != nil {
			objects, err = nil, faultf(CodeBuild, "properties.path", "kustomize gave up: %s", g.explain(fmt.Errorf("%v", r)))
		}
	}()
	g, root, err := newGraph(t, dir)
	if err != nil {
		return nil, faultf(CodeFiles, "properties.path", "%v", err)
	}
	built, err := krusty.MakeKustomizer(&krusty.Options{
		Reorder:          krusty.ReorderOptionNone,
		LoadRestrictions: types.LoadRestrictionsRootOnly,
		PluginConfig:     types.DisabledPluginConfig(),
	}).Run(g.memory, root)
	if err != nil {
		return nil, faultf(CodeBuild, "properties.path", "kustomize: %s", g.explain(err))
	}
	for _, r := range built.Resources() {
		encoded, err := r.MarshalJSON()
		if err != nil {
			return nil, faultf(CodeBuild, "properties.path", "kustomize: %s", g.explain(err))
		}
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(encoded); err != nil {
			return nil, faultf(CodeBuild, "properties.path", "builds what is not an object")
		}
		objects = append(objects, u)
	}
	return objects, nil
}

// maxExplanation bounds what is repeated of an error of kustomize, in bytes.
const maxExplanation = 400

// explain repeats an error of kustomize in the tenant's own names. Where secrets
// are part of the build, an error may repeat them, and so it is not repeated.
func (g *graph) explain(err error) string {
	if g == nil || g.secrets {
		return "the details may repeat a secret; `kustomize build` shows them"
	}
	text := strings.NewReplacer(g.names...).Replace(err.Error())
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxExplanation {
		text = strings.ToValidUTF8(text[:maxExplanation], "") + " …"
	}
	return text
}
