package main

import (
	"errors"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/external"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
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
