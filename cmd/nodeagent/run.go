//go:build linux

package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/nodeagent"
	"github.com/d-aros/d-aros/pkg/nodeagent/process"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
	"github.com/d-aros/d-aros/pkg/qos/network"
	"github.com/d-aros/d-aros/pkg/text"
)

func newRun(cfg *nodeagent.Config) *cobra.Command {
	var once, dry bool
	var format, systemCPU, systemMemory, processes, rate, diskRate, mode string
	var costs []string
	cmd := &cobra.Command{
		Use:   "run {--plan FILE | --processes FILE}",
		Short: "Enforce a plan and keep it in force",
		Long: `run applies the plan, repairs settings that others change, follows every change of
the file, and waits for cgroups that do not exist yet. The pods and units that the plan
names are looked for in each pass. If the plan is broken or gone,
the last good plan stays in force. When the agent stops, all settings stay as they
are; "nodeagent release" restores the original values.

With --processes it also runs the plain processes that a reconciler gives to this host,
as far as the file of the host allows (docs/nodeagent.md). They go on when it stops.`,
		Example: `  # enforce a plan from a ConfigMap or from the status branch
  nodeagent run --plan /etc/d-aros/plan.yaml --listen 127.0.0.1:9465

  # and shape what the workloads send, of which the interface has 1 Gbit/s
  nodeagent run --plan /etc/d-aros/plan.yaml --network eth0 --network-rate 1G

  # run the processes of a pool of plain hosts
  nodeagent run --processes /etc/d-aros/processes.yaml

  # show what would be written; any user who may read the plan can do this
  nodeagent run --plan plan.yaml --dry-run

  # apply once, from a script
  nodeagent run --plan plan.yaml --once || echo "not all of it holds"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := newLog(cmd.ErrOrStderr(), format)
			if err != nil {
				return err
			}
			cfg.Log = log
			for _, amount := range []struct {
				flag, text string
				of         *int64
				parse      func(string) (int64, error)
			}{
				{"--system-cpu", systemCPU, &cfg.System.CPU, model.ParseCPU}, {"--system-memory", systemMemory, &cfg.System.Memory, model.ParseMemory},
				{"--network-rate", rate, &cfg.Network.Rate, model.ParseBitrate}, {"--disk-rate", diskRate, &cfg.DiskRate, model.ParseMemory},
			} {
				if amount.text == "" {
					continue
				}
				if *amount.of, err = amount.parse(amount.text); err != nil {
					return fmt.Errorf("%s: %w", amount.flag, err)
				}
			}
			switch mode {
			case "htb":
			case "edt":
				cfg.Network.Pace = true
			default:
				return fmt.Errorf("--network-mode %q: want htb or edt", mode)
			}
			for _, text := range costs {
				c, err := qos.ParseDiskCost(text)
				if err != nil {
					return fmt.Errorf("--disk-cost: %w", err)
				}
				if slices.ContainsFunc(cfg.DiskCosts, func(o qos.DiskCost) bool { return o.Disk == c.Disk }) {
					return fmt.Errorf("--disk-cost: disk %s is there twice", c.Disk)
				}
				cfg.DiskCosts = append(cfg.DiskCosts, c)
			}
			if processes != "" {
				if cfg.Processes, err = readHost(processes); err != nil {
					return err
				}
			}
			if !once && !dry {
				return nodeagent.Run(cmd.Context(), *cfg)
			}
			report, err := nodeagent.Once(cmd.Context(), *cfg, dry)
			if err != nil {
				return err
			}
			printReport(text.Writer{Out: cmd.OutOrStdout()}, report)
			if !report.Holds() || report.Differs() {
				return errDiffer
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&cfg.Plan, "plan", "", "file with the plan (YAML or JSON)")
	cmd.Flags().StringVar(&systemCPU, "system-cpu", "", "processors kept for the host, such as 500m: never promised to workloads; a plan with \"system\" says it itself")
	cmd.Flags().StringVar(&systemMemory, "system-memory", "", "memory kept for the host, such as 512Mi")
	cmd.Flags().StringVar(&cfg.Kubelet.Links, "container-logs", "/var/log/containers", "directory of the links that the kubelet makes to the logs of containers: they name the pods of this node")
	cmd.Flags().StringVar(&cfg.Kubelet.Group, "kubepods", "", "cgroup of all pods, of a kubelet with a cgroup root of its own (default: kubepods.slice or kubepods)")
	cmd.Flags().StringVar(&cfg.NRI, "nri", "", "`SOCKET` of the container runtime's NRI, such as /var/run/nri/nri.sock, to give containers their values before their first instruction (default: none; docs/nodeagent.md)")
	cmd.Flags().DurationVar(&cfg.Interval, "interval", time.Second, "time between two checks of all settings")
	cmd.Flags().StringVar(&cfg.Listen, "listen", "", "address for /metrics and /healthz, such as 127.0.0.1:9465 (default: none)")
	cmd.Flags().BoolVar(&once, "once", false, "apply the plan, print the state of its settings, and exit")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "print what would be written, write nothing, and exit")
	cmd.Flags().StringVar(&format, "log-format", "text", "text or json")
	cmd.Flags().StringVar(&processes, "processes", "", "`FILE` that says which plain processes this host may run, and for which pool (default: none)")
	cmd.Flags().StringVar(&cfg.Network.Device, "network", "", "network `INTERFACE` through which the node sends, to shape what workloads send (default: none; docs/nodeagent.md)")
	cmd.Flags().StringVar(&rate, "network-rate", "", "bits in a second of that interface, such as 1G (default: what its driver says)")
	cmd.Flags().StringVar(&diskRate, "disk-rate", "", "bytes that each disk can read and write in a second, such as 200Mi: of them disks are reserved (default: nothing of disks is)")
	cmd.Flags().StringArrayVar(&costs, "disk-cost", nil, "number of a disk and `WHAT` it can do in a second (\"8:0 rbps=… rseqiops=… rrandiops=… wbps=… wseqiops=… wrandiops=…\"), for each that weights shall divide: iocost is switched on for it (default: none; docs/nodeagent.md)")
	cmd.Flags().StringSliceVar(&cfg.Network.Pods, "network-pods", nil, "how the names of the host's ends of pods' interfaces begin, such as veth,cali: what pods with a network of their own send is told apart there")
	cmd.Flags().StringVar(&mode, "network-mode", "htb", "how packets are shaped: htb, in queues that lend to each other, or edt, by the time at which they leave, for fast cards (docs/nodeagent.md)")
	cmd.Flags().BoolVar(&cfg.Network.Replace, "network-replace", false, "take the place of a queueing discipline that others have set on the interface")
	cmd.MarkFlagsOneRequired("plan", "processes")
	cmd.MarkFlagsMutuallyExclusive("processes", "once")
	cmd.MarkFlagsMutuallyExclusive("processes", "dry-run")
	cmd.MarkFlagsMutuallyExclusive("nri", "once")
	cmd.MarkFlagsMutuallyExclusive("nri", "dry-run")
	return cmd
}

// readHost reads the file in which the operator says what the host may run.
func readHost(name string) (*process.Host, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--processes: %w", err)
	}
	h, err := process.ParseHost(data)
	if err != nil {
		return nil, fmt.Errorf("--processes %s: %w", name, err)
	}
	return &h, nil
}

func newLog(w io.Writer, format string) (*slog.Logger, error) {
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(text.Writer{Out: w}, nil)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(text.Writer{Out: w}, nil)), nil
	}
	return nil, fmt.Errorf("--log-format %q: want text or json", format)
}

func newRelease(cfg *nodeagent.Config) *cobra.Command {
	return &cobra.Command{
		Use:   "release",
		Short: "Restore every setting to its value before the agent",
		Long: `release writes the original values back, in an order that keeps each protection as
long as possible, and takes back what the agent shaped of the network. Settings that
others have changed since are left alone. Stop the agent first; otherwise it applies
its plan again.`,
		Example: "  systemctl stop d-aros-nodeagent && nodeagent release",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			released, err := nodeagent.Release(*cfg)
			if err == nil {
				printNetwork(text.Writer{Out: cmd.OutOrStdout()}, released)
			}
			if err := report(cmd, released.Outcomes, err); err != nil {
				return err
			}
			if slices.ContainsFunc(released.Network, func(o network.Outcome) bool { return o.State == network.Refused }) {
				return errDiffer
			}
			return nil
		},
	}
}

// report prints what came of the settings of a command that could run, and fails if the kernel refused one.
func report(cmd *cobra.Command, outcomes []cgroup.Outcome, err error) error {
	if err != nil {
		return err
	}
	printOutcomes(text.Writer{Out: cmd.OutOrStdout()}, outcomes)
	for _, o := range outcomes {
		if o.State == cgroup.Refused {
			return errDiffer
		}
	}
	return nil
}

func newRest(cfg *nodeagent.Config) *cobra.Command {
	return &cobra.Command{
		Use:   "rest",
		Short: "Put the values that follow the load to those for when nobody follows it",
		Long: `rest is for a service manager, after the agent has ended: what a workload was given
while others were busy may be too little for ever. An agent that is stopped does it
itself, and one that starts does it first. All other settings stay as they are.`,
		Example: "  ExecStopPost=/usr/local/bin/nodeagent rest",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			outcomes, err := nodeagent.Rest(*cfg)
			return report(cmd, outcomes, err)
		},
	}
}

// newLaunch is for the agent itself, which starts programs with it.
func newLaunch() *cobra.Command {
	return &cobra.Command{
		Use:    nodeagent.LaunchCommand,
		Short:  "Become a program of the plan",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(*cobra.Command, []string) error { return process.Launch() },
	}
}
