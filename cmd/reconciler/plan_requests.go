package main

import (
	"context"
	"fmt"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/turn"
)

// requests returns what the files of a side ask of runs, and by which commits. A file
// counts once it is committed; those of a work tree are the ones of its last commit.
func (o *offline) requests(ctx context.Context, s *side) (access.Requests, error) {
	files, commit := s.files, s.commit
	if commit == uncommitted {
		if commit = o.tree.Head(ctx); commit == "" {
			return access.Requests{}, nil
		}
		committed, err := o.tree.Commit(ctx, commit)
		if err != nil {
			return access.Requests{}, err
		}
		if digest(files) != digest(committed) {
			o.note("approvals that are not committed ask nothing yet")
		}
		files = committed
	}
	approvals, problems := o.assessor.evaluator.Approvals(files)
	prefix, err := clone.Line(ctx, o.tree.Root, "rev-parse", "--show-prefix")
	if err != nil || prefix != "" || len(approvals) == 0 { // the reconciler reads a fleet at the root of its repo only
		return access.Requests{Problems: problems}, err
	}
	repository, err := o.tree.GitDir(ctx)
	if err != nil {
		return access.Requests{}, err
	}
	objects := source.OpenClone(repository)
	defer objects.Close()
	origins, err := objects.Origins(commit, "approvals")
	if err != nil {
		return access.Requests{}, fmt.Errorf("%w; if this clone is shallow, \"git fetch --unshallow\" completes it", err)
	}
	r := turn.Requests(approvals, origins)
	r.Problems = append(problems[:len(problems):len(problems)], r.Problems...)
	return r, nil
}

// digest identifies the approvals of a tree, "" if there are none.
func digest(files *clone.Files) string {
	d, _ := files.Digest("approvals")
	return d
}
