//go:build linux

// Command isolation measures what the node agent keeps for a workload beside others that want everything. Each part runs
// alone, beside neighbours, beside neighbours with the agent, and after the agent was killed, in this order and as often
// as is asked. It prints medians of ratios of the same round, because the machine is part of every figure.
//
//	go run ./test/bench/isolation                              five rounds of 30 s phases
//	go run ./test/bench/isolation -rounds 1 -phase 3s          a look
//	go run ./test/bench/isolation -parts memory,network        some of them
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// part is one experiment.
type part struct {
	name  string
	round func(context.Context, *rig, time.Duration) ([]figure, error)
}

var parts = []part{
	{"processors", processors}, {"share", share}, {"disks", disks}, {"memory", memory}, {"network", networks}, {"reaction", reaction}, {"v2", borrowed}, {"guest", inGuest},
}

func main() {
	if len(os.Args) == 3 {
		if role := roles[os.Args[1]]; role != nil {
			if err := role(os.Args[2]); err != nil {
				fmt.Fprintln(os.Stderr, os.Args[1]+":", err)
				os.Exit(1)
			}
			return
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	rounds := flag.Int("rounds", 5, "how often each part is measured; medians are printed")
	phase := flag.Duration("phase", 30*time.Second, "how long each phase takes")
	only := flag.String("parts", "", "parts that are measured, separated by commas (default: all)")
	chart := flag.String("chart", "", "file for the chart, an SVG (default: none)")
	flag.Parse()
	measured, err := named(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "isolation:", err)
		stop()
		os.Exit(2)
	}
	figures, err := measure(ctx, measured, *rounds, *phase)
	where := fmt.Sprintf("medians of %d, phases of %s; %s", *rounds, *phase, machine())
	if len(figures) > 0 { // what was measured until an error stays
		err = errors.Join(err, printTable(os.Stdout, where, figures))
	}
	if err == nil && *chart != "" {
		err = os.WriteFile(*chart, []byte(drawChart(where, figures)), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "isolation:", err)
		stop()
		os.Exit(1)
	}
}

// named returns the parts of these names, all for none.
func named(names string) (some []part, err error) {
	if names == "" {
		return parts, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(parts, func(p part) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no part %q", name)
		}
		some = append(some, parts[i])
	}
	return some, nil
}

// measure returns the medians of all rounds, also with an error those of the parts before it. What this machine cannot do is a
// figure with the reason.
func measure(ctx context.Context, parts []part, rounds int, phase time.Duration) (medians []figure, err error) {
	for _, p := range parts {
		var all [][]figure
		for n := range rounds {
			fmt.Fprintf(os.Stderr, "%s, round %d of %d\n", p.name, n+1, rounds)
			figures, err := alone(ctx, p, phase)
			if err != nil {
				return medians, fmt.Errorf("%s: %w", p.name, err)
			}
			all = append(all, figures)
		}
		medians = append(medians, medianOf(all)...)
	}
	return medians, nil
}

// alone measures a round of a part while nobody else on the machine uses cgroups, as tests of cgroups do. The part that
// borrows controllers waits for the others itself, and a guest has its own.
func alone(ctx context.Context, p part, phase time.Duration) ([]figure, error) {
	if p.name == "v2" || p.name == "guest" {
		return one(ctx, p, v1, phase)
	}
	lock, err := os.OpenFile("/run/qos-cgroup.lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return nil, err
	}
	return one(ctx, p, v1, phase)
}

// one measures a round in groups of its own. What the machine cannot do is a figure with the reason.
func one(ctx context.Context, p part, in version, phase time.Duration) (figures []figure, err error) {
	dir, err := os.MkdirTemp("", "daros-isolation-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &rig{version: in, dir: dir, name: fmt.Sprintf("qos-bench-%d", os.Getpid()), as: "agent"}
	defer r.close()
	figures, err = p.round(ctx, r, phase)
	if why := (cannot{}); errors.As(err, &why) {
		return []figure{{Name: p.name, Reason: why.Error()}}, nil
	}
	return figures, err
}

// machine says where the figures come from.
func machine() string {
	var u unix.Utsname
	_ = unix.Uname(&u)
	load, _ := os.ReadFile("/proc/loadavg")
	cpus, _ := filepath.Glob("/sys/devices/system/cpu/cpu[0-9]*")
	var average float64
	_, _ = fmt.Sscan(string(load), &average)
	return fmt.Sprintf("%d processors, Linux %s, load average %.0f at the end", len(cpus), unix.ByteSliceToString(u.Release[:]), average)
}
