package offline

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate"
)

// LedgerKeys returns the public keys by which people check the status branch
// (platform.access.ledger), as some files declare them. It evaluates the platform alone, and
// only if its files have the word at all.
func LedgerKeys(ctx context.Context, o Options, files evaluate.Files) ([]string, error) {
	names, err := fs.Glob(files, "*.cue")
	if err != nil {
		return nil, err
	}
	said := false
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		said = said || bytes.Contains(b, []byte("ledger"))
	}
	if !said {
		return nil, nil
	}
	a, err := newAssessor(ctx, o)
	if err != nil {
		return nil, err
	}
	defer a.close()
	fleet := a.evaluator.Fleet(uncommitted, platformOnly{files}, nil)
	switch {
	case fleet.Platform == nil && len(fleet.Problems) > 0:
		return nil, errors.New(fleet.Problems[0].String())
	case fleet.Platform == nil || fleet.Platform.Access == nil:
		return nil, ctx.Err()
	}
	return fleet.Platform.Access.Ledger, nil
}

// platformOnly are the files of a repo without those of tenants.
type platformOnly struct{ evaluate.Files }

// Open hides what belongs to tenants.
func (p platformOnly) Open(name string) (fs.File, error) {
	if top, _, _ := strings.Cut(name, "/"); top == "tenants" || top == "approvals" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return p.Files.Open(name)
}
