//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// What all groups of the rig may have together, what is reserved of it, and what each neighbour may have with the agent.
const (
	memoryOfAll = 256 << 20
	reserved    = 96 << 20
	memoryLimit = 24 << 20
)

// memory holds what is reserved beside four programs that take memory until they are ended, in a group that has no room for
// all that. On cgroup v1 nothing protects memory: what the plan says of the others keeps the holder from being ended.
func memory(ctx context.Context, r *rig, phase time.Duration) ([]figure, error) {
	holder, err := r.group("holder")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(r.file(r.name, "memory/memory.limit_in_bytes", "memory.max"), []byte(strconv.Itoa(memoryOfAll)), 0); err != nil {
		return nil, cannot{err}
	}
	workloads := fmt.Sprintf("- {name: holder, cgroup: %s, profile: guaranteed-pro, memory: {request: %d}}\n", holder, reserved)
	var groups []string
	for i := range neighbours {
		group, err := r.group(fmt.Sprintf("neighbour%d", i))
		if err != nil {
			return nil, err
		}
		groups = append(groups, group)
		workloads += fmt.Sprintf("- {name: neighbour%d, cgroup: %s, profile: best-effort, memory: {limit: %d}}\n", i, group, memoryLimit)
	}
	f := figure{Name: "reserved memory: kept", Alone: fmt.Sprintf("%d MiB", reserved>>20), Ratios: map[string]float64{}, Least: 0.98}
	var agent *exec.Cmd
	for _, name := range phases {
		if agent, err = r.enter(ctx, name, agent, "", workloads); err != nil {
			return nil, err
		}
		if f.Ratios[name], err = keeps(ctx, r, holder, groups, phase); err != nil {
			return nil, err
		}
	}
	return []figure{f}, nil
}

// keeps returns which part of what is reserved the holder still has after a phase in which the neighbours that were ended
// began again.
func keeps(ctx context.Context, r *rig, holder string, groups []string, phase time.Duration) (float64, error) {
	hold := r.command(ctx, processor, holder, "hold", strconv.Itoa(reserved))
	if err := r.start(hold); err != nil {
		return 0, err
	}
	defer r.kill(hold)
	if err := until(ctx, func() bool { return resident(hold) >= reserved }); err != nil {
		return 0, fmt.Errorf("wait for the holder: %w", err)
	}
	ctx, stop := context.WithTimeout(ctx, phase)
	defer stop()
	ended := make(chan error)
	for _, group := range groups {
		go func() {
			for ctx.Err() == nil { // ended for want of memory
				if err := r.command(ctx, processorOfOthers, group, "grow", "").Run(); err == nil {
					break
				}
			}
			ended <- nil
		}()
	}
	for range groups {
		<-ended
	}
	return min(1, float64(resident(hold))/reserved), nil
}

// resident is how much memory a process has, nothing when it was ended.
func resident(cmd *exec.Cmd) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(fields[0], 10, 64)
	return n << 10
}

// hold takes memory and keeps it.
func hold(bytes string) error {
	n, err := strconv.Atoi(bytes)
	if err != nil {
		return err
	}
	held := make([]byte, n)
	for {
		for i := 0; i < len(held); i += os.Getpagesize() {
			held[i]++
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// grow takes more and more memory.
func grow(string) error {
	var held [][]byte
	for range time.Tick(2 * time.Millisecond) {
		more := make([]byte, 1<<20)
		for i := 0; i < len(more); i += os.Getpagesize() {
			more[i] = 1
		}
		held = append(held, more)
	}
	_ = held
	return nil
}
