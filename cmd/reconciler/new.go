package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

// nouns are the subcommands of new.
var nouns = []struct {
	noun                 offline.Noun
	args, short, example string
}{
	{offline.NewApplication, "[TENANT/APPLICATION]", "Declare an application with its first component", `  reconciler new application
  reconciler new application acme/blog --set application.acme/blog.labels.team=web \
    --set application.acme/blog.components.web.type=webservice \
    --set application.acme/blog.components.web.properties.image=ghcr.io/acme/blog:1.0.0`},
	{offline.NewComponent, "[TENANT/APPLICATION [COMPONENT]]", "Add a component to an application", `  reconciler new component acme/shop
  reconciler new component acme/shop mailer --set application.acme/shop.components.mailer.type=worker \
    --set application.acme/shop.components.mailer.properties.image=ghcr.io/acme/mailer:3 \
    --set 'application.acme/shop.components.mailer.dependsOn=["database"]'`},
	{offline.NewTenant, "[TENANT]", "Declare a tenant and what the platform gives it", `  reconciler new tenant
  reconciler new tenant hooli --set tenant.hooli.quota.cpu=8 --set tenant.hooli.quota.memory=32Gi`},
	{offline.NewStep, "[TENANT/APPLICATION [STEP]]", "Add a step to the workflow of an application", `  reconciler new step acme/shop
  reconciler new step acme/shop agree --set application.acme/shop.workflow.steps.agree.type=approval`},
}

func newNewCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Declare an application, a component, a tenant or a step of a workflow",
		Long: `New writes a declaration into the files of a fleet repo. On a terminal it asks for what is
needed: it offers the types, pools and names of this fleet, and each answer is checked as
vet would. With --set, or without a terminal, it asks nothing.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, n := range nouns {
		cmd.AddCommand(newNounCommand(n.noun, n.args, n.short, n.example))
	}
	return cmd
}

func newNounCommand(noun offline.Noun, args, short, example string) *cobra.Command {
	var f newFlags
	cmd := &cobra.Command{
		Use:   string(noun) + " " + args,
		Short: short,
		Long: short + `.

The command shows the file and the plan of the change, and commits only what it wrote; other
lines of a file stay as they are. What vet would refuse is not written. Push the commit to put
it into force. It ends with the command line that says the same without questions.

--set gives a value by the path that it has for what-if. A value is a text where the schema
wants one, else what it is as JSON: a number, true, or a list such as ["a", "b"]. A name with
dots stands in quotes: labels."example.com/team"=web.

The exit code is 1 if the change would be refused or nobody agreed to it, 2 if the command
failed.`,
		Example: example,
		Args:    cobra.MaximumNArgs(strings.Count(args, "[")),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, &offline.Declaration{Noun: noun}, args)
		},
	}
	fl := cmd.Flags()
	f.add(fl)
	fl.StringArrayVar(&f.sets, "set", nil, "`PATH=VALUE` of what is declared; can be given several times")
	fl.StringVarP(&f.message, "message", "m", "", "reason, for the commit message")
	fl.BoolVar(&f.noCommit, "no-commit", false, "leave the edit in the work tree")
	fl.StringVar(&f.branch, "branch", "", "commit onto the new branch ui/`NAME` instead, from HEAD, and leave the work tree alone")
	cmd.MarkFlagsMutuallyExclusive("branch", "no-commit")
	fl.BoolVar(&f.accessible, "accessible", false, "ask line by line, for screen readers and simple terminals")
	return withOutput(cmd, usualOutput)
}

// newFlags are the settings of new.
type newFlags struct {
	caseFlags
	sets                 []string
	message, branch      string
	onto                 clone.DraftBranch // that is the branch
	noCommit, accessible bool
}

// newView is the result of new as JSON.
type newView struct {
	New       offline.Noun    `json:"new"`
	Name      string          `json:"name"`
	Files     []string        `json:"files"`
	Diff      string          `json:"diff"`
	Problems  []model.Problem `json:"problems"` // for which it is refused: nothing was written then
	Plan      *view.Plan      `json:"plan"`
	Command   string          `json:"command"`             // that says the same
	Committed string          `json:"committed,omitempty"` // the new commit
	Branch    string          `json:"branch,omitempty"`    // of the new commit, unless it is the one that is checked out
}

// run declares something: as the flags say, or as a person answers.
func (f *newFlags) run(cmd *cobra.Command, d *offline.Declaration, args []string) error {
	err := nameIn(d, args)
	if err != nil {
		return err
	}
	asks := len(f.sets) == 0 && isTerminal(cmd.InOrStdin()) && isTerminal(cmd.ErrOrStderr())
	if !asks && (d.App.Tenant == "" || d.Name == "" && needsName(d.Noun)) {
		_, names, _ := strings.Cut(cmd.Use, " ")
		return fmt.Errorf("what is its name? write %s %s", cmd.CommandPath(), strings.NewReplacer("[", "", "]", "").Replace(names))
	}
	on := "" // the work tree
	if f.branch != "" {
		if f.onto, err = clone.ParseDraftBranch(f.branch); err != nil {
			return err
		}
		on = "HEAD"
	}
	return f.open(cmd, func(o offline.Options, c offline.Case) error {
		if !c.Tree.Git && !f.noCommit {
			return fmt.Errorf("%s is in no Git repository, so there is nothing to commit to; --no-commit only writes the files", c.Tree.Root)
		}
		ctx := cmd.Context()
		quiet := false
		shown := o.Progress
		o.Progress = func(what string, steps int) (step, end func()) {
			if quiet {
				return func() {}, func() {}
			}
			return shown(what, steps)
		}
		base, err := offline.OpenBase(ctx, o, c, on)
		if err != nil {
			return err
		}
		defer base.Close()
		if err := base.FollowClone(ctx); err != nil {
			return err
		}
		quiet = asks // its lines would be written over the questions
		var person *interview
		if asks {
			person = &interview{ctx: ctx, in: &typed{Reader: cmd.InOrStdin()}, out: cmd.ErrOrStderr(), accessible: f.accessible, base: base, d: d}
			if err := person.hold(); err != nil {
				return err
			}
		}
		for _, s := range f.sets {
			if err := d.Set(s); err != nil {
				return err
			}
		}
		return f.declare(cmd, c.Tree, base, d, person)
	})
}

// declare shows what a declaration does, and commits it unless it is refused, by the reconciler or by the person.
func (f *newFlags) declare(cmd *cobra.Command, w *clone.Tree, base *offline.Base, d *offline.Declaration, person *interview) error {
	ctx := cmd.Context()
	draft, err := d.Draft(base.Files())
	if err != nil {
		return err
	}
	p, err := base.Preview(ctx, draft)
	if err != nil {
		return err
	}
	made := view.PlanOf(p.Plan)
	v := &newView{New: d.Noun, Name: nameOf(d), Files: []string{}, Diff: offline.Diff(p.Changes), Problems: append([]model.Problem{}, p.Problems...), Plan: &made, Command: newCommandLine(d)}
	if f.branch != "" {
		v.Command += " --branch " + f.branch
	}
	for _, c := range p.Changes {
		v.Files = append(v.Files, c.Name)
	}
	if len(v.Problems) > 0 {
		return errors.Join(writeAnswer(cmd, v, func(out *printer) { out.problems("", v.Problems); out.again(v) }),
			&exitCode{exitDiffers, fmt.Sprintf("%s would be refused, so nothing was changed", v.Name)})
	}
	if person != nil {
		if err := writeTo(cmd.ErrOrStderr(), formatOf(cmd), v, func(out *printer) { out.preview(v) }); err != nil {
			return err
		}
		if err := person.agree(!f.noCommit); err != nil {
			return err
		}
	}
	if err := f.save(ctx, w, p.Changes, commitMessage(d, f.message), v); err != nil {
		return err
	}
	return writeAnswer(cmd, v, func(out *printer) {
		if person == nil {
			out.preview(v)
		}
		out.declared(v)
	})
}

// save writes the files where the flags say.
func (f *newFlags) save(ctx context.Context, w *clone.Tree, changes []clone.Change, message string, v *newView) error {
	if f.branch != "" {
		saved, err := w.Save(ctx, "HEAD", changes, message, f.onto)
		v.Committed, v.Branch = saved.Commit, saved.Branch
		return err
	}
	err := w.Write(ctx, changes...)
	if err == nil && !f.noCommit {
		v.Committed, _, err = w.CommitFiles(ctx, message, v.Files...)
	}
	return err
}

// nameIn reads the names of what is declared.
func nameIn(d *offline.Declaration, args []string) (err error) {
	if len(args) == 0 {
		return nil
	}
	if d.App.Tenant = args[0]; d.Noun != offline.NewTenant {
		if d.App, err = model.ParseAppID(args[0]); err != nil {
			return err
		}
	}
	names := []string{d.App.Tenant}
	if d.Noun != offline.NewTenant {
		names = append(names, d.App.Name)
	}
	if len(args) > 1 {
		d.Name = args[1]
		names = append(names, d.Name)
	}
	for _, name := range names {
		if !model.ValidName(name) {
			return fmt.Errorf("%q: %s", name, nameRule)
		}
	}
	return nil
}

func needsName(n offline.Noun) bool { return n == offline.NewComponent || n == offline.NewStep }

// nameOf names what is declared for people.
func nameOf(d *offline.Declaration) string {
	switch d.Noun {
	case offline.NewTenant:
		return d.App.Tenant
	case offline.NewApplication:
		return d.App.String()
	}
	return d.App.String() + " " + d.Name
}

// commitMessage says what is declared, and why.
func commitMessage(d *offline.Declaration, why string) string {
	subject := fmt.Sprintf("%s: add %s %s", d.App.Tenant, d.Noun, d.App.Name)
	switch d.Noun {
	case offline.NewTenant:
		subject = "platform: add tenant " + d.App.Tenant
	case offline.NewComponent, offline.NewStep:
		subject = fmt.Sprintf("%s: add %s %s", d.App, d.Noun, d.Name)
	}
	return messageOf(subject, why)
}

// newCommandLine returns the command line that declares the same.
func newCommandLine(d *offline.Declaration) string {
	line := "reconciler new " + string(d.Noun) + " " + nameOf(d)
	for _, s := range d.Settings() {
		line += " --set " + shellWord(s)
	}
	return line
}

// shellWord quotes a word for a shell. What a terminal would not show as it is stands as an escape.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@,+%", r))
	}
	switch {
	case s != "" && strings.TrimFunc(s, plain) == "":
		return s
	case text.Clean(s) == s:
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var out strings.Builder
	for _, b := range []byte(s) {
		if b >= ' ' && b < 0x7f && b != '\'' && b != '\\' {
			out.WriteByte(b)
			continue
		}
		fmt.Fprintf(&out, `\%03o`, b)
	}
	return "$'" + out.String() + "'"
}

// preview prints the files and the plan of a declaration.
func (p *printer) preview(v *newView) {
	for line := range strings.Lines(v.Diff) {
		behind := strings.TrimLeft(line[1:], " \t")
		indent := strings.ReplaceAll(line[1:len(line)-len(behind)], "\t", "    ")
		shown, look := line[:1]+indent+text.Clean(behind), normal
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
			look = bold
		case strings.HasPrefix(line, "+"):
			look = green
		case strings.HasPrefix(line, "-"):
			look = red
		}
		p.line("%s", p.paint(look, shown))
	}
	p.line("")
	p.plan(v.Plan)
	p.line("")
}

// declared prints what was written.
func (p *printer) declared(v *newView) {
	files := text.Enumerate(v.Files, 5)
	switch {
	case v.Committed == "":
		p.line("%s: wrote %s; commit and push it", p.paint(bold, text.Clean(v.Name)), text.Clean(files))
	case v.Branch != "":
		p.line("%s: committed %s as %s on the new branch %s; \"git push origin %s\" offers it to others", p.paint(bold, text.Clean(v.Name)),
			text.Clean(files), shortCommit(v.Committed), v.Branch, v.Branch)
	default:
		p.line("%s: committed %s as %s; \"git push\" puts it into force", p.paint(bold, text.Clean(v.Name)), text.Clean(files), shortCommit(v.Committed))
	}
	p.again(v)
}

func (p *printer) again(v *newView) {
	p.line("\nThe same without questions:\n  %s", v.Command)
}

// stopped is the error of a question that the person ended, or the program.
func stopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return &exitCode{exitDiffers, "no answer, so nothing was changed; --set asks nothing"}
}
