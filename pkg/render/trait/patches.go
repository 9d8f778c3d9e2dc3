package trait

import "encoding/json"

var _ = register(Trait{Name: "patches", Process: reading("patches", func(_ Context, all []ObjectPatch) (Patch, error) {
	return Patch{Last: all}, nil
})})

// ObjectPatch changes an object of the component once all are rendered.
type ObjectPatch struct {
	Kind  string          `json:"kind"`
	Name  string          `json:"name"`  // "": that of the component's objects
	Merge json.RawMessage `json:"merge"` // a merge patch,
	JSON  json.RawMessage `json:"json"`  // or a JSON patch
}
