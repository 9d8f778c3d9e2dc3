//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// leastQuota is what suppression leaves to everybody, in microseconds of each tenth of a second.
const leastQuota = 5_000

// reaction measures how long it takes from a change of the plan to the file of the group, and from the moment at which
// others want processors to a smaller quota of what gives way. Both are of the agent only: without it nothing ever happens.
func reaction(ctx context.Context, r *rig, phase time.Duration) ([]figure, error) {
	service, err := r.group("service")
	if err != nil {
		return nil, err
	}
	batch, err := r.group("batch")
	if err != nil {
		return nil, err
	}
	figures := []figure{
		{Name: "change of the plan to the kernel", Unit: " s", Alone: "1 s", Ratios: map[string]float64{}, Most: 2},
		{Name: "load to suppression", Unit: " s", Alone: "1 s", Ratios: map[string]float64{}, Most: 2},
	}
	const profiles = "{name: batch, rank: 5, cpu: {weight: 1, suppress: 80}}"
	workloads := func(request int) string {
		return fmt.Sprintf("- {name: service, cgroup: %s, profile: guaranteed, cpu: {request: %dm}}\n- {name: batch, cgroup: %s, profile: batch}\n", service, request, batch)
	}
	if err := r.start(r.command(ctx, processorOfOthers, batch, "spin", "")); err != nil {
		return nil, err
	}
	agent, err := r.enforce(ctx, profiles, workloads(100))
	if err != nil {
		return nil, err
	}
	defer r.kill(agent)
	weight := func() string { return r.read(service, "cpu/cpu.shares", "cpu.weight") }
	was := weight()
	began := time.Now()
	if err := r.plan(profiles, workloads(400)); err != nil {
		return nil, err
	}
	if err := until(ctx, func() bool { return weight() != was }); err != nil {
		return nil, fmt.Errorf("wait for the weight of the plan: %w", err)
	}
	figures[0].Ratios[with] = time.Since(began).Seconds()

	quota := func() int {
		n, _ := strconv.Atoi(strings.Fields(r.read(batch, "cpu/cpu.cfs_quota_us", "cpu.max") + " 0")[0])
		return n
	}
	pause(ctx, phase)
	if err := until(ctx, func() bool { return quota() >= 4*leastQuota }); err != nil {
		figures[1].Reason = "for a minute the other programs of this machine left nothing to suppress"
		return figures, ctx.Err()
	}
	before := quota()
	began = time.Now()
	if err := r.start(r.command(ctx, processor, service, "spin", "")); err != nil {
		return nil, err
	}
	if err := until(ctx, func() bool { return quota() <= before/2 }); err != nil {
		return nil, fmt.Errorf("wait for less than half of a quota of %d: %w", before, err)
	}
	figures[1].Ratios[with] = time.Since(began).Seconds()
	return figures, ctx.Err()
}

// read is what a file of a group has, "" if there is none.
func (r *rig) read(group, inV1, inV2 string) string {
	data, _ := os.ReadFile(r.file(group, inV1, inV2))
	return strings.TrimSpace(string(data))
}
