package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"
)

const upUsage = `Start a Kubernetes cluster on loopback and supervise it until SIGTERM or ^C.

Once everything is ready DIR/kubeconfig.yaml appears and "READY after ..." is printed. The directory keeps the
cluster's data: started on it again, the cluster is what it was. Remove the directory to begin anew.

Usage:
  devcluster up [flags]

Examples:
  # three nodes, the kubeconfig in ./devcluster-data/kubeconfig.yaml
  devcluster up

  # two pools over two zones, with smaller nodes, the API server on port 6443
  devcluster up --dir /tmp/demo --port 6443 --pools general=8,batch=4 --zones 2 --cpu 8 --memory 16Gi

  # only the API: objects are stored, nothing acts on them
  devcluster up --controllers=false --scheduler=false --kwok=false --nodes 0

A pod plays a failure when it carries the label or annotation kwok.d-aros.dev/fail:
  crash        restarts in vain: CrashLoopBackOff, last exit code 1
  oom          the same, last exit code 137, OOMKilled
  image        its image is never pulled: ImagePullBackOff
  never-ready  runs and never becomes Ready
  job-fail     a pod of a Job ends Failed, exit code 3
  hang         a pod of a Job runs and never ends
On a node, kwok.d-aros.dev/fail: not-ready makes it NotReady. Removing the mark heals what can be healed.
kwok.d-aros.dev/startup and kwok.d-aros.dev/duration (annotations, "5s") delay Ready, and the end of a Job's pod.

Flags:
`

// options are what the command line of "devcluster up" asks for.
type options struct {
	dir  string
	port int

	nodes  nodeOptions
	lease  time.Duration
	stages string

	controllers, scheduler, kwok bool
	fsync, restart               bool

	dieWithParent  bool
	unusedFile     string
	unusedFor      time.Duration
	clientQPS      int
	verbosity      int
	apiServerArgs  []string
	controllerArgs []string
	schedulerArgs  []string
}

// nodeOptions say which nodes there are.
type nodeOptions struct {
	pools             []pool
	zones             int
	cpu, memory, pods resource.Quantity
}

func (n nodeOptions) count() int {
	sum := 0
	for _, p := range n.pools {
		sum += p.nodes
	}
	return sum
}

// maxNodes bounds what one machine can play in reasonable time.
const maxNodes = 10_000

// parseOptions reads the arguments of "devcluster up". It returns pflag.ErrHelp after printing help to out.
func parseOptions(args []string, out io.Writer) (options, error) {
	var o options
	var nodes int
	var pools, cpu, memory, pods string
	flags := pflag.NewFlagSet("up", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.dir, "dir", "devcluster-data", "directory of the cluster's state, logs and kubeconfig")
	flags.IntVar(&o.port, "port", 0, "port of the API server on 127.0.0.1 (0: any free one)")
	flags.IntVar(&nodes, "nodes", 3, "number of nodes, all in the pool general")
	flags.StringVar(&pools, "pools", "", "nodes by pool instead, as `NAME=COUNT,...`; they carry the label "+poolLabel)
	flags.IntVar(&o.nodes.zones, "zones", 3, "number of zones each pool spreads over: zone-1, zone-2, ...")
	flags.StringVar(&cpu, "cpu", "32", "CPU of each node")
	flags.StringVar(&memory, "memory", "256Gi", "memory of each node")
	flags.StringVar(&pods, "pods", "110", "pods that fit on each node")
	flags.DurationVar(&o.lease, "node-lease", 0, "how long a node counts as alive without news (0: 40s, or 10m above 200 nodes)")
	flags.StringVar(&o.stages, "kwok-stages", "", "`FILE` of kwok Stage documents; one named like a built-in stage replaces it")
	flags.BoolVar(&o.controllers, "controllers", true, "run kube-controller-manager")
	flags.BoolVar(&o.scheduler, "scheduler", true, "run kube-scheduler")
	flags.BoolVar(&o.kwok, "kwok", true, "run kwok")
	flags.BoolVar(&o.fsync, "fsync", false, "survive a crash of the machine, at half the write rate")
	flags.BoolVar(&o.restart, "restart", true, "start a component that exits again; otherwise its exit ends up")
	flags.BoolVar(&o.dieWithParent, "die-with-parent", false, "stop when the process that started this one is gone")
	flags.StringVar(&o.unusedFile, "exit-when-unused", "", "stop when nobody has held a shared flock on `FILE` for some time")
	flags.DurationVar(&o.unusedFor, "unused-for", 20*time.Second, "that time")
	flags.IntVar(&o.clientQPS, "client-qps", 2000, "requests per second of kube-controller-manager and kube-scheduler")
	flags.IntVarP(&o.verbosity, "v", "v", 0, "log verbosity of the Kubernetes components")
	flags.StringArrayVar(&o.apiServerArgs, "apiserver-arg", nil, "one more `FLAG` of kube-apiserver (repeatable)")
	flags.StringArrayVar(&o.controllerArgs, "controller-manager-arg", nil, "one more `FLAG` of kube-controller-manager (repeatable)")
	flags.StringArrayVar(&o.schedulerArgs, "scheduler-arg", nil, "one more `FLAG` of kube-scheduler (repeatable)")

	if err := flags.Parse(args); errors.Is(err, pflag.ErrHelp) {
		fmt.Fprint(out, upUsage, flags.FlagUsages())
		return o, err
	} else if err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.port < 0 || o.port > 65535 {
		return o, fmt.Errorf("--port %d: not a port", o.port)
	}
	if flags.Changed("pools") && flags.Changed("nodes") {
		return o, errors.New("--nodes and --pools: give one of them")
	}
	if o.clientQPS < 1 {
		return o, fmt.Errorf("--client-qps %d: must be positive", o.clientQPS)
	}
	if !flags.Changed("pools") {
		pools = fmt.Sprintf("%s=%d", defaultPool, nodes)
	}
	if err := o.nodes.parse(pools, cpu, memory, pods); err != nil {
		return o, err
	}
	if o.lease == 0 {
		o.lease = 40 * time.Second
		if o.nodes.count() > 200 {
			o.lease = 10 * time.Minute // renewals of many nodes are a steady load
		}
	}
	if o.lease < 10*time.Second {
		return o, fmt.Errorf("--node-lease %s: must be 10s or more", o.lease)
	}
	return o, nil
}

func (n *nodeOptions) parse(pools, cpu, memory, pods string) error {
	var err error
	if n.pools, err = parsePools(pools); err != nil {
		return fmt.Errorf("--pools: %w", err)
	}
	if n.count() > maxNodes {
		return fmt.Errorf("%d nodes: at most %d", n.count(), maxNodes)
	}
	if n.zones < 1 {
		return fmt.Errorf("--zones %d: must be positive", n.zones)
	}
	for _, q := range []struct {
		flag, text string
		to         *resource.Quantity
	}{{"--cpu", cpu, &n.cpu}, {"--memory", memory, &n.memory}, {"--pods", pods, &n.pods}} {
		if *q.to, err = resource.ParseQuantity(q.text); err != nil {
			return fmt.Errorf("%s %q: %w", q.flag, q.text, err)
		}
		if q.to.Sign() <= 0 {
			return fmt.Errorf("%s %q: must be positive", q.flag, q.text)
		}
	}
	return nil
}
