package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/turn"
)

// remainsFlags say where the cluster is from which a ledger is made again.
type remainsFlags struct {
	from              bool
	branch, namespace string
	cluster           clusterFlags
	fleet             fleetFlags
}

func (f *remainsFlags) add(fl *pflag.FlagSet) {
	fl.BoolVar(&f.from, "from-cluster", false, "make the ledger again from the objects in the cluster, under a new id")
	fl.StringVar(&f.branch, "branch", "main", "with --from-cluster: branch that declares the fleet")
	f.cluster.add(fl, "with --from-cluster: ")
	f.cluster.addFurther(fl)
	fl.StringVar(&f.namespace, "lease-namespace", "daros-system", "with --from-cluster: namespace of the ConfigMap that remembers which ledger the fleet follows")
	f.fleet.add(fl)
}

// restorationView is what was restored, or would be.
type restorationView struct {
	status.Restoration
	Cluster *remainsView `json:"cluster,omitempty"` // with --from-cluster
}

// remainsView is what a ledger that was made from the cluster does not say.
type remainsView struct {
	Accepted bool               `json:"accepted"` // the cluster remembers which commit was accepted last; else it is the newest that an object names
	Unknown  []turn.Unexplained `json:"unknown,omitempty"`
	Held     []model.AppID      `json:"held,omitempty"`
	New      []model.AppID      `json:"new,omitempty"`
	Orphans  []model.Inventory  `json:"orphans,omitempty"`
	Lost     []string           `json:"lost"` // what cannot come back
}

// lostForGood is what no object says.
var lostForGood = []string{
	"holds of releases that were rolled back, but for those that Git declares now",
	"memos of steps that were done once: the next run does them again",
	"the history of phases, runs and decisions, and the counts of failures",
}

// restore makes the ledger again from the cluster.
func (f *remainsFlags) restore(cmd *cobra.Command, r *ledgerReader, write bool) (done restorationView, err error) {
	ctx := cmd.Context()
	clusters, err := f.cluster.all()
	if err != nil {
		return done, err
	}
	carrier, err := kubernetes.New(clusters[0].Config, kubernetes.Options{Fleet: f.fleet.fleet, Namespace: f.namespace})
	if err != nil {
		return done, err
	}
	defer carrier.Close()
	anchor, anchored, err := carrier.Anchor(ctx)
	if err != nil {
		return done, err
	}
	var left offline.Remains
	for _, c := range clusters {
		found, err := kubernetes.Remains(ctx, c.Config, f.fleet.fleet)
		if err != nil {
			return done, err
		}
		left.Remains = left.Remains.Join(found)
	}
	if len(left.Inventories) == 0 {
		return done, fmt.Errorf("the cluster has no applications of fleet %q; name the --fleet as given to run", f.fleet.fleet)
	}
	if anchored && anchor.Fleet == f.fleet.fleet {
		left.Accepted = anchor.Commit
	}
	repo, err := r.fleet(ctx, f.branch)
	if err != nil {
		return done, err
	}
	defer repo.Close()
	options, err := f.fleet.options(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return done, err
	}
	identity := model.LedgerIdentity{ID: status.NewLedgerID(), Fleet: f.fleet.fleet}
	rebuilt, err := offline.Rebuild(ctx, options, repo, left, identity, time.Now().UTC().Round(0))
	if err != nil {
		return done, fmt.Errorf("make the ledger again from the cluster: %w", err)
	}
	done.Cluster = &remainsView{
		Accepted: left.Accepted != "", Unknown: rebuilt.Unknown, Held: rebuilt.Held, New: rebuilt.New, Orphans: rebuilt.Orphans, Lost: lostForGood,
	}
	saved, shown, err := r.branch.Begin(ctx, rebuilt.Ledger, write)
	done.Restoration = shown
	if err != nil || !write {
		return done, err
	}
	err = carrier.SetAnchor(ctx, turn.RebuiltAnchor(&saved, cmd.Flag("status-branch").Value.String()))
	if err != nil {
		err = fmt.Errorf("the branch is restored, and the cluster still remembers the ledger before: %w; start the reconciler with --adopt", err)
	}
	return done, err
}

// remains says what a ledger that was made from the cluster does not say.
func (p *printer) remains(v *remainsView) {
	if !v.Accepted {
		p.line("The cluster does not remember which commit was accepted last: signatures are checked from the newest that an object names.")
	}
	for _, u := range v.Unknown {
		p.line("%s stays as it is: %s.", u.App, u.Why)
	}
	for _, app := range v.Held {
		p.line("%s runs another release than Git declares, which is put on hold.", app)
	}
	for _, app := range v.New {
		p.line("%s is declared and does not run: it begins as a new application.", app)
	}
	for _, o := range v.Orphans {
		p.line("%s is not declared any more: its %d objects stay, and no record knows them.", o.App, o.Objects)
	}
	p.line("What cannot come back:")
	for _, what := range v.Lost {
		p.line("  %s", what)
	}
}
