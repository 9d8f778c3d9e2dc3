package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
)

// pinFlags are the settings of pin and unpin.
type pinFlags struct {
	dir, message string
	noCommit     bool
}

func (f *pinFlags) addTo(cmd *cobra.Command) *cobra.Command {
	fl := cmd.Flags()
	fl.StringVar(&f.dir, "repo", ".", "clone of the fleet repo")
	fl.StringVarP(&f.message, "message", "m", "", "reason, for the commit message")
	fl.BoolVar(&f.noCommit, "no-commit", false, "leave the edit in the work tree")
	return withOutput(cmd, usualOutput)
}

func newPinCommand() *cobra.Command {
	var f pinFlags
	cmd := &cobra.Command{
		Use:   "pin TENANT/APPLICATION COMMIT",
		Short: "Run an application as of an earlier commit",
		Long: `Pin rolls an application back: it runs as its directory was at a commit, under today's
policy of the platform and the tenant. The command writes the pin into the tenant's file
without other changes, checks the result as vet does, and commits only that file. Push
the commit to put it into force.

COMMIT is a full or abbreviated hash, or anything else that git understands, such as
HEAD~3 or a tag. The current commit must descend from it.`,
		Example: `  # which commits changed the application?
  git log --oneline -- tenants/acme/apps/shop
  reconciler pin acme/shop 3f2a91c -m "1.5 loses orders"
  git push

  reconciler pin acme/shop HEAD~1 --no-commit`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, args[0], args[1])
		},
	}
	return f.addTo(cmd)
}

func newUnpinCommand() *cobra.Command {
	var f pinFlags
	cmd := &cobra.Command{
		Use:   "unpin TENANT/APPLICATION",
		Short: "Let a pinned application follow the branch again",
		Long: `Unpin removes the pin of an application from the tenant's file without other changes,
checks the result as vet does, and commits only that file. Push the commit to put it into
force: the application then runs as the branch declares it.`,
		Example: `  reconciler unpin acme/shop
  git push`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, args[0], "")
		},
	}
	return f.addTo(cmd)
}

// pinView is the result of pin or unpin as JSON.
type pinView struct {
	Application string `json:"application"`
	Commit      string `json:"commit,omitempty"` // the new pin
	Was         string `json:"was,omitempty"`    // the pin before
	File        string `json:"file,omitempty"`
	Changed     bool   `json:"changed"`
	Committed   string `json:"committed,omitempty"` // the new commit
}

// run pins an application to a commit, or to none.
func (f *pinFlags) run(cmd *cobra.Command, name, revision string) error {
	ctx := cmd.Context()
	app, err := model.ParseAppID(name)
	if err != nil {
		return err
	}
	w, err := clone.Open(ctx, f.dir)
	if err != nil {
		return err
	}
	defer w.Close()
	if !w.Git {
		return fmt.Errorf("%s is in no Git repository, so there is no commit to pin to", w.Root)
	}
	files, err := w.Files(ctx)
	if err != nil {
		return err
	}
	if err := hasApplication(files, app, ""); err != nil {
		return err
	}
	view := &pinView{Application: app.String()}
	var edit layer.PinEdit
	if revision == "" {
		edit, err = layer.Unpin(files, app)
	} else if view.Commit, err = resolve(ctx, w, app, revision); err == nil {
		edit, err = layer.Pin(files, app, view.Commit)
	}
	if err != nil {
		return err
	}
	view.File, view.Was = edit.File, edit.Was
	if view.Changed = edit.File != "" && edit.Was != view.Commit; view.Changed {
		if err := carryOut(ctx, w, files, edit, app, cmd.ErrOrStderr()); err != nil {
			return err
		}
	}
	if view.Changed && !f.noCommit {
		if view.Committed, err = commitPin(ctx, w, view, app, f.message); err != nil {
			return err
		}
	}
	return writeAnswer(cmd, view, func(p *printer) { p.pin(view) })
}

// hasApplication returns an error unless a tree declares an application. The tree is that of a commit; "" stands for the
// work tree.
func hasApplication(files fs.FS, app model.AppID, commit string) error {
	if !model.ValidName(app.Tenant) || !model.ValidName(app.Name) {
		return fmt.Errorf("%s: %s", app, nameRule)
	}
	found, err := fs.Glob(files, layer.ApplicationDir(app)+"/*.cue")
	switch {
	case err != nil:
		return err
	case len(found) > 0:
		return nil
	case commit == "":
		return fmt.Errorf("there is no application %s: %s has no CUE file", app, layer.ApplicationDir(app))
	}
	return fmt.Errorf("commit %s has no application %s; \"git log --oneline -- %s\" lists those that may have it", shortCommit(commit), app, layer.ApplicationDir(app))
}

// resolve returns the whole hash of a revision that an application can be pinned to.
func resolve(ctx context.Context, w *clone.Tree, app model.AppID, revision string) (string, error) {
	commit, err := clone.Line(ctx, w.Root, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		if source.IsCommit(revision) {
			return "", w.Reaches(ctx, "HEAD", revision)
		}
		return "", fmt.Errorf("%q names no commit of this clone", revision)
	}
	if err := w.Reaches(ctx, "HEAD", commit); err != nil {
		return "", fmt.Errorf("%w; only a commit that HEAD descends from can be pinned", err)
	}
	files, err := w.Commit(ctx, commit)
	if err != nil {
		return "", err
	}
	return commit, hasApplication(files, app, commit)
}

// carryOut writes an edit, unless the file has uncommitted changes or the reconciler would refuse the result.
func carryOut(ctx context.Context, w *clone.Tree, files *clone.Files, edit layer.PinEdit, app model.AppID, progressTo io.Writer) error {
	before, err := files.ReadFile(edit.File)
	if err != nil {
		return err
	}
	after, err := w.With(files, clone.Change{Name: edit.File, After: edit.Data})
	if err != nil {
		return err
	}
	verdict, err := vetFiles(ctx, w, after, &fleetFlags{fleet: "fleet"}, progressTo)
	if err != nil {
		return err
	}
	if problems := verdict.Against(app); len(problems) > 0 {
		return refusedFor(problems, progressTo, "%s would be refused, so nothing was changed", app)
	}
	return w.Write(ctx, clone.Change{Name: edit.File, Before: before, After: edit.Data})
}

// commitPin commits the edited file and returns the commit.
func commitPin(ctx context.Context, w *clone.Tree, v *pinView, app model.AppID, why string) (string, error) {
	subject, what := fmt.Sprintf("%s: unpin %s", app.Tenant, app.Name), "It follows the branch again."
	if v.Commit != "" {
		subject = fmt.Sprintf("%s: pin %s to %s", app.Tenant, app.Name, shortCommit(v.Commit))
		about, err := clone.Line(ctx, w.Root, "show", "--no-patch", "--date=short", "--format=%h (%ad, %s)", v.Commit)
		if err != nil {
			return "", err
		}
		what = "It runs as of " + text.Clean(about) + ",\nunder the policy of today."
	}
	if v.Was != "" {
		what += "\nIt was pinned to " + text.Clean(v.Was) + "."
	}
	commit, _, err := w.CommitFiles(ctx, messageOf(subject, why, what), v.File)
	return commit, err
}

func (p *printer) pin(v *pinView) {
	app := p.paint(bold, text.Clean(v.Application))
	switch {
	case !v.Changed && v.Commit == "":
		p.line("%s is not pinned", app)
		return
	case !v.Changed:
		p.line("%s is pinned to %s already", app, shortCommit(v.Commit))
		return
	case v.Commit == "":
		p.line("%s follows the branch again; it was pinned to %s", app, shortCommit(v.Was))
	case v.Was != "":
		p.line("%s is pinned to %s; it was pinned to %s", app, shortCommit(v.Commit), shortCommit(v.Was))
	default:
		p.line("%s is pinned to %s", app, shortCommit(v.Commit))
	}
	p.committed(v.File, v.Committed, "edited")
}
