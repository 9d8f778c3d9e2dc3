package reconcile

import (
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/turn"
)

// evaluate turns a snapshot into a fleet whose renderings are checked. A commit that
// was evaluated before is not evaluated again, unless something was in the way.
func (l *Loop) evaluate(snap source.Snapshot) model.Fleet {
	if l.fleet.Commit == snap.Commit && l.evaluated {
		return l.fleet
	}
	at := func(commit string) (evaluate.Files, error) {
		older, err := snap.At(commit)
		return older.Files, err
	}
	unsure := false
	l.fleet, l.rendered = turn.CheckRenderings(l.evaluator.Fleet(snap.Commit, snap.Files, at), turn.Renderings{
		Fleet: l.name, Prefix: l.prefix, Checked: l.rendered,
		Kustomizations: func(app *model.Application) (render.Kustomizations, error) {
			built, err := l.kustomizations(app)
			unsure = unsure || err != nil // the next pass tries again
			return built, err
		},
	})
	l.evaluated = l.evaluator.Settled() && !unsure
	return l.fleet
}
