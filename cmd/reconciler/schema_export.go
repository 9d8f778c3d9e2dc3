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
		Short: "Write the shape of the layers as JSON Schema, for editors",
		Long: `Export writes what the documents of a layer look like as JSON Schema (draft 2020-12),
for editors and tools that do not speak CUE. Without an argument it writes all three
layers as files, else the one to standard output.

It holds fields, what is required, patterns, and bounds that are the same for
everybody. What depends on the policy of a fleet is left out: "reconciler vet" has
the last word.`,
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
	cmd.Flags().StringVar(&out, "out", "", "directory to write LAYER.schema.json to (default: this one)")
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
