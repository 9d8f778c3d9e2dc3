package trait

var _ = register(Trait{Name: "pod", Process: reading("pod", pod)})

// pod adds fields to the spec of the pod, once it has all that other traits give.
func pod(_ Context, fields map[string]any) (Patch, error) {
	return Patch{Pod: Pod{Fields: fields}}, nil
}
