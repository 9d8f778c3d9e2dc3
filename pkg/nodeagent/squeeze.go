//go:build linux

package nodeagent

import (
	"log/slog"
	"sync"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// squeezer lets the kernel take memory from workloads beside the turns, which must not wait for it.
type squeezer struct {
	running sync.WaitGroup
	mu      sync.Mutex
	busy    bool
	spared  map[string]bool // of whom the kernel took less than was asked, since the last look
}

// looked returns of whom the kernel took less than was asked since the last call.
func (s *squeezer) looked() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	spared := s.spared
	s.spared = nil
	return spared
}

// squeeze carries requests out one after the other. While others are carried out it does nothing: there are new ones soon.
func (s *squeezer) squeeze(tree *cgroup.Tree, requests []qos.Squeeze, log *slog.Logger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy || len(requests) == 0 {
		return
	}
	s.busy = true
	s.running.Go(func() {
		spared := map[string]bool{}
		for _, r := range requests {
			err := tree.Reclaim(r.Cgroup, r.Bytes)
			spared[r.Workload] = err != nil
			log.Info("memory taken back", "workload", r.Workload, "cgroup", r.Cgroup, "bytes", r.Bytes, "less", err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.busy, s.spared = false, spared
	})
}

// wait returns when nothing is carried out any more.
func (s *squeezer) wait() { s.running.Wait() }
