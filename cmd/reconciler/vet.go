package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
)

func newVetCommand() *cobra.Command {
	var effective string
	format := outputFormat("text")
	cmd := &cobra.Command{
		Use:   "vet [DIR]",
		Short: "Check a fleet repo on disk as the reconciler would",
		Long: `Vet checks the files of a fleet repo on disk, before they are committed, and lists what
the reconciler would refuse: all errors that "cue vet" finds, errors that it cannot find
(references between files, sums, names of directories, files that opt out of the policy),
and applications whose objects cannot be rendered. It needs no cluster and no network.

It checks the files that "git add --all" would commit: changed and new files, without
those that .gitignore names. Given a directory inside a fleet repo it checks the whole
repo, because the cause can be in another directory, and reports the errors in that
directory and in those above it.

With --effective it shows the policy in force for a tenant or an application: each
value, the layer that set it, and where.

The exit code is 0 if everything is accepted, 1 if something is refused, 2 if the check
itself failed.`,
		Example: `  # the fleet repo that this directory is in
  reconciler vet

  # what one tenant has to look after
  reconciler vet tenants/acme

  # where does this limit come from?
  reconciler vet --effective acme/shop

  # in CI, for programs
  reconciler vet -o json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeDirectory,
		RunE: inWorkTree(func(cmd *cobra.Command, w *clone.Tree) error {
			verdict, err := vetTree(cmd, w)
			if err != nil {
				return err
			}
			if effective != "" {
				return writeEffective(cmd, format, verdict, effective)
			}
			view := viewVet(verdict, w)
			if err := format.write(cmd.OutOrStdout(), view, func(p *printer) { p.vet(view) }); err != nil {
				return err
			}
			if len(view.Problems)+len(view.Refused) > 0 {
				return &exitCode{code: exitDiffers}
			}
			return nil
		}),
	}
	fl := cmd.Flags()
	fl.StringVar(&effective, "effective", "", "show the policy in force for `TENANT[/APPLICATION]`")
	fl.VarP(&format, "output", "o", outputUsage)
	return cmd
}

// vetView is what vet found, as JSON.
type vetView struct {
	Directory      string          `json:"directory"`
	Below          string          `json:"below,omitempty"` // the part that is reported
	Tenants        int             `json:"tenants"`
	Applications   int             `json:"applications"`
	RefusedTenants []string        `json:"refusedTenants"`
	Refused        []model.AppID   `json:"refused"` // applications that would stay as they are, or not start
	Problems       []model.Problem `json:"problems"`
	Notes          []string        `json:"notes"`
}

// viewVet reports the part of a verdict that was asked for.
func viewVet(v offline.Verdict, w *clone.Tree) *vetView {
	view := &vetView{
		Directory: w.Root, RefusedTenants: []string{}, Refused: []model.AppID{}, Problems: []model.Problem{}, Notes: []string{},
	}
	in := func(file string) bool { return within(w, file) }
	if w.Below != "." {
		view.Below = w.Below
	}
	for i := range v.Fleet.Tenants {
		if in(layer.TenantDir(v.Fleet.Tenants[i].Name)) {
			view.Tenants++
		}
	}
	for _, name := range v.Fleet.UnusableTenants {
		if in(layer.TenantDir(name)) {
			view.Tenants++
			view.RefusedTenants = append(view.RefusedTenants, name)
		}
	}
	for i := range v.Fleet.Applications {
		if in(layer.ApplicationDir(v.Fleet.Applications[i].ID)) {
			view.Applications++
		}
	}
	for _, u := range v.Fleet.Unusable {
		if in(layer.ApplicationDir(u.App)) {
			view.Applications++
			view.Refused = append(view.Refused, u.App)
		}
	}
	for _, p := range slices.Concat(v.Fleet.Problems, v.Approvals) {
		if file := placeOf(&p); in(file) || binds(w, file) {
			view.Problems = append(view.Problems, p)
		}
	}
	if note := staleSchema(w.Top); note != "" {
		view.Notes = append(view.Notes, note)
	}
	return view
}

// within reports whether a file or directory lies in the part that was asked for.
func within(w *clone.Tree, name string) bool {
	return w.Below == "." || name == w.Below || strings.HasPrefix(name, w.Below+"/")
}

// binds reports whether a file is one of a layer above that part.
func binds(w *clone.Tree, file string) bool {
	dir := path.Dir(file)
	return dir == "." || strings.HasPrefix(w.Below+"/", dir+"/")
}

// placeOf returns the file that a problem blames, or the directory of whose it is.
func placeOf(p *model.Problem) string {
	if len(p.Places) > 0 {
		file, _, _ := strings.Cut(p.Places[0].At, ":")
		return file
	}
	switch {
	case p.App != "":
		return layer.ApplicationDir(model.AppID{Tenant: p.Tenant, Name: p.App})
	case p.Tenant != "":
		return layer.TenantDir(p.Tenant)
	}
	return "fleet.cue"
}

// vet prints the verdict for people.
func (p *printer) vet(v *vetView) {
	for i := range v.Problems {
		p.problem("", &v.Problems[i])
		p.line("")
	}
	for _, note := range v.Notes {
		p.line("%s %s\n", p.paint(yellow, "note:"), text.Clean(note))
	}
	what := count(v.Applications, "application")
	if v.Tenants > 0 || v.Below == "" {
		what = count(v.Tenants, "tenant") + ", " + what
	}
	if len(v.Problems)+len(v.Refused) == 0 {
		p.line("%s: %s", what, p.paint(green, "accepted"))
		return
	}
	what += ": " + p.paint(red, count(len(v.Problems), "problem"))
	if n := len(v.RefusedTenants); n > 0 {
		what += fmt.Sprintf(", %s refused", count(n, "tenant"))
	}
	if n := len(v.Refused); n > 0 {
		what += fmt.Sprintf(", %s refused", count(n, "application"))
	}
	p.line("%s", what)
}

// count writes a number of things.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
