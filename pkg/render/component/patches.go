package component

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/manifest"
)

// patching is what the patches of an owner are of.
type patching struct {
	name    string // of the component's objects
	stable  string // that of its stable version
	partly  bool   // it has not all of its objects now
	running bool
}

// patch carries out the patches of the owner on the objects of a component. What comes of them passes
// the checks of objects that owners write.
func (o *Output) patch(of patching, admission manifest.Admission) error {
	for i, patch := range o.patches {
		path := fmt.Sprintf("traits.patches.%d", i)
		name := of.name
		if patch.Name != of.stable {
			name = cmp.Or(patch.Name, name)
		}
		n := slices.IndexFunc(o.Objects, func(u *unstructured.Unstructured) bool { return u.GetKind() == patch.Kind && u.GetName() == name })
		if n < 0 && of.partly {
			continue
		}
		if n < 0 {
			return declared.Faultf(declared.CodeReference, path, "is of %s %s, which is no object of the component", patch.Kind, name)
		}
		after, err := manifest.PatchObject(path, patch.Merge, patch.JSON, o.Objects[n])
		if err != nil {
			return err
		}
		if err := admission.Admit(path, manifest.WithoutSystem(after)); err != nil {
			return err
		}
		o.Objects[n] = after
	}
	if o.patches == nil || !of.running {
		return nil
	}
	return admission.AdmitUsage("traits.patches", o.Objects)
}
