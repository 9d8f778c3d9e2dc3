package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/signkey"
	"github.com/d-aros/d-aros/pkg/status"
)

func newCompactCommand() *cobra.Command {
	var from ledgerFlags
	var days int
	var signKey string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "compact",
		Short: "Fold the old history of the status branch into a checkpoint",
		Long: `Compact shortens the history of the status branch. One commit without parents, the
checkpoint, replaces all commits older than --days. The newer commits follow it with the
same content, message and time. The state of the branch stays the same, and every record
keeps its last transitions. The server frees the space at its next garbage collection.

The branch is moved by compare-and-swap, so a running reconciler loses nothing: at its next
save it notices that the branch was moved, reads it and goes on. The server must allow the
credential to rewrite the branch. Clones follow with
"git fetch origin +status:refs/remotes/origin/status".

A signed branch needs --status-key, which signs each commit again that verified before.
Of another one --sign-key signs the checkpoint, which proves who made it. To keep the old history,
copy the branch first; the checkpoint names its last commit.

The exit code is 0, or 1 with --dry-run if there are commits to fold.`,
		Example: `  reconciler compact --repo https://git.example.com/acme/fleet.git --token-file token --days 90
  reconciler compact --dry-run

  # keep what goes away, sign what stays
  git fetch origin status && git push backup FETCH_HEAD:refs/heads/status-2026
  reconciler compact --days 30 --sign-key ~/.ssh/id_ed25519`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if days < 1 {
				return fmt.Errorf("--days %d: must be positive", days)
			}
			o := status.CompactOptions{Since: present().Add(-time.Duration(days) * 24 * time.Hour), DryRun: dryRun}
			if signKey != "" && from.sign.key != "" {
				return errors.New("--sign-key is for a branch that is not signed; --status-key signs every commit")
			}
			if signKey != "" {
				key, err := signkey.Read(signKey, signkey.Git)
				if err != nil {
					return fmt.Errorf("read --sign-key: %w", err)
				}
				o.Signer = key
			}
			r, err := from.openToWrite(cmd)
			if err != nil {
				return err
			}
			defer r.close()
			done, err := r.branch.Compact(cmd.Context(), o)
			if err != nil {
				return err
			}
			return orDiffers(writeAnswer(cmd, done, func(p *printer) { p.compaction(&done, dryRun) }), dryRun && done.Folded > 0)
		},
	}
	fl := cmd.Flags()
	from.add(fl)
	from.sign.add(fl)
	from.sign.addTrust(fl, "whose commits of the status branch are believed, too")
	fl.IntVar(&days, "days", 90, "number of days of history to keep")
	fl.StringVar(&signKey, "sign-key", "", "private `KEY` to sign the checkpoint of an unsigned branch with: SSH, or armored OpenPGP, without passphrase")
	fl.BoolVar(&dryRun, "dry-run", false, "print what would be folded and change nothing")
	return withOutput(cmd, usualOutput)
}

func (p *printer) compaction(c *status.Compaction, dryRun bool) {
	if c.Folded == 0 {
		p.line("Nothing to fold: all %d commits are kept.", c.Kept)
		return
	}
	folded := "folded"
	if dryRun {
		folded = "would be folded"
	}
	p.line("%d commits until %s %s into checkpoint %s; %d newer ones are kept.",
		c.Folded, moment(c.Time), folded, shortCommit(c.Checkpoint), c.Kept)
}
