package main

import (
	"errors"

	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/external"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/pkg/runtime/process"
	"github.com/d-aros/d-aros/pkg/sealed"
)

// runtimes are those that a run acts on.
type runtimes struct {
	*runtime.Mux
	cluster *kubernetes.Runtime // nil: there is none
	host    string              // of its API server
}

// clusterConfig returns how to connect to the cluster, nil if none is named and plain hosts carry
// what runs.
func (f *runFlags) clusterConfig() (*rest.Config, error) {
	cfg, err := f.cluster.config()
	if f.processDir == "" || !errors.Is(err, errNoCluster) {
		return cfg, err
	}
	if f.leaderElect {
		return nil, errors.New("--leader-elect holds a Lease in a cluster, and no cluster is named")
	}
	return nil, nil
}

// runtimes connects to the cluster and to the plain hosts, as far as there are any, and asks what runs elsewhere within a reach.
func (f *runFlags) runtimes(cluster *rest.Config, opener *sealed.Opener, evaluator *evaluate.Evaluator, reach outbound.Reach) (r runtimes, err error) {
	var adapters []runtime.Adapter
	if cluster != nil {
		r.cluster, err = kubernetes.New(cluster, kubernetes.Options{
			Fleet: f.fleet, Prefix: f.prefix, Workers: f.workers, Slice: f.slice() / 4, Namespace: f.leaseNamespace, Agents: f.nodeNamespace, TenantRole: f.tenantRole, Opener: opener, Build: evaluator.Build,
		})
		if err != nil {
			return r, err
		}
		r.host, adapters = cluster.Host, append(adapters, r.cluster)
	}
	if f.processDir != "" {
		adapters = append(adapters, process.New(process.Options{Dir: f.processDir, Fleet: f.fleet}))
	}
	r.Mux = runtime.NewMux(adapters...).Beside(external.New(outbound.NewProber(reach).Probe))
	return r, nil
}

// connect gives the loop what only a cluster has: a memory of the ledger, agents on its nodes, and
// people who read its events.
func (r *runtimes) connect(o *reconcile.Options) {
	if r.cluster == nil {
		return
	}
	o.Nodes, o.Events, o.Recognition.Anchor = r.cluster, r.cluster, r.cluster
	o.Preview, o.Progress = r.cluster.Preview, append(o.Progress, r.cluster.Answered)
}
