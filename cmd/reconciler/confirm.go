package main

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
)

// confirmFlags are the settings of confirm-removal.
type confirmFlags struct {
	ledgerFlags
	why      string
	noCommit bool
}

func newConfirmRemovalCommand() *cobra.Command {
	var f confirmFlags
	cmd := &cobra.Command{
		Use:   "confirm-removal [TENANT/APPLICATION[#INSTANCE] …]",
		Short: "Confirm that applications which Git does not declare any more may end",
		Long: `Confirm-removal confirms a removal that is held because it takes many applications at once.
It writes a file for each tenant into approvals/<tenant>/removals, which names the instances
that may go, and commits only these files. Push the commit, or put it into the pull request
of the removal. Merge, squash and rebase keep a file, and one about an instance that is over
confirms nothing: files of which that is so for each instance are removed at the same time.

Without an argument it confirms the removal of all applications that run and that the work
tree does not declare. An orphan, which "reconciler orphans" lists, has to be named: its
objects go, and volumes stay.`,
		Example: `  git rm -r -q tenants/acme/apps/api tenants/acme/apps/blog tenants/acme/apps/docs
  git commit -m "acme: drop three applications"
  reconciler plan
  reconciler confirm-removal -m "moved to another fleet"

  reconciler confirm-removal acme/api acme/blog
  reconciler confirm-removal acme/docs#2`,
		RunE: f.run,
	}
	fl := cmd.Flags()
	f.ledgerFlags.add(fl)
	fl.Lookup("repo").Usage = "clone of the fleet repo; the status branch is read from its origin"
	fl.StringVarP(&f.why, "why", "m", "", "reason, for the commit")
	fl.BoolVar(&f.noCommit, "no-commit", false, "leave the files in the work tree")
	return withOutput(cmd, usualOutput)
}

// confirmationView is the result of confirm-removal as JSON.
type confirmationView struct {
	Removals  []removalView `json:"removals"`
	Files     []string      `json:"files,omitempty"`     // that were written
	Over      []string      `json:"over,omitempty"`      // that were removed: what they confirm is over, or stands in a newer file
	Committed string        `json:"committed,omitempty"` // the new commit
	Signed    bool          `json:"signed"`              // the commit has a signature
}

// removalView is an instance whose removal is confirmed.
type removalView struct {
	Instance model.InstanceID `json:"instance"`
	Phase    model.Phase      `json:"phase,omitempty"`
	Objects  int              `json:"objects,omitempty"` // of an orphan
}

func (f *confirmFlags) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	w, err := clone.Open(ctx, f.repo)
	if err != nil {
		return err
	}
	defer w.Close()
	if !w.Git {
		return fmt.Errorf("%s is in no Git repository, and a removal is confirmed by a commit", w.Root)
	}
	files, err := w.Files(ctx)
	if err != nil {
		return err
	}
	reader, ledger, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer reader.close()
	c := confirmation{ledger: &ledger, files: files}
	if err := c.choose(args); err != nil {
		return err
	}
	if err := c.write(w); err != nil {
		return err
	}
	if !f.noCommit && len(c.view.Files)+len(c.view.Over) > 0 {
		if c.view.Committed, c.view.Signed, err = c.commit(ctx, w, strings.TrimSpace(f.why)); err != nil {
			return err
		}
	}
	return writeAnswer(cmd, &c.view, func(p *printer) { p.confirmation(&c.view) })
}

// confirmation finds what to confirm, and the files that say it.
type confirmation struct {
	ledger *model.Ledger
	files  fs.FS // of the work tree
	view   confirmationView
}

// choose finds the instances that the arguments name, or all that may be confirmed.
func (c *confirmation) choose(args []string) error {
	for _, name := range args {
		r, err := c.named(name)
		if err != nil {
			return err
		}
		c.view.Removals = append(c.view.Removals, r)
	}
	if len(args) == 0 {
		for i := range c.ledger.Instances {
			inst := &c.ledger.Instances[i]
			if inst.Phase.Active() && hasApplication(c.files, inst.App, "") != nil {
				c.view.Removals = append(c.view.Removals, removalView{Instance: inst.ID(), Phase: inst.Phase})
			}
		}
	}
	if len(c.view.Removals) == 0 {
		return refusal("the work tree declares every application that runs, so there is no removal to confirm")
	}
	slices.SortFunc(c.view.Removals, func(a, b removalView) int { return a.Instance.Compare(b.Instance) })
	c.view.Removals = slices.Compact(c.view.Removals)
	return nil
}

// named finds an application, or just an instance of it.
func (c *confirmation) named(name string) (r removalView, err error) {
	id, err := model.ParseInstanceID(name)
	if !strings.Contains(name, "#") {
		id.App, err = model.ParseAppID(name)
	}
	if err != nil {
		return r, err
	}
	inst, known := c.ledger.Find(id.App)
	orphan := c.orphan(id.App)
	switch {
	case orphan != nil && id.Number > 0 && id != orphan.ID():
		return r, refusal("%s is not the orphan: that is %s", id, orphan.ID())
	case orphan != nil && hasApplication(c.files, id.App, "") != nil:
		return removalView{Instance: orphan.ID(), Objects: orphan.Objects}, nil
	case orphan == nil && !known:
		return r, refusal("the status branch knows no application %s, so there is no removal to confirm; \"reconciler status\" lists all", text.Clean(id.App.String()))
	case known && !inst.Phase.Active():
		return r, refusal("%s is %s: its removal needs no confirmation", inst.ID(), inst.Phase)
	case known && id.Number > 0 && id != inst.ID():
		return r, refusal("%s is no instance that runs: that is %s", id, inst.ID())
	case hasApplication(c.files, id.App, "") == nil:
		return r, refusal("the work tree declares %s; remove tenants/%s/apps/%s first", id.App, id.App.Tenant, id.App.Name)
	}
	return removalView{Instance: inst.ID(), Phase: inst.Phase}, nil
}

// orphan returns what the cluster has of an application without a record, nil if that is
// nothing.
func (c *confirmation) orphan(app model.AppID) *model.Inventory {
	i := slices.IndexFunc(c.ledger.Orphans, func(o model.Inventory) bool { return o.App == app })
	if i < 0 {
		return nil
	}
	return &c.ledger.Orphans[i]
}

// write writes one file for each tenant: what is confirmed now, and what was confirmed
// before and is not over. CUE reads the files of a directory together, so the older files
// go.
func (c *confirmation) write(w *clone.Tree) error {
	tenants := map[string][]model.InstanceID{}
	for _, r := range c.view.Removals {
		tenants[r.Instance.App.Tenant] = append(tenants[r.Instance.App.Tenant], r.Instance)
	}
	for tenant, ids := range tenants {
		old, err := fs.Glob(c.files, path.Join("approvals", tenant, model.RemovalsDir, "*.cue"))
		if err != nil {
			return err
		}
		var over []string
		for _, name := range old {
			data, err := fs.ReadFile(c.files, name)
			if err != nil {
				return err
			}
			if before, problems := evaluate.Removals(tenant, name, data); len(problems) == 0 {
				ids = append(ids, slices.DeleteFunc(before, c.isOver)...)
				over = append(over, name)
			}
		}
		slices.SortFunc(ids, model.InstanceID.Compare)
		name, data, err := evaluate.RemovalFile(tenant, slices.Compact(ids))
		if err != nil {
			return err
		}
		if slices.Equal(over, []string{name}) {
			continue // it is confirmed already
		}
		if err := writeFile(w, name, data); err != nil {
			return err
		}
		c.view.Files = append(c.view.Files, name)
		for _, o := range over {
			if o == name {
				continue
			}
			if err := w.Top.Remove(filepath.FromSlash(o)); err != nil {
				return err
			}
			c.view.Over = append(c.view.Over, o)
		}
	}
	slices.Sort(c.view.Files)
	slices.Sort(c.view.Over)
	return nil
}

// isOver reports whether an instance does not run any more, and has left no orphan.
func (c *confirmation) isOver(id model.InstanceID) bool {
	if o := c.orphan(id.App); o != nil && o.ID() == id {
		return false
	}
	inst, known := c.ledger.Find(id.App)
	return !known || inst.Number != id.Number || !inst.Phase.Active()
}

// commit commits the files. It returns what CommitFiles does.
func (c *confirmation) commit(ctx context.Context, w *clone.Tree, why string) (string, bool, error) {
	names := make([]string, len(c.view.Removals))
	for i, r := range c.view.Removals {
		names[i] = r.Instance.String()
	}
	message := messageOf("confirm the removal of "+text.Count(len(names), "application"), why, strings.Join(names, "\n"))
	return w.CommitFiles(ctx, message, slices.Concat(c.view.Files, c.view.Over)...)
}

func (p *printer) confirmation(v *confirmationView) {
	for _, r := range v.Removals {
		is := string(r.Phase)
		if is == "" {
			is = "an orphan with " + text.Count(r.Objects, "object")
		}
		p.line("%s may go; it is %s", p.paint(bold, text.Clean(r.Instance.String())), is)
	}
	for _, f := range v.Over {
		p.line("%s is removed: what it confirms is over, or stands in the newer file", text.Clean(f))
	}
	switch names := text.Enumerate(v.Files, 5); {
	case len(v.Files)+len(v.Over) == 0:
		p.line("that is confirmed already")
	case v.Committed == "":
		p.line("%s: written; commit and push it", names)
	default:
		p.line("%s: committed as %s; \"git push\" puts it into force", names, shortCommit(v.Committed))
	}
}
