package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
)

// mergeFlags are the settings of the commands by which people answer for the commits of a branch.
type mergeFlags struct {
	dir, into, message string
	noPush             bool
}

func (f *mergeFlags) addTo(cmd *cobra.Command) *cobra.Command {
	fl := cmd.Flags()
	fl.StringVar(&f.dir, "repo", ".", "clone of the fleet repo")
	fl.StringVar(&f.into, "into", "main", "branch that the reconciler follows")
	fl.StringVarP(&f.message, "message", "m", "", "reason, for the commit message")
	fl.BoolVar(&f.noPush, "no-push", false, "make the commit and do not push it")
	return withOutput(cmd, usualOutput)
}

func newMergeCommand() *cobra.Command {
	var f mergeFlags
	cmd := &cobra.Command{
		Use:   "merge BRANCH",
		Short: "Merge a branch with your signature, and push the merge",
		Long: `Merge makes the merge of a branch that your Git host may not make in a fleet that asks for
signatures. It fetches from origin, merges the branch into the one that the reconciler
follows, signs the merge and checks it as the reconciler does: the result as vet does, and
who may change what. A merge that would be refused is not pushed. In a fleet with an audience
the merge is your statement for all that it brings, so read the changes first.

It signs as git is configured to sign (gpg.format, user.signingkey), and changes neither
the work tree nor a branch of the clone.`,
		Example: `  git diff main...origin/larger-pool
  reconciler merge larger-pool -m "approved in the meeting of Monday"

  reconciler merge larger-pool --no-push`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0], mergeOf) },
	}
	return f.addTo(cmd)
}

func newReviewCommand() *cobra.Command {
	var f mergeFlags
	cmd := &cobra.Command{
		Use:   "review BRANCH",
		Short: "State with your signature that a branch is for this fleet, and push that",
		Long: `Review adds an empty, signed commit to a branch: your statement that all behind it is for
this fleet and for the branch that the reconciler follows. It counts for what you may
change, and as one of the people whom platform.access.require asks for. Read the changes first.

Review the branch of a pull request before it is merged, or the followed branch itself if
it was refused for the lack of a statement or of people (DA2014, DA2015). It signs as git is
configured to sign, and changes neither the work tree nor a branch of the clone.`,
		Example: `  git diff main...origin/larger-pool
  reconciler review larger-pool

  # what is on main already
  reconciler review main`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0], reviewOf) },
	}
	return f.addTo(cmd)
}

// signedView is a commit by which a person answers for others, as JSON.
type signedView struct {
	Branch    string   `json:"branch"` // that is merged or reviewed
	Into      string   `json:"into"`
	Commits   []string `json:"commits"` // that it is about, the newest first
	Files     []string `json:"files"`   // that they change on the branch that is followed
	Statement string   `json:"statement,omitempty"`
	Committed string   `json:"committed"`
	Signed    bool     `json:"signed"`
	Pushed    bool     `json:"pushed"`
}

// signing makes one such commit.
type signing struct {
	ctx       context.Context
	tree      *clone.Tree
	gate      *offline.Gate
	view      signedView
	tip, side string // commits of the followed branch and of the other one
	why       string
}

// run makes the commit, checks it and pushes it.
func (f *mergeFlags) run(cmd *cobra.Command, branch string, commit func(*signing) (pushTo string, err error)) error {
	ctx := cmd.Context()
	if err := errors.Join(clone.CheckBranch(branch), clone.CheckBranch(f.into)); err != nil {
		return err
	}
	w, err := clone.Open(ctx, f.dir)
	if err != nil {
		return err
	}
	defer w.Close()
	if !w.Git {
		return fmt.Errorf("%s is in no Git repository", w.Root)
	}
	if !f.noPush {
		if _, err := clone.Output(ctx, w.Root, "fetch", "--quiet", "origin"); err != nil {
			return fmt.Errorf("%w; --no-push works without a remote", err)
		}
	}
	s := signing{ctx: ctx, tree: w, why: f.message}
	s.view.Branch, s.view.Into = branch, f.into
	for _, b := range []struct {
		name   string
		commit *string
	}{{f.into, &s.tip}, {branch, &s.side}} {
		if *b.commit, err = w.BranchTip(ctx, b.name); err != nil {
			return err
		}
		if *b.commit == "" {
			return refusal("neither origin nor this clone has a branch %s", b.name)
		}
	}
	o, err := (&fleetFlags{fleet: "fleet"}).options(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if s.gate, err = offline.OpenGate(ctx, o, w, f.into, s.tip); err != nil {
		return err
	}
	defer s.gate.Close()
	if s.view.Commits, err = s.lines("log", "--format=%h %s", s.tip+".."+s.side); err != nil {
		return err
	}
	if s.view.Files, err = s.lines("diff", "--name-only", "--no-renames", s.tip+"..."+s.side); err != nil {
		return err
	}
	to, err := commit(&s)
	if err != nil {
		return err
	}
	if !f.noPush {
		if _, err := clone.Output(ctx, w.Root, "push", "--quiet", "origin", s.view.Committed+":refs/heads/"+to); err != nil {
			return fmt.Errorf("%s is made and not pushed: %w", shortCommit(s.view.Committed), err)
		}
		s.view.Pushed = true
	}
	return writeAnswer(cmd, &s.view, func(p *printer) { p.signed(&s.view, to) })
}

// lines returns what git says, line by line; [] and not null in JSON.
func (s *signing) lines(args ...string) ([]string, error) {
	out, err := clone.Line(s.ctx, s.tree.Root, args...)
	return strings.FieldsFunc(out, func(r rune) bool { return r == '\n' }), err
}

// commit makes a commit with a tree and parents, signed if the fleet or git asks for it.
func (s *signing) commit(subject, tree string, parents ...string) error {
	if s.gate.Audience != "" {
		s.view.Statement = access.Statement(s.gate.Audience, s.view.Into)
	}
	args := []string{"commit-tree", "-m", messageOf(subject, s.why, s.view.Statement)}
	if asked, _ := clone.Line(s.ctx, s.tree.Root, "config", "--type=bool", "commit.gpgsign"); s.gate.Enforced || asked == "true" {
		args, s.view.Signed = append(args, "-S"), true
	}
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	commit, err := clone.Line(s.ctx, s.tree.Root, append(args, tree)...)
	if err != nil {
		return fmt.Errorf("%w; \"git commit -S\" has to work here", err)
	}
	s.view.Committed = commit
	return nil
}

// mergeOf makes a merge that the reconciler accepts.
func mergeOf(s *signing) (pushTo string, err error) {
	if len(s.view.Commits) == 0 {
		return "", refusal("%s has nothing that %s does not have", s.view.Branch, s.view.Into)
	}
	tree, err := clone.Line(s.ctx, s.tree.Root, "merge-tree", "--write-tree", "--no-messages", s.tip, s.side)
	if err != nil {
		return "", refusal("%s cannot be merged into %s without conflicts: %v; merge %[2]s into the branch first, with your signature", s.view.Branch, s.view.Into, err)
	}
	if err := s.commit("Merge branch '"+s.view.Branch+"'", tree, s.tip, s.side); err != nil {
		return "", err
	}
	problems, err := s.gate.NewProblems(s.view.Committed)
	if err != nil {
		return "", err
	}
	if len(problems) > 0 {
		return "", refusal("the merge would bring %s, so it is not pushed; the first is %s %s: %s", text.Count(len(problems), "problem"), problems[0].Code, problems[0].Path, problems[0].Message)
	}
	refused, err := s.gate.Refused(s.view.Committed, time.Now())
	if err != nil {
		return "", err
	}
	if refused != nil {
		return "", refusal("the reconciler would refuse the merge, so it is not pushed: it %s (%s); %s", refused.Reason, refused.Code, refused.Hint)
	}
	return s.view.Into, nil
}

// reviewOf makes a review by somebody whom the fleet knows.
func reviewOf(s *signing) (pushTo string, err error) {
	switch {
	case !s.gate.Enforced || s.gate.Audience == "":
		return "", refusal("this fleet asks for no statements: platform.access has no audience, or does not enforce signatures")
	case len(s.view.Commits) == 0 && s.view.Branch != s.view.Into:
		return "", refusal("%s has nothing that %s does not have", s.view.Branch, s.view.Into)
	}
	if err := s.commit("Review of "+s.view.Branch, s.side+"^{tree}", s.side); err != nil {
		return "", err
	}
	refused, err := s.gate.Signer(s.view.Committed, s.side, time.Now())
	if err != nil {
		return "", err
	}
	if refused != nil {
		return "", refusal("your review would not count, so it is not pushed: it %s (%s)", refused.Reason, refused.Code)
	}
	return s.view.Branch, nil
}

func (p *printer) signed(v *signedView, to string) {
	p.each("  %s", v.Commits)
	what := fmt.Sprintf("%s is made for %s", shortCommit(v.Committed), cmp.Or(text.Clean(v.Statement), text.Clean(v.Into)))
	if !v.Pushed {
		p.line("%s; \"git push origin %s:refs/heads/%s\" puts it into force", what, v.Committed, text.Clean(to))
		return
	}
	p.line("%s and pushed to %s", what, text.Clean(to))
}
