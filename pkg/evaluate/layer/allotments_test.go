package layer

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// What depends on something cannot be moved: at its new place it would mean something else.
func TestConditionsAreNotMoved(t *testing.T) {
	for data, place := range map[string]string{
		"tenant: {if true {weight: 2}}":               "1:27",
		"tenant: {name: \"acme\", weight: 1 + 1}":     "1:32",
		"tenant: {name: \"acme\", guarantee: #Small}": "1:35",
	} {
		_, err := MoveAllotments(fstest.MapFS{
			"fleet.cue":               {Data: []byte("package fleet\n\nimport \"d-aros.dev/schema\"\n\nschema.#Fleet\n\nplatform: name: \"test\"\n")},
			"tenants/acme/tenant.cue": {Data: []byte(data)},
		}, nil, false)
		require.ErrorContains(t, err, "tenants/acme/tenant.cue:"+place+": tenant.", data)
		require.ErrorContains(t, err, "is not plain data; move it to platform.allotments.acme.", data)
	}
}
