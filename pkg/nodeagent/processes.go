//go:build linux

package nodeagent

import (
	"context"
	"fmt"
	"sync"

	"github.com/d-aros/d-aros/pkg/nodeagent/process"
	"github.com/d-aros/d-aros/pkg/qos"
)

// LaunchCommand is the command of this program that becomes a program of the plan.
const LaunchCommand = "launch"

// supervise runs the plain processes of the host until ctx is done; wait returns when it does
// not any more. The processes go on.
func (a *agent) supervise(ctx context.Context) (wait func(), err error) {
	if a.cfg.Processes == nil {
		return func() {}, nil
	}
	a.processes, err = process.Open(process.Config{
		Host: *a.cfg.Processes, CgroupRoot: a.cfg.Root, StateDir: a.cfg.StateDir, Tell: a.cfg.Log.Info,
		Launcher: []string{"/proc/self/exe", LaunchCommand}, // this very program, also after its file was replaced
	})
	if err != nil {
		return nil, fmt.Errorf("run processes: %w", err)
	}
	a.cfg.Log.Info("processes are run", "host", a.cfg.Processes.Name, "pool", a.cfg.Processes.Pool, "cgroup", a.cfg.Processes.Cgroup)
	var running sync.WaitGroup
	running.Go(func() { a.processes.Run(ctx) })
	return running.Wait, nil
}

// running are the processes that run, each with the group that it was started in.
func (a *agent) running() []qos.Workload {
	if a.processes == nil {
		return nil
	}
	return a.processes.Workloads()
}
