package main

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/view"
)

// uiProposals are the heads of a clone that may be merged into the branch that declares the fleet.
type uiProposals struct {
	tree         *clone.Tree
	base, status string

	mu      sync.Mutex
	touched map[string][]string // by base and head
}

// Heads returns what may be merged. It asks for more: branches come twice, here and at the origin, and some are left out.
func (p *uiProposals) Heads(ctx context.Context) (view.Heads, error) {
	all, err := p.tree.Proposals(ctx, 2*view.MaxHeads+4)
	return view.HeadsOf(all, p.base, p.status), err
}

// Find returns the head of a name, and the commit that its plan compares it with.
func (p *uiProposals) Find(ctx context.Context, name string) (head view.Head, base string, err error) {
	found, err := p.tree.Proposal(ctx, name)
	if err != nil {
		return head, "", err
	}
	base, err = p.tree.BranchTip(ctx, p.base)
	return view.Head{Name: found.Name, Commit: found.Commit}, base, err
}

// maxTouched is how many heads it is kept of what they touch.
const maxTouched = 2000

// Touches returns the directories, two deep, whose files the merge of each commit would change. They are kept, as lists of heads ask
// for many: only heads that are new, or all after a change of the base, cost a run of git each.
func (p *uiProposals) Touches(ctx context.Context, commits []string) ([][]string, error) {
	base, err := p.tree.BranchTip(ctx, p.base)
	if err != nil {
		return nil, err
	}
	touched := make([][]string, len(commits))
	for i, commit := range commits {
		if touched[i] = p.touches(ctx, base, commit); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return touched, nil
}

// touches returns the directories whose files the merge of a commit would change, none where git cannot tell.
func (p *uiProposals) touches(ctx context.Context, base, commit string) []string {
	key := base + " " + commit
	p.mu.Lock()
	dirs, known := p.touched[key]
	p.mu.Unlock()
	if known {
		return dirs
	}
	files, err := p.tree.Touched(ctx, base, commit)
	if err != nil {
		return nil
	}
	dirs = directories(files)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.touched) >= maxTouched || p.touched == nil {
		p.touched = map[string][]string{}
	}
	p.touched[key] = dirs
	return dirs
}

// directories returns those of files, two deep, each once. A file that is not as deep is returned itself.
func directories(files []string) []string {
	var dirs []string
	for _, f := range files {
		if part := strings.SplitN(f, "/", 3); len(part) == 3 {
			f = part[0] + "/" + part[1] + "/"
		}
		if !slices.Contains(dirs, f) {
			dirs = append(dirs, f)
		}
	}
	return dirs
}
