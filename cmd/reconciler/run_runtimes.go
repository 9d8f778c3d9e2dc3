package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/external"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/pkg/runtime/nomad"
	"github.com/d-aros/d-aros/pkg/runtime/process"
	"github.com/d-aros/d-aros/pkg/runtime/wasm"
	"github.com/d-aros/d-aros/pkg/sealed"
	"github.com/d-aros/d-aros/pkg/source/pinned"
)

// runtimes are those that a run acts on.
type runtimes struct {
	*runtime.Mux
	clusters *kubernetes.Clusters // nil: there is none
	hosts    []string             // of their API servers
	names    []string             // of those beside the first
}

// clusterConfigs returns how to connect to the clusters, the first of which has no name. There is
// none if none is named and others carry what runs.
func (f *runFlags) clusterConfigs() ([]namedCluster, error) {
	clusters, err := f.cluster.all()
	switch {
	case err == nil:
		return clusters, nil
	case !f.hosts.any() || !errors.Is(err, errNoCluster):
		return nil, err
	case f.leaderElect:
		return nil, errors.New("--leader-elect holds a Lease in a cluster, and no cluster is named")
	case f.cluster.others != nil:
		return nil, errors.New("--cluster names further clusters: name the first one with --kubeconfig FILE or --context NAME")
	}
	return nil, nil
}

// runtimes connects to the clusters, to the plain hosts, to modules and to Nomad, as far as there are any, and asks what runs elsewhere within a reach.
func (f *runFlags) runtimes(clusters []namedCluster, opener *sealed.Opener, evaluator *evaluate.Evaluator, outside *pinned.Store, reach outbound.Reach) (r runtimes, err error) {
	var connected []*kubernetes.Runtime
	var adapters []runtime.Adapter
	for _, c := range clusters {
		cluster, err := kubernetes.New(c.Config, kubernetes.Options{
			Fleet: f.fleet, Prefix: f.prefix, Cluster: c.name, Workers: f.workers, Slice: f.slice() / 4, Namespace: f.leaseNamespace, Agents: f.nodeNamespace, TenantRole: f.tenantRole, Opener: opener, Build: evaluator.Build, Outside: outside.Files,
		})
		if err != nil {
			return r, err
		}
		if c.name != "" {
			r.names = append(r.names, c.name)
		}
		r.hosts, connected, adapters = append(r.hosts, c.Host), append(connected, cluster), append(adapters, cluster)
	}
	if connected != nil {
		r.clusters = kubernetes.NewClusters(connected...)
	}
	others, err := f.hosts.adapters(f.fleet, f.prefix)
	if err != nil {
		return r, err
	}
	adapters = append(adapters, others...)
	r.Mux = runtime.NewMux(adapters...).Beside(external.New(outbound.NewProber(reach).Probe))
	return r, nil
}

// connect gives the loop what only clusters have: a memory of the ledger, agents on their nodes, and
// people who read their events.
func (r *runtimes) connect(o *reconcile.Options) {
	o.Recall, o.Views = r.Recall, r.Views
	if r.clusters == nil {
		return
	}
	o.Nodes, o.Events, o.Recognition.Anchor = r.clusters, r.clusters, r.clusters
	o.Clusters = r.names
	o.Preview, o.Progress = r.Preview, append(o.Progress, r.clusters.Answered)
}

// hostFlags name what carries components without Kubernetes.
type hostFlags struct {
	processDir, wasmDir                string
	nomad, nomadTokenFile, nomadCAFile string
}

func (f *hostFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.processDir, "process-dir", "", "`DIR` that plain hosts share, for components of runtime process; with it a cluster need not be named")
	fl.StringVar(&f.wasmDir, "wasm-dir", "", "`DIR` of the output of WebAssembly modules, which this machine then runs for components of runtime wasm (experimental); with it a cluster need not be named")
	fl.StringVar(&f.nomad, "nomad-address", "", "`URL` of the HTTP API of Nomad, for components of runtime nomad (experimental); with it a cluster need not be named")
	fl.StringVar(&f.nomadTokenFile, "nomad-token-file", "", "`FILE` with the token for Nomad, read for each request")
	fl.StringVar(&f.nomadCAFile, "nomad-ca-file", "", "`FILE` with the authorities that sign the certificate of Nomad; empty: those of the system")
}

// any reports whether there is something besides clusters of Kubernetes.
func (f *hostFlags) any() bool { return f.processDir != "" || f.wasmDir != "" || f.nomad != "" }

// adapters returns those of a fleet that the flags name.
func (f *hostFlags) adapters(fleet, prefix string) (all []runtime.Adapter, err error) {
	if f.processDir != "" {
		all = append(all, process.New(process.Options{Dir: f.processDir, Fleet: fleet}))
	}
	if f.wasmDir != "" {
		if err := os.MkdirAll(f.wasmDir, 0o700); err != nil {
			return nil, fmt.Errorf("make the directory of --wasm-dir: %w", err)
		}
		launcher, err := childCommand(moduleCommand)
		if err != nil {
			return nil, err
		}
		all = append(all, wasm.New(wasm.Options{Launcher: launcher, Logs: f.wasmDir}))
	}
	if f.nomad != "" {
		cluster, err := nomad.New(nomad.Options{Address: f.nomad, TokenFile: f.nomadTokenFile, CAFile: f.nomadCAFile, Fleet: fleet, Prefix: prefix})
		if err != nil {
			return nil, err
		}
		all = append(all, cluster)
	}
	return all, nil
}

const moduleCommand = "module"

// newModuleCommand is the hidden command of the child processes that run WebAssembly modules.
func newModuleCommand() *cobra.Command {
	return hiddenCommand(moduleCommand, "Run the module on standard input", func(cmd *cobra.Command, _ []string) error {
		return wasm.Launch(cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
}
