//go:build linux

package nodeagent

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// A turn is told once of whom the kernel took less than was asked, and waits for nothing.
func TestSqueezesAreToldOnce(t *testing.T) {
	tree := &cgroup.Tree{} // of a host that takes nothing back
	var s squeezer
	log := &syncBuffer{}
	s.squeeze(tree, nil, slog.New(slog.NewTextHandler(log, nil)))
	s.wait()
	require.Empty(t, s.looked())
	for range 20 { // who asks again while others are carried out is not heard
		s.squeeze(tree, []qos.Squeeze{{Workload: "batch", Cgroup: "batch", Bytes: 16 << 20}}, slog.New(slog.NewTextHandler(log, nil)))
	}
	s.wait()
	require.Equal(t, map[string]bool{"batch": true}, s.looked())
	require.Empty(t, s.looked())
	require.Contains(t, log.String(), `msg="memory taken back" workload=batch cgroup=batch bytes=16777216`)
}
