package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOneOfEachPackage takes one defence out of each package whose tests need no cluster, as
// `make attack-mutations` does with all.
func TestOneOfEachPackage(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds the tests of eight packages once more, each with a defence taken out")
	}
	done := map[string]bool{"./cmd/reconciler": true, "./pkg/apply": true}
	for i := range defences {
		d := &defences[i]
		if done[d.Package] {
			continue
		}
		done[d.Package] = true
		t.Run(d.Case, func(t *testing.T) {
			output, err := d.take("../..")
			require.NoError(t, err, "%s without %s: %s\n%s", d.Test, d.File, d.Old, output)
		})
	}
}
