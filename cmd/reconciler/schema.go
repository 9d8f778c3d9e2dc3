package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/schema"
)

func newSchemaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Update or export the schema of a fleet repo",
		Long: `A fleet repo has a copy of the schema, so that "cue vet" and editors work right after a
clone. The reconciler itself always uses its built-in schema.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSchemaUpdateCommand(), newSchemaExportCommand())
	return cmd
}

func newSchemaUpdateCommand() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "update [DIR]",
		Short: "Update a fleet repo's copy of the schema",
		Long: `Update replaces the copy of the schema in a fleet repo by the schema of this program, and
lists the files that changed. It commits nothing.

With --check it changes no file, and the exit code is 1 if the copy is out of date.`,
		Example: `  reconciler schema update
  reconciler schema update --check ../fleet`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeDirectory,
		RunE: inWorkTree(func(cmd *cobra.Command, w *clone.Tree) error {
			changes, err := schemaChanges(w.Top)
			if err != nil {
				return err
			}
			if !check {
				if err := updateSchema(w.Top, changes); err != nil {
					return err
				}
			}
			view := schemaView{w.Root, vendoredSchema, schema.Digest(), !check, changes}
			return orDiffers(writeAnswer(cmd, view, func(p *printer) { p.schema(&view) }), check && len(changes) > 0)
		}),
	}
	cmd.Flags().BoolVar(&check, "check", false, "change no file; exit with 1 if the copy is out of date")
	return withOutput(cmd, usualOutput)
}

// vendoredSchema is the directory of the copy in a fleet repo.
const vendoredSchema = "cue.mod/pkg/" + schema.ImportPath

// schemaView is the result of schema update as JSON.
type schemaView struct {
	Directory string         `json:"directory"`
	Path      string         `json:"path"`
	Digest    string         `json:"digest"` // of the schema of this reconciler
	Written   bool           `json:"written"`
	Changes   []schemaChange `json:"changes"`
}

// schemaChange is a file of the copy that differs from the schema.
type schemaChange struct {
	File   string `json:"file"`
	Change string `json:"change"` // added, changed or removed
	data   []byte
}

// schemaChanges compares the copy in a fleet repo with the schema.
func schemaChanges(top *os.Root) ([]schemaChange, error) {
	changes := []schemaChange{}
	known := map[string]bool{}
	for _, f := range schema.Files() {
		known[f.Name] = true
		have, err := top.ReadFile(filepath.FromSlash(vendoredSchema + "/" + f.Name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			changes = append(changes, schemaChange{f.Name, "added", f.Data})
		case err != nil:
			return nil, err
		case !bytes.Equal(have, f.Data):
			changes = append(changes, schemaChange{f.Name, "changed", f.Data})
		}
	}
	entries, err := fs.ReadDir(top.FS(), vendoredSchema)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		// Any other CUE file in the directory would be part of the package.
		if name := e.Name(); !known[name] && strings.HasSuffix(name, ".cue") && !e.IsDir() {
			changes = append(changes, schemaChange{File: name, Change: "removed"})
		}
	}
	slices.SortFunc(changes, func(a, b schemaChange) int { return strings.Compare(a.File, b.File) })
	return changes, nil
}

// updateSchema writes and removes the files that differ.
func updateSchema(top *os.Root, changes []schemaChange) error {
	if err := top.MkdirAll(filepath.FromSlash(vendoredSchema), 0o755); err != nil {
		return err
	}
	for _, c := range changes {
		name := filepath.FromSlash(vendoredSchema + "/" + c.File)
		var err error
		if c.Change == "removed" {
			err = top.Remove(name)
		} else {
			err = top.WriteFile(name, c.data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// staleSchema returns a note if the copy of a fleet repo differs from the schema, else "".
func staleSchema(top *os.Root) string {
	changes, err := schemaChanges(top)
	if err != nil || len(changes) == 0 {
		return ""
	}
	return fmt.Sprintf("the copy of the schema differs from that of this reconciler in %s, so \"cue vet\" may say something else; \"reconciler schema update\" brings it up to date", text.Count(len(changes), "file"))
}

func (p *printer) schema(v *schemaView) {
	if len(v.Changes) == 0 {
		p.line("%s is up to date", v.Path)
		return
	}
	for _, c := range v.Changes {
		s := map[string]style{"added": green, "changed": yellow, "removed": red}[c.Change]
		p.line("%s  %s/%s", p.paint(s, fmt.Sprintf("%-7s", c.Change)), v.Path, text.Clean(c.File))
	}
	if !v.Written {
		p.line("%s to change; \"reconciler schema update\" does it", text.Count(len(v.Changes), "file"))
		return
	}
	p.line("%s written or removed; check with \"reconciler vet\", then commit", text.Count(len(v.Changes), "file"))
}
