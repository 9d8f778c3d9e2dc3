//go:build linux

package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// share measures what a program gets of the half of a processor that is reserved for it, in a nested group, beside two
// siblings that weigh four times as much, and processes directly in the group around them.
func share(ctx context.Context, r *rig, phase time.Duration) ([]figure, error) {
	holder, err := r.group("tenant/holder")
	if err != nil {
		return nil, err
	}
	groups := map[string]string{"holder": holder, "around": filepath.Dir(holder)}
	for _, name := range []string{"big1", "big2"} {
		if groups[name], err = r.group("tenant/" + name); err != nil {
			return nil, err
		}
	}
	if groups["other"], err = r.group("other"); err != nil {
		return nil, err
	}
	running := []string{"holder", "big1", "big2", "other"}
	if !r.isV2() { // where a group with groups in it has no processes
		running = append(running, "around", "around")
	}
	for _, name := range running {
		if err := r.start(r.command(ctx, processor, groups[name], "spin", "")); err != nil {
			return nil, err
		}
	}
	promised := 0.5
	workloads := fmt.Sprintf("- {name: holder, cgroup: %s, profile: guaranteed-pro, cpu: {request: %.0fm}}\n", holder, promised*1000*float64(runtime.NumCPU()))
	for _, name := range []string{"big1", "big2"} {
		workloads += fmt.Sprintf("- {name: %s, cgroup: %s, profile: burstable, cpu: {request: %dm}}\n", name, groups[name], runtime.NumCPU()*2000)
	}
	f := figure{Name: "reserved share", Alone: "half a processor", Ratios: map[string]float64{}, Least: 0.98}
	var agent *exec.Cmd
	for _, name := range phases {
		if agent, err = r.enter(ctx, name, agent, "", workloads); err != nil {
			return nil, err
		}
		// Of what the groups of the rig got together: what else runs on the machine is nobody's here.
		before, all := r.used(holder), r.used(r.name)
		pause(ctx, phase)
		f.Ratios[name] = (r.used(holder) - before).Seconds() / (r.used(r.name) - all).Seconds() / promised
	}
	return []figure{f}, ctx.Err()
}
