//go:build linux

package nodeagent

import (
	"context"
	"sync"

	"github.com/d-aros/d-aros/pkg/nodeagent/nri"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// welcome answers what the container runtime asks about containers that come, until ctx is done; wait returns when it does
// not any more.
func (a *agent) welcome(ctx context.Context) (wait func()) {
	if a.cfg.NRI == "" {
		return func() {}
	}
	log := a.cfg.Log.With("socket", a.cfg.NRI)
	said := ""
	connected := func(err error) {
		switch {
		case err == nil:
			a.metrics.runtime.Set(1)
			log.Info("the container runtime asks what containers are to start with")
			said = ""
			return
		case err.Error() != said:
			said = err.Error()
			log.Warn("the container runtime does not ask: containers get their values after their start", "reason", said)
		}
		a.metrics.runtime.Set(0)
	}
	var named sync.Map // answers of which one was logged
	answered := func(answer nri.Answer, c qos.Member) {
		a.metrics.newcomers.WithLabelValues(string(answer)).Inc()
		if answer == nri.Given || answer == nri.None {
			return
		}
		if _, before := named.LoadOrStore(answer, true); !before {
			log.Warn("a container starts without its values", "why", string(answer), "namespace", c.Namespace, "pod", c.Pod, "container", c.Name)
		}
	}
	plugin := nri.Plugin{Socket: a.cfg.NRI, Unified: a.tree.Mode == cgroup.Unified, Known: a.known.Load, Connected: connected, Answered: answered}
	var running sync.WaitGroup
	running.Go(func() { plugin.Run(ctx) })
	return running.Wait
}
