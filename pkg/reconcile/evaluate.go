package reconcile

import (
	"cmp"
	"io/fs"
	"path"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/turn"
)

// evaluate turns a snapshot into a fleet whose renderings are checked. A commit that
// was evaluated before is not evaluated again, unless something was in the way.
func (d *declared) evaluate(snap source.Snapshot, ledger *model.Ledger) model.Fleet {
	if d.fleet.Commit == snap.Commit && d.evaluated {
		return d.fleet
	}
	at := func(commit string) (evaluate.Files, error) {
		older, err := snap.At(commit)
		return older.Files, err
	}
	d.o.Evaluator.Follow(ledger)
	unsure, building := false, sync.Mutex{}
	d.fleet, d.rendered = turn.CheckRenderings(turn.CheckClusters(d.o.Evaluator.Fleet(snap.Commit, snap.Files, at), d.o.Clusters), turn.Renderings{
		Fleet: d.o.Fleet, Prefix: d.o.Prefix, Checked: d.rendered, Ledger: ledger, Run: onAllCores,
		Builds: func(app *model.Application) (render.Builds, error) {
			building.Lock()
			defer building.Unlock()
			b := render.Builder{Prefix: d.o.Prefix, Follow: d.o.Evaluator.Build, Outside: d.o.Outside}
			built, err := b.BuildIn(app, func(commit string) (fs.FS, error) { return d.directory(app.ID, commit) })
			unsure = unsure || err != nil // the next pass tries again
			return built, err
		},
	})
	d.evaluated = d.o.Evaluator.Settled() && !unsure
	return d.fleet
}

// onAllCores calls do with every number below n, as many at once as there are cores.
func onAllCores(n int, do func(i int)) {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error { do(i); return nil })
	}
	_ = group.Wait()
}

// directory opens the directory of an application at a commit.
func (d *declared) directory(app model.AppID, commit string) (fs.FS, error) {
	snap, err := d.accepted.At(cmp.Or(commit, d.accepted.Commit))
	if err != nil {
		return nil, err
	}
	return fs.Sub(snap.Files, path.Join("tenants", app.Tenant, "apps", app.Name))
}

// requests returns what the files of a snapshot ask of runs, and by which commits:
// nothing, if the repo cannot show them.
func (d *declared) requests(snap source.Snapshot) access.Requests {
	if d.o.Commands == nil || snap.Files == nil {
		return access.Requests{}
	}
	return d.o.Commands.Requests(snap)
}
