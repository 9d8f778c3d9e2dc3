package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Outcomes of a replayed decision.
const (
	replayEqual   = "equal"
	replayDiffers = "differs"
	replayUnknown = "unknown" // it could not be made again
)

// replayView is what replay found, as JSON.
type replayView struct {
	Equal   int             `json:"equal"`
	Differs int             `json:"differs"`
	Unknown int             `json:"unknown"`
	Commits []*replayCommit `json:"commits"` // that hold decisions, latest first
}

// replayCommit is one commit of the status branch whose decisions were made again.
type replayCommit struct {
	Commit    string           `json:"commit"`
	Source    string           `json:"sourceCommit"`
	Problem   string           `json:"problem,omitempty"` // why its decisions cannot be made again
	Decisions []replayDecision `json:"decisions"`
}

// replayDecision is one decision that was made again.
type replayDecision struct {
	App        model.AppID     `json:"application"`
	Verdict    model.Verdict   `json:"verdict"`
	Outcome    string          `json:"outcome"` // equal | differs | unknown
	Recorded   model.Digest    `json:"recorded"`
	Recomputed model.Digest    `json:"recomputed,omitempty"`
	Was        *model.Decision `json:"was,omitempty"` // of those that differ
	Is         *model.Decision `json:"is,omitempty"`
}

func newReplayCommand() *cobra.Command {
	var f replayFlags
	format := outputFormat("text")
	cmd := &cobra.Command{
		Use:   "replay [STATUS-COMMIT] [TENANT/APPLICATION]",
		Short: "Compute recorded decisions again and compare",
		Long: `Replay computes the decisions of a commit of the status branch again. The inputs are on
the branch: the ledger before the commit, the capacity that was observed, the time, and
the source commit, which replay reads from the fleet repo. Equal inputs give equal
decisions: replay reports each decision as equal, or shows both.

Without STATUS-COMMIT it starts with the newest commit. A decision that a commit took over
unchanged was made by an earlier commit and is compared there. With an application, replay
goes back to the commit that made its last decision.

Replay decides as this version of the program does. Another version may decide otherwise,
and replay shows where. The exit code is 0 if all decisions are equal, 1 if one differs or
cannot be computed again, 2 if replay itself failed.`,
		Example: `  # was the last decision about shop correct?
  reconciler replay acme/shop

  # the last hundred commits, after an upgrade, on a test machine
  reconciler replay --repo https://git.example.com/acme/fleet.git -n 100

  reconciler replay 3f2a91c acme/shop -o json`,
		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			view, err := f.replay(cmd.Context(), args, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if err := format.write(cmd.OutOrStdout(), view, func(p *printer) { p.replay(view) }); err != nil {
				return err
			}
			if view.Differs+view.Unknown > 0 {
				return &exitCode{code: exitDiffers}
			}
			return nil
		},
	}
	fl := cmd.Flags()
	f.add(fl)
	fl.StringVar(&f.branch, "branch", "main", "branch that declares the fleet")
	fl.IntVarP(&f.number, "number", "n", 1, "number of commits with decisions to replay")
	fl.StringVar(&f.fleet, "fleet", "fleet", "name of the fleet, as given to run")
	fl.StringVar(&f.prefix, "namespace-prefix", "", "prefix of every namespace, as given to run")
	fl.VarP(&format, "output", "o", outputUsage)
	return cmd
}

// replayFlags say what is made again.
type replayFlags struct {
	ledgerFlags
	branch, fleet, prefix string
	number                int
}

func (f *replayFlags) replay(ctx context.Context, args []string, progressTo io.Writer) (*replayView, error) {
	if f.number < 1 {
		return nil, fmt.Errorf("-n %d: must be positive", f.number)
	}
	commit, app, err := replayArgs(args)
	if err != nil {
		return nil, err
	}
	r, err := f.openReplayer(ctx, progressTo)
	if err != nil {
		return nil, err
	}
	defer r.close()
	defer func() {
		for _, note := range r.notes {
			fmt.Fprintln(progressTo, text.Clean(note))
		}
	}()
	at, err := r.find(commit)
	if err != nil {
		return nil, err
	}
	view := &replayView{Commits: []*replayCommit{}}
	for !at.IsZero() && len(view.Commits) < f.number {
		made, before, err := r.commit(ctx, at, app)
		if err != nil {
			return nil, err
		}
		if made != nil {
			view.add(made)
		}
		at = before
	}
	if len(view.Commits) == 0 && app != (model.AppID{}) {
		return nil, fmt.Errorf("the status branch has no decision about %s there", app)
	}
	return view, nil
}

// replayArgs tells a commit from an application.
func replayArgs(args []string) (commit string, app model.AppID, err error) {
	for _, arg := range args {
		if isApp := slices.Contains([]byte(arg), '/'); isApp && app == (model.AppID{}) {
			if app, err = model.ParseAppID(arg); err != nil {
				return "", app, err
			}
			continue
		}
		if commit != "" {
			return "", app, errors.New("give one commit and one application at most")
		}
		commit = arg
	}
	return commit, app, nil
}

func (v *replayView) add(c *replayCommit) {
	v.Commits = append(v.Commits, c)
	for _, d := range c.Decisions {
		switch d.Outcome {
		case replayEqual:
			v.Equal++
		case replayDiffers:
			v.Differs++
		default:
			v.Unknown++
		}
	}
}
