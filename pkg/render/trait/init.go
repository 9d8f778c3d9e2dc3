package trait

import "fmt"

var _ = register(Trait{Name: "init", Needs: []string{"storage"}, Process: reading("init", before)})

// before makes containers that run before the component's own, which runs nothing meanwhile: so
// each may use what that one has.
func before(c Context, all []extra) (patch Patch, err error) {
	for i := range all {
		container, references, err := c.extra(fmt.Sprintf("traits.init.%d", i), &all[i], all[:i])
		if err != nil {
			return patch, err
		}
		patch.Before, patch.References = append(patch.Before, container), append(patch.References, references...)
	}
	return patch, nil
}
