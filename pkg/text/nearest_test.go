package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/text"
)

func TestNearest(t *testing.T) {
	names := []string{"cpu", "memory", "priority", "replicas"}
	for typed, want := range map[string]string{
		"memroy": "memory", "memor": "memory", "memoryy": "memory", "nenory": "memory", "priorityCeiling": "",
		"cp": "cpu", "gpu": "cpu", "xyz": "", "cpu": "", strings.Repeat("x", 1000): "",
	} {
		require.Equal(t, want, text.Nearest(typed, names), typed)
	}
}
