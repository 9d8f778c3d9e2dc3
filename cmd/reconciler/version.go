package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/text"
)

// versionView is what the version command prints, and its JSON.
type versionView struct {
	buildinfo.Info
	Formats formatsView    `json:"statusFormats"`
	Fleet   *status.Newest `json:"fleet,omitempty"` // newest commit of the status branch, with --repo
}

// formatsView are the major formats of the status branch that this program knows.
type formatsView struct {
	Read  []int `json:"read"`
	Write []int `json:"write"` // the first is what run writes, the others what migrate can
}

func viewFormats() (v formatsView) {
	for major := status.Oldest; major <= status.Current.Major; major++ {
		v.Read, v.Write = append(v.Read, major), append([]int{major}, v.Write...)
	}
	return v
}

func newVersionCommand() *cobra.Command {
	var from ledgerFlags
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program, and of the one that runs the fleet",
		Long: `Version prints the version of this program and the formats of the status branch that it
reads and writes. With --repo it also prints the program that wrote the newest commit of
the status branch. Use the same version in CI, so that plan decides as the reconciler of
the fleet does.`,
		Example: `  reconciler version

  # who runs the fleet of this clone?
  reconciler version --repo .

  # for programs
  reconciler version --repo . -o json | jq -r .fleet.writtenBy`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			view := versionView{Info: buildinfo.Read(), Formats: viewFormats()}
			if from.repo != "" {
				r, newest, err := from.newest(cmd)
				if err != nil {
					return err
				}
				defer r.close()
				view.Fleet = &newest
			}
			return writeAnswer(cmd, view, func(p *printer) { p.version(&view) })
		},
	}
	from.add(cmd.Flags())
	repo := cmd.Flags().Lookup("repo")
	from.repo, repo.DefValue = "", ""
	repo.Usage += "; tells who runs the fleet"
	return withOutput(cmd, usualOutput)
}

func (p *printer) version(v *versionView) {
	p.line("reconciler  %s", v.Version)
	p.line("commit      %s", cmp.Or(v.Commit, "unknown"))
	p.line("go          %s", v.Go)
	p.line("formats     of the status branch: reads %s, writes %s", text.Enumerate(v.Formats.Read, 9), text.Enumerate(v.Formats.Write, 9))
	if v.Fleet != nil {
		by := cmp.Or(text.Clean(v.Fleet.WrittenBy), "a program that does not write its version: one older than v0.1.0")
		p.line("fleet       run by %s (format %s, status commit %s, %s ago)", by, v.Fleet.Format, shortCommit(v.Fleet.Commit), age(p.now.Sub(v.Fleet.Time)))
	}
}
