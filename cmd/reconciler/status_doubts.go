package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
)

// doubts returns why no key vouches for a commit of a branch that was read, "" if one does. The keys are those of
// --status-trust, else those that the clone's fleet declares. Without keys nothing is doubted.
func (f *ledgerFlags) doubts(cmd *cobra.Command, r *ledgerReader) (func(commit string) string, error) {
	lines, from := "", "--status-trust"
	if f.sign.trust != "" {
		b, err := os.ReadFile(f.sign.trust)
		if err != nil {
			return nil, fmt.Errorf("read --status-trust: %w", err)
		}
		lines, from = string(b), from+": "+f.sign.trust
	} else {
		declared, err := declaredKeys(cmd, r)
		if err != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), text.Clean(fmt.Sprintf("note: nothing is verified: read platform.access.ledger: %v", err)))
		}
		lines, from = strings.Join(declared, "\n"), "platform.access.ledger"
	}
	keys, err := access.ParseKeys(lines)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", from, err)
	}
	if keys.Len() == 0 && f.sign.trust == "" {
		return func(string) string { return "" }, nil
	}
	return func(commit string) string { return r.branch.Doubt(keys, commit) }, nil
}

// declaredKeys returns the keys that the fleet declares for people. They come from the fleet's own branch: whoever can
// write to the status branch could name any key there.
func declaredKeys(cmd *cobra.Command, r *ledgerReader) ([]string, error) {
	if r.clone == "" {
		return nil, nil
	}
	w, files, err := clone.Declared(cmd.Context(), r.clone)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if files == nil {
		return nil, nil
	}
	o, err := (&fleetFlags{fleet: "fleet"}).options(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	return offline.LedgerKeys(cmd.Context(), o, files)
}
