package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
)

func newCodeownersCommand() *cobra.Command {
	var check, force bool
	var file string
	cmd := &cobra.Command{
		Use:   "codeowners [DIR]",
		Short: "Write CODEOWNERS from the access that the fleet repo declares",
		Long: `Codeowners writes the file from which GitHub, GitLab and others choose reviewers. It takes
the owners from access in the platform and the tenants: platform admins own everything,
admins of a tenant own its directory, and owners of an application own its directory and
its approvals. A principal appears by its handle, else as @ and its name.

It commits nothing. It overwrites only a file that it wrote itself, unless --force is given.
With --check it changes no file, and the exit code is 1 if the file is out of date.`,
		Example: `  reconciler codeowners
  reconciler codeowners --file .gitlab/CODEOWNERS

  # in CI
  reconciler codeowners --check`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeDirectory,
		RunE: inWorkTree(func(cmd *cobra.Command, w *clone.Tree) error {
			verdict, err := vetTree(cmd, w, &fleetFlags{fleet: "fleet"})
			if err != nil {
				return err
			}
			wanted, err := codeownersOf(&verdict.Fleet)
			if err != nil {
				return err
			}
			view, err := compareOwners(w, file, wanted)
			if err != nil {
				return err
			}
			if view.Change != "" && !check {
				if view.foreign && !force {
					return fmt.Errorf("%s is not of this command; --force writes over it", view.File)
				}
				if err := writeFile(w, view.File, wanted); err != nil {
					return err
				}
				view.Written = true
			}
			return orDiffers(writeAnswer(cmd, view, func(p *printer) { p.codeowners(view) }), view.Change != "" && check)
		}),
	}
	fl := cmd.Flags()
	fl.BoolVar(&check, "check", false, "change no file; exit with 1 if the file is out of date")
	fl.BoolVar(&force, "force", false, "overwrite a file that this command did not write")
	fl.StringVar(&file, "file", "", "`FILE` in the repo (default: the existing one, else CODEOWNERS)")
	return withOutput(cmd, usualOutput)
}

// codeownersOf returns the file for the declared access. If a layer is refused, its owners are unknown, and the result is
// an error.
func codeownersOf(fleet *model.Fleet) ([]byte, error) {
	switch {
	case fleet.Platform == nil:
		return nil, &exitCode{exitDiffers, "the platform is refused, so nobody owns anything; \"reconciler vet\" says why"}
	case len(fleet.UnusableTenants) > 0:
		return nil, &exitCode{exitDiffers, fmt.Sprintf("%s refused, so their owners are not known; \"reconciler vet\" says why", text.Enumerate(fleet.UnusableTenants, 8))}
	}
	said := fleet.Platform.Access != nil && len(fleet.Platform.Access.Admins) > 0
	for i := range fleet.Tenants {
		said = said || fleet.Tenants[i].Access != nil
	}
	if !said {
		return nil, errors.New("the fleet names no owners; write platform.access, for example: access: {principals: ann: {}, admins: [\"ann\"]}")
	}
	return access.Codeowners(access.New(fleet.Platform, fleet.Tenants)), nil
}

// ownersView is the result as JSON.
type ownersView struct {
	Directory string `json:"directory"`
	File      string `json:"file"`
	Change    string `json:"change,omitempty"` // added or changed
	Written   bool   `json:"written"`
	foreign   bool   // the existing file has another author
}

// places are where Git hosts look for the file.
var places = []string{"CODEOWNERS", ".github/CODEOWNERS", ".gitlab/CODEOWNERS", "docs/CODEOWNERS"}

// compareOwners compares the file on disk with the wanted one.
func compareOwners(w *clone.Tree, file string, wanted []byte) (*ownersView, error) {
	if file == "" {
		file = places[max(0, slices.IndexFunc(places, func(place string) bool {
			_, err := w.Top.Lstat(filepath.FromSlash(place))
			return err == nil
		}))]
	}
	view := &ownersView{Directory: w.Root, File: file}
	have, err := w.Read(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		view.Change = "added"
	case err != nil:
		return nil, err
	case !bytes.Equal(have, wanted):
		view.Change = "changed"
		mark, _, _ := strings.Cut(string(wanted), "\n")
		view.foreign = len(bytes.TrimSpace(have)) > 0 && !strings.HasPrefix(string(have), mark+"\n")
	}
	return view, nil
}

// writeFile writes a file of a work tree, whatever it was before.
func writeFile(w *clone.Tree, file string, data []byte) error {
	if err := w.Top.MkdirAll(filepath.Dir(filepath.FromSlash(file)), 0o755); err != nil {
		return err
	}
	return w.Top.WriteFile(filepath.FromSlash(file), data, 0o644)
}

func (p *printer) codeowners(v *ownersView) {
	file := text.Clean(v.File)
	switch {
	case v.Change == "":
		p.line("%s is up to date", file)
	case v.Written:
		p.line("%s is %s; commit it", file, map[string]string{"added": "written", "changed": "brought up to date"}[v.Change])
	case v.Change == "added":
		p.line("%s is missing; \"reconciler codeowners\" writes it", file)
	default:
		p.line("%s is out of date; \"reconciler codeowners\" writes it", file)
	}
}
