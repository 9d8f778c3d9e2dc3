//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/nodeagent"
)

const (
	cgroupRoot = "/sys/fs/cgroup"
	patience   = time.Minute
	mostShares = "262144"
)

// hierarchies are those in which each group of a rig exists.
var hierarchies = []string{"cpu", "cpuacct", "blkio"}

// rig has the groups and processes of one round.
type rig struct {
	dir, name string
	groups    []string // without the hierarchy, those around others first
	running   []*exec.Cmd
}

// group makes a group below that of the rig.
func (r *rig) group(path string) (string, error) {
	group := r.name
	for _, part := range append([]string{""}, strings.Split(path, "/")...) {
		group = filepath.Join(group, part)
		if slices.Contains(r.groups, group) {
			continue
		}
		r.groups = append(r.groups, group)
		for _, h := range hierarchies {
			if err := os.Mkdir(filepath.Join(cgroupRoot, h, group), 0o755); err != nil {
				return "", fmt.Errorf("make a group of cgroup v1: %w", err)
			}
		}
		if group == r.name { // in all phases what else runs on the machine hardly counts
			if err := os.WriteFile(filepath.Join(cgroupRoot, "cpu", group, "cpu.shares"), []byte(mostShares), 0); err != nil {
				return "", err
			}
		}
	}
	return group, nil
}

// command is this program in a role, on a processor and in a group from its first moment. Group "" is the root.
func (r *rig) command(ctx context.Context, processor int, group, role, argument string) *exec.Cmd {
	join := ""
	for _, h := range hierarchies {
		join += "echo $$ > '" + filepath.Join(cgroupRoot, h, group, "cgroup.procs") + "' && "
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", join+`exec taskset -c "$@"`, "sh", strconv.Itoa(processor), "/proc/self/exe", role, argument)
	if self, err := os.Executable(); err == nil {
		cmd.Args[5] = self
	}
	cmd.Stderr = os.Stderr
	return cmd
}

// start starts it; the rig ends it.
func (r *rig) start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	r.running = append(r.running, cmd)
	return nil
}

// enter begins a phase, and returns the agent that then runs, or did.
func (r *rig) enter(ctx context.Context, phase string, agent *exec.Cmd, profiles, workloads string) (*exec.Cmd, error) {
	switch phase {
	case with:
		return r.enforce(ctx, profiles, workloads)
	case killed:
		r.kill(agent)
	}
	return agent, nil
}

// enforce has an agent enforce a plan, and returns it when all is in force.
func (r *rig) enforce(ctx context.Context, profiles, workloads string) (*exec.Cmd, error) {
	plan := "apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nprofiles: [" + profiles + "]\nworkloads:\n" + workloads
	if err := os.WriteFile(filepath.Join(r.dir, "plan.yaml"), []byte(plan), 0o600); err != nil {
		return nil, err
	}
	cmd := r.command(ctx, processorOfOthers, "", "agent", r.dir)
	log, err := os.Create(filepath.Join(r.dir, "agent.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stderr = log
	if err := r.start(cmd); err != nil {
		return nil, err
	}
	err = until(ctx, func() bool {
		report, _, err := nodeagent.ReadReport(filepath.Join(r.dir, "state"))
		return err == nil && report.Digest != "" && report.Problem == ""
	})
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("wait for the agent: %w: %s", err, said)
	}
	return cmd, nil
}

// kill ends a process with no chance to say a word.
func (r *rig) kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	r.running = slices.DeleteFunc(r.running, func(c *exec.Cmd) bool { return c == cmd })
}

// used is the processor time that groups have had.
func (r *rig) used(groups ...string) (sum time.Duration) {
	for _, group := range groups {
		data, _ := os.ReadFile(filepath.Join(cgroupRoot, "cpuacct", group, "cpuacct.usage"))
		n, _ := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		sum += time.Duration(n)
	}
	return sum
}

// close ends and removes all. A group is there for some milliseconds after its last process.
func (r *rig) close() {
	for _, cmd := range slices.Clone(r.running) {
		r.kill(cmd)
	}
	for _, group := range slices.Backward(r.groups) {
		for _, h := range hierarchies {
			_ = until(context.Background(), func() bool {
				err := os.Remove(filepath.Join(cgroupRoot, h, group))
				return err == nil || errors.Is(err, os.ErrNotExist)
			})
		}
	}
}

// until waits for a condition, a minute at most.
func until(ctx context.Context, ok func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for !ok() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}
