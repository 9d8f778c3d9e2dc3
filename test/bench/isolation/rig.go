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
)

// version is where groups are, in a version of cgroups.
type version struct {
	hierarchies []string // in which each group is, below the root of cgroups
	controllers []string // that groups of v2 hand down; none: v1
}

var (
	v1 = version{hierarchies: []string{"cpu", "cpuacct", "blkio", "memory"}}
	v2 = version{hierarchies: []string{"unified"}, controllers: []string{"cpu", "io"}}
)

// rig has the groups and processes of one round.
type rig struct {
	version
	dir, name string
	as        string   // role of the agent
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
		for _, h := range r.hierarchies {
			if err := r.make(filepath.Join(cgroupRoot, h, group)); err != nil {
				return "", cannot{fmt.Errorf("make a group: %w", err)}
			}
		}
		if group == r.name { // in all phases what else runs on the machine hardly counts
			if err := os.WriteFile(r.file(group, "cpu/cpu.shares", "cpu.weight"), []byte(r.either("262144", "10000")), 0); err != nil {
				return "", cannot{err}
			}
		}
	}
	return group, nil
}

func (v version) isV2() bool { return len(v.controllers) > 0 }

// make makes a directory of a group; what is around it hands the controllers down.
func (r *rig) make(dir string) error {
	for _, c := range r.controllers {
		if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "cgroup.subtree_control"), []byte("+"+c), 0); err != nil {
			return err
		}
	}
	return os.Mkdir(dir, 0o755)
}

// file is a file of a group: of a hierarchy of v1, or of v2.
func (r *rig) file(group, inV1, inV2 string) string {
	if r.isV2() {
		return filepath.Join(cgroupRoot, r.hierarchies[0], group, inV2)
	}
	hierarchy, file := filepath.Split(inV1)
	return filepath.Join(cgroupRoot, hierarchy, group, file)
}

// either is a word of v1 or of v2.
func (r *rig) either(inV1, inV2 string) string {
	if r.isV2() {
		return inV2
	}
	return inV1
}

// command is this program in a role, on a processor and in a group from its first moment. Group "" is the root.
func (r *rig) command(ctx context.Context, processor int, group, role, argument string) *exec.Cmd {
	join := ""
	for _, h := range r.hierarchies {
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

// plan puts a plan where the agent reads it, all at once.
func (r *rig) plan(profiles, workloads string) error {
	name := filepath.Join(r.dir, "plan.yaml")
	plan := "apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nprofiles: [" + profiles + "]\nworkloads:\n" + workloads
	if err := os.WriteFile(name+".new", []byte(plan), 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// enforce has an agent enforce a plan, and returns it when all is in force.
func (r *rig) enforce(ctx context.Context, profiles, workloads string) (*exec.Cmd, error) {
	if err := r.plan(profiles, workloads); err != nil {
		return nil, err
	}
	cmd := r.command(ctx, processorOfOthers, "", r.as, r.dir)
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
		data, _ := os.ReadFile(r.file(group, "cpuacct/cpuacct.usage", "cpu.stat"))
		fields := strings.Fields(strings.TrimPrefix(string(data), "usage_usec")) // its first line
		if len(fields) == 0 {
			continue
		}
		n, _ := strconv.ParseInt(fields[0], 10, 64)
		if r.isV2() {
			n *= int64(time.Microsecond)
		}
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
		for _, h := range r.hierarchies {
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

// pause waits, unless there is no more to wait for.
func pause(ctx context.Context, length time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(length):
	}
}
