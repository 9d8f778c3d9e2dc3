//go:build linux

package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/pkg/qos"
)

// version is what "version -o json" prints.
type version struct {
	buildinfo.Info
	Plans []string `json:"plans"` // the API versions of the plans that this agent reads
}

func newVersion() *cobra.Command {
	return withOutput(&cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program and of the plans that it reads",
		Example: "  nodeagent version\n  nodeagent version -o json | jq -r .commit",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := version{buildinfo.Read(), []string{qos.APIVersion}}
			return output(cmd, v, func(w io.Writer) {
				fmt.Fprintf(w, "nodeagent  %s\ncommit     %s\ngo         %s\n", v.Version, cmp.Or(v.Commit, "unknown"), v.Go)
				for _, plan := range v.Plans {
					fmt.Fprintf(w, "plans      %s\n", plan)
				}
			})
		},
	})
}
