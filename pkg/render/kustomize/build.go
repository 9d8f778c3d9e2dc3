package kustomize

import (
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/text"
)

// A Kustomization is all that a build reads, rewritten: every directory and file has a
// name of ours.
type Kustomization struct {
	Root    string            // the directory to build
	Dir     string            // the tenant's name of it
	Files   map[string][]byte // by path
	Names   []string          // pairs of a name of ours and the tenant's, to explain errors
	Places  map[string]string // where the tenant wrote what, by a file of ours and an element in it
	Secrets bool              // it has a secret

	Metadata []string // buildMetadata of the directory to build

	Written []build.Written `json:"-" cbor:"-"` // for build.Result: no build needs them
}

// Build runs kustomize.
func (k Kustomization) Build() (b build.Result) {
	defer func() {
		if r := recover(); r != nil {
			b = build.Result{Failed: "kustomize gave up: " + k.explain(fmt.Errorf("%v", r))}
		}
	}()
	memory := filesys.MakeFsInMemory()
	for name, data := range k.Files {
		if err := memory.WriteFile(name, data); err != nil {
			return build.Result{Failed: "kustomize: " + k.explain(err)}
		}
	}
	built, err := krusty.MakeKustomizer(&krusty.Options{
		Reorder:          krusty.ReorderOptionNone,
		LoadRestrictions: types.LoadRestrictionsRootOnly,
		PluginConfig:     types.DisabledPluginConfig(),
	}).Run(memory, k.Root)
	if err != nil {
		return build.Result{Failed: "kustomize: " + k.explain(err)}
	}
	for _, r := range built.Resources() {
		err := k.origins(r)
		if err != nil {
			return build.Result{Failed: "kustomize: " + k.explain(err)}
		}
		encoded, err := r.MarshalJSON()
		if err != nil {
			return build.Result{Failed: "kustomize: " + k.explain(err)}
		}
		b.Objects = append(b.Objects, encoded)
	}
	return b
}

// maxExplanation bounds the quoted part of an error of kustomize, in bytes.
const maxExplanation = 400

// explain repeats an error of kustomize with the names of the tenant. An error of a
// build with secrets may repeat them, so it is left out.
func (k Kustomization) explain(err error) string {
	if k.Secrets {
		return "the details may repeat a secret; `kustomize build` shows them"
	}
	return text.Line(strings.NewReplacer(k.Names...).Replace(err.Error()), maxExplanation)
}
