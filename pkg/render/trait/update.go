package trait

import "github.com/d-aros/d-aros/pkg/render/declared"

var _ = register(Trait{Name: "update", Kinds: []string{"Deployment", "StatefulSet"}, Process: reading("update", update)})

// replacing is the declaration of the update trait.
type replacing struct {
	Recreate       bool   `json:"recreate"`
	MaxUnavailable int32  `json:"maxUnavailable"`
	MinReady       string `json:"minReady"`
}

// update says how new pods replace old ones.
func update(c Context, r replacing) (Patch, error) {
	switch {
	case c.Kind == "StatefulSet" && (r.Recreate || r.MaxUnavailable > 0):
		return Patch{}, declared.Faultf(declared.CodeConflict, "traits.update", "has minReady only for a %s: it replaces its replicas one after the other", c.Component.Type)
	case r.Recreate && r.MaxUnavailable > 0:
		return Patch{}, declared.Faultf(declared.CodeConflict, "traits.update.maxUnavailable", "has no meaning with recreate: all replicas are missing then")
	}
	n, err := declared.OptionalSeconds("traits.update.minReady", r.MinReady)
	return Patch{Replicas: Replicas{Recreate: r.Recreate, Missing: r.MaxUnavailable, MinReady: n}}, err
}
