package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
)

// requestFlags are the settings of the commands that request something of a workflow run.
type requestFlags struct {
	ledgerFlags
	runID, why string
	stage      int
	noCommit   bool
}

func (f *requestFlags) addTo(cmd *cobra.Command) *cobra.Command {
	fl := cmd.Flags()
	f.ledgerFlags.add(fl)
	fl.Lookup("repo").Usage = "clone of the fleet repo; the status branch is read from its origin"
	fl.StringVar(&f.runID, "run", "", "beginning of the run's digest; the command fails if the latest run is another")
	fl.StringVarP(&f.why, "why", "m", "", "reason, for the file and the commit")
	fl.BoolVar(&f.noCommit, "no-commit", false, "leave the file in the work tree")
	return withOutput(cmd, usualOutput)
}

// requestView is the request as JSON.
type requestView struct {
	Application string       `json:"application"`
	Run         model.Digest `json:"run"`
	Number      int          `json:"number"`            // of the run
	Release     model.Digest `json:"release,omitempty"` // retry
	Action      string       `json:"action"`
	Step        string       `json:"step,omitempty"`
	Stage       int          `json:"stage,omitempty"` // of the step
	Effect      string       `json:"effect"`          // once it is pushed
	File        string       `json:"file"`
	Committed   string       `json:"committed,omitempty"` // the new commit
	Signed      bool         `json:"signed"`              // the commit has a signature
}

// run makes a request: it writes the file and commits it.
func (f *requestFlags) run(cmd *cobra.Command, action string, args []string) error {
	ctx := cmd.Context()
	app, err := model.ParseAppID(args[0])
	if err != nil {
		return err
	}
	step := ""
	if len(args) > 1 {
		step = args[1]
	}
	w, err := clone.Open(ctx, f.repo)
	if err != nil {
		return err
	}
	defer w.Close()
	if !w.Git {
		return fmt.Errorf("%s is in no Git repository, and what is asked of a run is asked by a commit", w.Root)
	}
	reader, ledger, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer reader.close()
	r, err := newRequest(&ledger, app, action, f.runID, step, f.stage)
	if err != nil {
		return err
	}
	r.Why = strings.TrimSpace(f.why)
	view := &requestView{Application: app.String(), Run: r.Run, Release: r.Release, Action: action, Step: r.Step, Stage: r.Stage, Effect: r.effect()}
	if r.Action != model.CommandRetry {
		view.Number = r.inst.Run.Number
	}
	if view.File, err = writeApproval(w, r); err != nil {
		return err
	}
	if !f.noCommit {
		if view.Committed, view.Signed, err = commitApproval(ctx, w, r, view.File); err != nil {
			return err
		}
	}
	return writeAnswer(cmd, view, func(p *printer) { p.request(view, r) })
}

// maxSame limits the number of files that make the same request.
const maxSame = 100

// writeApproval writes the file of an approval under a new name and returns the name.
func writeApproval(w *clone.Tree, r *request) (string, error) {
	for n := 1; n <= maxSame; n++ {
		approval, data, err := evaluate.ApprovalFile(r.app, r.Command, n)
		if err != nil {
			return "", err
		}
		name := filepath.FromSlash(approval.File)
		if err := w.Top.MkdirAll(filepath.FromSlash(path.Dir(approval.File)), 0o755); err != nil {
			return "", err
		}
		file, err := w.Top.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = file.Write(data)
		return approval.File, errors.Join(err, file.Close())
	}
	return "", refusal("%d files ask for this already", maxSame)
}

// commitApproval commits the file of an approval. It returns what CommitFiles does.
func commitApproval(ctx context.Context, w *clone.Tree, r *request, file string) (string, bool, error) {
	what := strings.TrimSpace(r.Action + " " + r.Step)
	if r.Stage > 0 {
		what += fmt.Sprintf(", stage %d", r.Stage)
	}
	about := fmt.Sprintf("It is about release %s.", r.Release)
	if r.Action != model.CommandRetry {
		about = fmt.Sprintf("It is about run %d, %s.", r.inst.Run.Number, r.Run)
	}
	return w.CommitFiles(ctx, messageOf(fmt.Sprintf("%s: %s", r.app, what), r.Why, about), file)
}

func (p *printer) request(v *requestView, r *request) {
	p.line("%s: it %s", p.paint(bold, text.Clean(v.Application)), text.Clean(v.Effect))
	p.committed(v.File, v.Committed, "written")
	if v.Committed != "" && len(r.roles()) > 0 && !v.Signed && v.Action == model.CommandApprove {
		p.line("%s", p.paint(yellow, "the commit is not signed, so it gives no role: git config commit.gpgsign true, then git commit --amend --no-edit -S"))
	}
}
