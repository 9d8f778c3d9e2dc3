//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// What all groups of the rig may have together, what is reserved of it, and what each neighbour may have with the agent.
const (
	memoryOfAll = 256 << 20
	reserved    = 96 << 20
	memoryLimit = 24 << 20
)

// memory holds what is reserved beside four programs that take memory until they are ended, in a group that has no room for
// all that. On cgroup v1 nothing protects memory: what the plan says of the others keeps the holder, whose memory is its own, from
// being ended. On v2 the holder has read a file, which the kernel takes back from whom it does not protect.
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
		limit := r.either(fmt.Sprintf(", memory: {limit: %d}", memoryLimit), "")
		workloads += fmt.Sprintf("- {name: neighbour%d, cgroup: %s, profile: best-effort%s}\n", i, group, limit)
	}
	file := filepath.Join(r.dir, "held")
	if r.isV2() {
		if err := fill(file, reserved); err != nil {
			return nil, err
		}
	}
	f := figure{Name: "reserved memory: kept", Alone: fmt.Sprintf("%d MiB", reserved>>20), Ratios: map[string]float64{}, Least: 0.98}
	var agent *exec.Cmd
	for _, name := range phases {
		if agent, err = r.enter(ctx, name, agent, "", workloads); err != nil {
			return nil, err
		}
		if f.Ratios[name], err = keeps(ctx, r, holder, file, groups, phase); err != nil {
			return nil, err
		}
	}
	return []figure{f}, nil
}

// keeps returns which part of what is reserved the holder still has after a phase in which the neighbours that were ended
// began again.
func keeps(ctx context.Context, r *rig, holder, file string, groups []string, phase time.Duration) (float64, error) {
	hold := r.command(ctx, processor, holder, r.either("hold", "look"), r.either(strconv.Itoa(reserved), file))
	if err := r.start(hold); err != nil {
		return 0, err
	}
	defer r.kill(hold)
	has := func() int64 {
		if !r.isV2() {
			return resident(hold)
		}
		n, _ := strconv.ParseInt(r.read(holder, "", "memory.current"), 10, 64)
		return n
	}
	if err := until(ctx, func() bool { return has() >= reserved }); err != nil {
		return 0, fmt.Errorf("wait for the holder: %w", err)
	}
	asking, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	var ended atomic.Int64
	for _, group := range groups {
		all.Go(func() {
			for asking.Err() == nil {
				_ = r.command(asking, processorOfOthers, group, "grow", "").Run()
				ended.Add(1)
			}
		})
	}
	pause(ctx, phase)
	if err := until(ctx, func() bool { return ended.Load() > 0 }); err != nil { // there is no more memory
		return 0, fmt.Errorf("wait until there is no more memory: %w", err)
	}
	kept := min(1, float64(has())/reserved)
	stop()
	all.Wait()
	return kept, nil
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
	for range time.Tick(100 * time.Millisecond) {
		for i := 0; i < len(held); i += os.Getpagesize() {
			held[i]++
		}
	}
	return nil
}

// look reads a file, and has it open.
func look(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, f); err != nil {
		return err
	}
	<-time.After(time.Hour) // the rig ends it before
	return f.Close()
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
