//go:build linux

package nodeagent

import (
	"flag"
	"testing"

	"github.com/d-aros/d-aros/test/surface"
)

var update = flag.Bool("update", false, "write the records anew")

func TestMetricsAreRecorded(t *testing.T) {
	var registry surface.Registry
	newMetrics(&registry)
	surface.Check(t, "metrics", *update, registry.Entries())
}
