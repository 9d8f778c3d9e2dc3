//go:build linux

package nodeagent

import (
	"context"
	"sync"

	"github.com/d-aros/d-aros/pkg/nodeagent/nri"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// welcome answers what the container runtime asks about containers that come, until ctx is done; wait returns when it does
// not any more.
func (a *agent) welcome(ctx context.Context) (wait func()) {
	if a.cfg.NRI == "" {
		return func() {}
	}
	plugin := nri.Plugin{
		Socket: a.cfg.NRI, Unified: a.tree.Mode() == cgroup.Unified, Known: a.known.Load, Log: a.cfg.Log,
		Answered: func(answer nri.Answer) { a.metrics.newcomers.WithLabelValues(string(answer)).Inc() },
		Connected: func(is bool) {
			a.metrics.runtime.Set(0)
			if is {
				a.metrics.runtime.Set(1)
			}
		},
	}
	var running sync.WaitGroup
	running.Go(func() { plugin.Run(ctx) })
	return running.Wait
}
