package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/schema/jsonschema"
)

func newSchemaExportCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export [platform | tenant | application]",
		Short: "Write the schema of the layers as JSON Schema, for editors",
		Long: `Export writes the schema of a layer's documents as JSON Schema (draft 2020-12), for
editors and tools that do not read CUE. Without an argument it writes one file for each
of the three layers. With an argument it writes that layer to standard output.

The schema has the fields and what they are for, the required ones, patterns, defaults,
and the bounds that hold in every fleet. Rules that depend on the policy of a fleet are
not in it: run "reconciler vet" to check those.`,
		Example: `  reconciler schema export application
  reconciler schema export --out .schema`,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: []string{"platform", "tenant", "application"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && out == "" {
				text, err := jsonschema.Of(args[0])
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", text)
				return err
			}
			if out == "" {
				out = "."
			}
			if len(args) == 0 {
				args = []string{"platform", "tenant", "application"}
			}
			return exportSchemas(cmd, out, args)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "directory to write LAYER.schema.json to (default: the current one)")
	return cmd
}

func exportSchemas(cmd *cobra.Command, dir string, layers []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, layer := range layers {
		text, err := jsonschema.Of(layer)
		if err != nil {
			return err
		}
		name := filepath.Join(dir, layer+".schema.json")
		if err := os.WriteFile(name, append(text, '\n'), 0o644); err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout(), name)
	}
	return nil
}
