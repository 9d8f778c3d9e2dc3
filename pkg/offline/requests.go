package offline

import (
	"context"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/turn"
)

// workTreeRequests returns the requests of the last commit: an approval counts only once it is committed.
func workTreeRequests(ctx context.Context, w *clone.Tree, e *evaluate.Evaluator, files evaluate.Files, n *notes) (access.Requests, error) {
	commit := w.Head(ctx)
	if commit == "" {
		return access.Requests{}, nil
	}
	committed, err := w.Commit(ctx, commit)
	if err != nil {
		return access.Requests{}, err
	}
	if approvalsDigest(files) != approvalsDigest(committed) {
		n.add("approvals have no effect before they are committed")
	}
	return requests(ctx, w, e, commit, committed)
}

// requests returns the requests in the files of a commit, each with the commit that added its file.
func requests(ctx context.Context, w *clone.Tree, e *evaluate.Evaluator, commit string, files evaluate.Files) (access.Requests, error) {
	asked := e.Approvals(files)
	if !w.AtTop || len(asked.Approvals) == 0 { // the reconciler reads a fleet at the root of its repo only
		return access.Requests{Removals: asked.Removals, Problems: asked.Problems}, nil
	}
	objects := source.OpenClone(ctx, w.Root)
	defer objects.Close()
	origins, err := objects.Origins(commit, "approvals")
	if err != nil {
		return access.Requests{}, fmt.Errorf("%w; if this clone is shallow, \"git fetch --unshallow\" completes it", err)
	}
	return turn.Requests(asked, origins), nil
}

// approvalsDigest identifies the approvals of a tree, "" if there are none.
func approvalsDigest(files evaluate.Files) string {
	d, _ := files.Digest("approvals")
	return d
}

// noteRemovals notes what files that a change brings confirm beyond the applications that
// end: the removal of orphans, and nothing at all.
func noteRemovals(was, is access.Requests, ledger *model.Ledger, n *notes) {
	for _, id := range is.Removals {
		if slices.Contains(was.Removals, id) {
			continue
		}
		inst, known := ledger.Find(id.App)
		orphan := slices.IndexFunc(ledger.Orphans, func(o model.Inventory) bool { return o.ID() == id })
		switch {
		case orphan >= 0:
			n.add("the orphan %s goes, with %s; volumes stay", id, text.Count(ledger.Orphans[orphan].Objects, "object"))
		case !known || inst.Number != id.Number || !inst.Phase.Active():
			n.add("%s does not run, so the file in approvals/%s/%s that names it confirms nothing; \"reconciler confirm-removal\" names what runs", id, id.App.Tenant, model.RemovalsDir)
		}
	}
}
