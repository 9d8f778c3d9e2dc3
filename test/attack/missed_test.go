package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/tier"
)

// TestOneOfEachPackage takes one defence out of three packages whose tests need no cluster, in make soak out of each of
// them, as `make attack-mutations` does with all defences.
func TestOneOfEachPackage(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds the tests of three packages once more, each with a defence taken out")
	}
	tested := map[string]bool{"./cmd/reconciler": true, "./pkg/apply": true}
	for i, left := 0, tier.Count(0, 3, len(defences)); i < len(defences) && left > 0; i++ {
		d := &defences[i]
		if tested[d.Package] {
			continue
		}
		tested[d.Package] = true
		left--
		t.Run(d.Case, func(t *testing.T) {
			output, err := d.take("../..")
			require.NoError(t, err, "%s without %s: %s\n%s", d.Test, d.File, d.Old, output)
		})
	}
}
