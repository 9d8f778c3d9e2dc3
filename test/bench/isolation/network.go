//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/nodeagent"
	"github.com/d-aros/d-aros/pkg/qos/network"
)

const (
	uplink       = "up0"
	lineRate     = 100_000_000 // bits in a second
	reservedRate = 57_000_000
	streams      = 8
)

// networks sends through a line of 100 Mbit/s, beside eight streams of best effort. It gives a thread network namespaces, so it
// has one of its own, which ends with it.
func networks(ctx context.Context, r *rig, phase time.Duration) (figures []figure, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		figures, err = send(ctx, r, phase)
	}()
	<-done
	return figures, err
}

func send(ctx context.Context, r *rig, phase time.Duration) ([]figure, error) {
	l, err := newLine()
	if err != nil {
		return nil, cannot{err}
	}
	defer l.close()
	r.hierarchies = append(slices.Clone(r.hierarchies), "unified") // whose a packet is follows from the group of v2
	holder, err := r.group("holder")
	if err != nil {
		return nil, err
	}
	batch, err := r.group("batch")
	if err != nil {
		return nil, err
	}
	r.as = "shape"
	for range streams {
		if err := r.start(r.command(ctx, processorOfOthers, batch, "send", l.toOthers)); err != nil {
			return nil, err
		}
	}
	if err := r.start(r.command(ctx, processor, holder, "send", l.toHolder)); err != nil {
		return nil, err
	}
	workloads := fmt.Sprintf("- {name: holder, cgroup: %s, profile: guaranteed-pro, cpu: {request: 100m}, reserved: {network: %d}}\n", holder, reservedRate) +
		fmt.Sprintf("- {name: batch, cgroup: %s, profile: best-effort}\n", batch)
	figures := []figure{
		{Name: "network: of the reservation", Alone: fmt.Sprintf("%d Mbit/s", reservedRate/1_000_000), Ratios: map[string]float64{}, Least: 0.95},
		{Name: "network: best effort, of its rate", Ratios: map[string]float64{}, Least: 0.95},
	}
	got := map[string][2]float64{}
	rate := int64(0)
	var agent *exec.Cmd
	for _, name := range phases {
		if agent, err = r.enter(ctx, name, agent, "", workloads); err != nil {
			return nil, err
		}
		if name == with {
			defer func() { _, _ = nodeagent.Release(shaping(r.dir)) }()
			if rate, err = rateOfBestEffort(r); err != nil {
				return nil, err
			}
		}
		got[name] = l.rates(ctx, phase)
	}
	for phase, rates := range got {
		figures[0].Ratios[phase] = rates[0] / reservedRate
		figures[1].Ratios[phase] = rates[1] / float64(rate)
	}
	figures[1].Alone = fmt.Sprintf("%.1f Mbit/s", float64(rate)/1e6)
	return figures, ctx.Err()
}

// rateOfBestEffort is what the agent guarantees to the class that has the traffic of best effort.
func rateOfBestEffort(r *rig) (int64, error) {
	report, _, err := nodeagent.ReadReport(filepath.Join(r.dir, "state"))
	if err != nil {
		return 0, err
	}
	if report.Uplink != nil {
		for _, c := range report.Uplink.Classes {
			if c.Name == "best-effort" {
				return c.Rate, nil
			}
		}
	}
	return 0, cannot{fmt.Errorf("the agent shapes nothing: %v", report.Degradations)}
}

// shaping is an agent that shapes what the host sends through the line, too.
func shaping(dir string) nodeagent.Config {
	cfg := enforcing(dir)
	cfg.Network = network.Config{Device: uplink, Rate: lineRate}
	return cfg
}

// shape is the role of that agent.
func shape(dir string) error { return nodeagent.Run(context.Background(), shaping(dir)) }

// sendTo sends as fast as it may.
func sendTo(address string) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	for block := make([]byte, 16<<10); ; {
		if _, err := conn.Write(block); err != nil {
			return err
		}
	}
}
