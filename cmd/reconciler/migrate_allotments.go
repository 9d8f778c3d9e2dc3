package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
)

func newMigrateAllotmentsCommand() *cobra.Command {
	var dir string
	var noCommit, open bool
	cmd := &cobra.Command{
		Use:   "allotments",
		Short: "Move what tenants are given to the root of the fleet repo",
		Long: `Allotments moves weight, guarantee, borrow, lend, quota and priority ceiling of each tenant
from its own files to platform.allotments in ` + layer.AllotmentsFile + `, which platform admins own, and
writes there the namespaces, hosts, classes, annotations and types of Services that its
applications use. It keeps comments, says what it moved, checks the result as vet does,
and commits only the files that changed. A tenant that has an allotment keeps the fields
that narrow it.

Tenants that get an allotment are not locked: it says isolation "open" and podSecurity
"baseline", as it was. --open writes the same for tenants whose allotment says neither.

The meaning of the fleet does not change: push the commit, and nothing is started, moved
or stopped by it.`,
		Example: `  reconciler migrate allotments
  git push`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			view, err := migrateAllotments(cmd.Context(), dir, open, noCommit, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return writeAnswer(cmd, view, func(p *printer) { p.allotments(view) })
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&dir, "repo", ".", "clone of the fleet repo")
	fl.BoolVar(&open, "open", false, "leave tenants open whose allotment does not say how locked they are")
	fl.BoolVar(&noCommit, "no-commit", false, "leave the edits in the work tree")
	return withOutput(cmd, usualOutput)
}

// allotmentsView is the result of the command as JSON.
type allotmentsView struct {
	Given     []string          `json:"given,omitempty"` // tenants that have an allotment now and had none
	Moved     []layer.Moved     `json:"moved,omitempty"`
	InUse     []model.Allotment `json:"inUse,omitempty"`     // what the allotments that are new list
	Open      []string          `json:"open,omitempty"`      // tenants that are not locked, because their allotments say so now
	Files     []string          `json:"files,omitempty"`     // that changed
	Committed string            `json:"committed,omitempty"` // the new commit
}

func migrateAllotments(ctx context.Context, dir string, open, noCommit bool, progressTo io.Writer) (*allotmentsView, error) {
	w, err := clone.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	files, err := w.Files(ctx)
	if err != nil {
		return nil, err
	}
	done, err := layer.MoveAllotments(files, nil, open)
	if err != nil {
		return nil, err
	}
	changes, after, err := with(w, files, done.Files)
	if err != nil {
		return nil, err
	}
	view := &allotmentsView{Given: done.Given, Moved: done.Moved, Open: done.Kept}
	if len(done.Given) > 0 { // only under allotments it can be evaluated what applications use
		verdict, err := vetFiles(ctx, w, after, &fleetFlags{fleet: "fleet"}, progressTo)
		if err != nil {
			return nil, err
		}
		view.InUse = slices.DeleteFunc(verdict.InUse, func(a model.Allotment) bool { return !slices.Contains(done.Given, a.Name) })
		if done, err = layer.MoveAllotments(files, view.InUse, open); err != nil {
			return nil, err
		}
		if changes, after, err = with(w, files, done.Files); err != nil {
			return nil, err
		}
	}
	for _, f := range done.Files {
		view.Files = append(view.Files, f.Name)
	}
	if len(done.Files) == 0 {
		return view, nil
	}
	if err := w.Untouched(ctx, changes...); err != nil {
		return nil, err
	}
	if err := acceptable(ctx, w, after, progressTo); err != nil {
		return nil, err
	}
	if err := w.Write(ctx, changes...); err != nil {
		return nil, err
	}
	if noCommit || !w.Git {
		return view, nil
	}
	view.Committed, _, err = w.CommitFiles(ctx, "platform: move what tenants are given to allotments\n\n"+
		"Only the platform decides what a tenant gets. The fleet means the same as before.\n", view.Files...)
	return view, err
}

// with returns the changes of some files, and all files after them.
func with(w *clone.Tree, files *clone.Files, changed []layer.Source) (changes []clone.Change, after *clone.Files, err error) {
	for _, f := range changed {
		before, err := files.ReadFile(f.Name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		changes = append(changes, clone.Change{Name: f.Name, Before: before, After: f.Data})
	}
	after, err = w.With(files, changes...)
	return changes, after, err
}

// acceptable returns an error if the platform or a tenant would be refused.
func acceptable(ctx context.Context, w *clone.Tree, files *clone.Files, progressTo io.Writer) error {
	verdict, err := vetFiles(ctx, w, files, &fleetFlags{fleet: "fleet"}, progressTo)
	if err != nil {
		return err
	}
	refuse := slices.DeleteFunc(slices.Clone(verdict.Fleet.Problems), func(x model.Problem) bool {
		return (x.Tenant != "" || verdict.Fleet.Platform != nil) && (x.App != "" || !slices.Contains(verdict.Fleet.UnusableTenants, x.Tenant))
	})
	if len(refuse) == 0 {
		return nil
	}
	return refusedFor(refuse, progressTo, "the platform or a tenant would be refused, so nothing was changed")
}

func (p *printer) allotments(v *allotmentsView) {
	if len(v.Files) == 0 {
		p.line("Every tenant has an allotment already; nothing is moved.")
		return
	}
	for _, tenant := range v.Given {
		if !slices.ContainsFunc(v.Moved, func(m layer.Moved) bool { return m.Tenant == tenant }) {
			p.line("%s is allotted nothing: it is guaranteed nothing, and no quota limits it", text.Clean(tenant))
		}
	}
	for _, a := range v.InUse {
		for _, list := range []struct {
			of    string
			words []string
		}{{"namespaces", a.Namespaces}, {"hosts", a.Hosts}, {"classes", a.Classes}, {"annotations", a.Annotations}, {"types of Services", a.Services}} {
			if len(list.words) > 0 {
				p.line("%s: %s in use are written to platform.allotments.%s: %s", text.Clean(a.Name), list.of, text.Clean(a.Name), text.Enumerate(list.words, 8))
			}
		}
	}
	for _, m := range v.Moved {
		p.line("%s: %s moved from %s to platform.allotments.%s", text.Clean(m.Tenant), m.Field, text.Clean(m.From), text.Clean(m.Tenant))
	}
	for _, tenant := range v.Open {
		p.line("%s is not locked: platform.allotments.%s says isolation \"open\", podSecurity \"baseline\", or what it said before", text.Clean(tenant), text.Clean(tenant))
	}
	if v.Committed == "" {
		p.line("%d files are edited; commit and push them", len(v.Files))
		return
	}
	p.line("%d files are committed as %s; \"git push\" puts them into force", len(v.Files), shortCommit(v.Committed))
}
