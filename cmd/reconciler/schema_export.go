package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/schema/jsonschema"
)

func newSchemaExportCommand() *cobra.Command {
	var out, repo, tenant string
	cmd := &cobra.Command{
		Use:   "export [platform | tenant | application]",
		Short: "Write the schema of the layers as JSON Schema, for editors",
		Long: `Export writes the schema of a layer's documents as JSON Schema (draft 2020-12), for
editors and tools that do not read CUE. Without an argument it writes one file for each
of the three layers. With an argument it writes that layer to standard output.

The schema has the fields and what they are for, the required ones, patterns, defaults,
and the bounds that hold in every fleet. With --repo it also has the types and traits that
the platform of that fleet defines, and with --tenant those of a tenant. Rules that depend on
the policy of a fleet are not in it: run "reconciler vet" to check those.`,
		Example: `  reconciler schema export application
  reconciler schema export application --repo . --tenant acme
  reconciler schema export --out .schema`,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: []string{"platform", "tenant", "application"},
		RunE: func(cmd *cobra.Command, args []string) error {
			of := func(layer string) ([]byte, error) { return jsonschema.Of(layer) }
			switch {
			case repo != "":
				w, err := clone.Open(cmd.Context(), repo)
				if err != nil {
					return err
				}
				defer w.Close()
				files, err := w.Files(cmd.Context())
				if err != nil {
					return err
				}
				if _, missing := fs.Stat(files, "tenants/"+tenant); tenant != "" && (!model.ValidName(tenant) || missing != nil) {
					return fmt.Errorf("%s has no tenant %s", repo, text.Clean(tenant))
				}
				of = func(layer string) ([]byte, error) { return offline.SchemaOf(layer, files, tenant) }
			case tenant != "":
				return errors.New("--tenant names a tenant of a fleet repo: add --repo DIR")
			}
			if len(args) == 1 && out == "" {
				said, err := of(args[0])
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", said)
				return err
			}
			out = cmp.Or(out, ".")
			if len(args) == 0 {
				args = []string{"platform", "tenant", "application"}
			}
			if err := os.MkdirAll(out, 0o755); err != nil {
				return err
			}
			for _, layer := range args {
				said, err := of(layer)
				if err != nil {
					return err
				}
				name := filepath.Join(out, layer+".schema.json")
				if err := os.WriteFile(name, append(said, '\n'), 0o644); err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), name)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "directory to write LAYER.schema.json to (default: the current one)")
	cmd.Flags().StringVar(&repo, "repo", "", "fleet repo whose definitions it has (default: none)")
	cmd.Flags().StringVar(&tenant, "tenant", "", "tenant of that repo whose definitions it has, too")
	return cmd
}
