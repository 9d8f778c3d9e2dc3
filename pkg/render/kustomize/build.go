package kustomize

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/d-aros/d-aros/pkg/text"
)

// A Kustomization is all that a build reads, written anew: every directory and file
// has a name of ours.
type Kustomization struct {
	Root    string            // the directory to build
	Files   map[string][]byte // by path
	Names   []string          // of ours and those of the tenant in turn, to explain errors
	Secrets bool              // something in it is a secret
}

// Built has the objects that a kustomization builds, or the reason why it fails.
type Built struct {
	Objects []json.RawMessage // in the order of kustomize
	Refused string            // error in its files
	Failed  string            // why kustomize does not build them
}

// Build runs kustomize. How much time and memory that takes is up to whoever wrote the
// kustomization, so a caller that does not trust them builds in a process that has
// limits. A panic in a library is a failure of this input, like any other.
func (k Kustomization) Build() (b Built) {
	defer func() {
		if r := recover(); r != nil {
			b = Built{Failed: "kustomize gave up: " + k.explain(fmt.Errorf("%v", r))}
		}
	}()
	memory := filesys.MakeFsInMemory()
	for name, data := range k.Files {
		if err := memory.WriteFile(name, data); err != nil {
			return Built{Failed: "kustomize: " + k.explain(err)}
		}
	}
	built, err := krusty.MakeKustomizer(&krusty.Options{
		Reorder:          krusty.ReorderOptionNone,
		LoadRestrictions: types.LoadRestrictionsRootOnly,
		PluginConfig:     types.DisabledPluginConfig(),
	}).Run(memory, k.Root)
	if err != nil {
		return Built{Failed: "kustomize: " + k.explain(err)}
	}
	for _, r := range built.Resources() {
		encoded, err := r.MarshalJSON()
		if err != nil {
			return Built{Failed: "kustomize: " + k.explain(err)}
		}
		b.Objects = append(b.Objects, encoded)
	}
	return b
}

// maxExplanation bounds the quoted part of an error of kustomize, in bytes.
const maxExplanation = 400

// explain repeats an error of kustomize in the names of the tenant. Where secrets are
// part of the build, an error may repeat them, and so it is not repeated.
func (k Kustomization) explain(err error) string {
	if k.Secrets {
		return "the details may repeat a secret; `kustomize build` shows them"
	}
	return text.Line(strings.NewReplacer(k.Names...).Replace(err.Error()), maxExplanation)
}
