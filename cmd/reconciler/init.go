package main

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/signkey"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/schema"
)

func newInitCommand() *cobra.Command {
	var yes bool
	var names fleetNames
	var admins []string
	cmd := &cobra.Command{
		Use:   "init DIR",
		Short: "Create a small fleet repo to start from",
		Long: `Init creates a small fleet repo in an empty directory: a platform, one tenant, one
application, the schema, the checks that run before a commit and in CI, and the comment on
pull requests that shows what they would do.
"cue vet" and "reconciler vet" accept it unchanged.

On a terminal it prompts for the names that no flag gives. It creates a Git repository
unless the directory is in one, and commits nothing. Beside the repository it makes
DIR-status-key, the key with which the reconciler signs the status branch.`,
		Example: `  reconciler init fleet

  # without prompts
  reconciler init fleet --yes
  reconciler init fleet --name example --tenant acme --application shop

  # commits need signatures, and a change of the platform needs both
  reconciler init fleet --yes --admin ann=ann.pub --admin bob=bob.pub`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeDirectory,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			if err := checkEmpty(dir); err != nil {
				return err
			}
			if names.Admins, err = readAdmins(admins); err != nil {
				return err
			}
			var in io.Reader
			if !yes && isTerminal(cmd.InOrStdin()) && isTerminal(cmd.ErrOrStderr()) {
				in = cmd.InOrStdin()
			}
			answered := make(chan error, 1)
			go func() { answered <- names.complete(filepath.Base(dir), in, cmd.ErrOrStderr()) }()
			select {
			case err = <-answered:
			case <-cmd.Context().Done(): // reading from a terminal does not end with it
				err = cmd.Context().Err()
			}
			if err != nil {
				return err
			}
			view, err := makeFleet(cmd.Context(), dir, names)
			if err != nil {
				return err
			}
			return writeAnswer(cmd, view, func(p *printer) { p.newFleet(view, args[0]) })
		},
	}
	fl := cmd.Flags()
	fl.BoolVarP(&yes, "yes", "y", false, "do not prompt; use the defaults")
	fl.StringVar(&names.Fleet, "name", "", "name of the fleet (default: name of the directory)")
	fl.StringVar(&names.Tenant, "tenant", "", `name of the first tenant (default "demo")`)
	fl.StringVar(&names.App, "application", "", `name of its first application (default "hello")`)
	fl.StringArrayVar(&admins, "admin", nil, "admin of the platform, as `NAME=FILE` with the file of a public SSH key: commits then need signatures, and with two admins a change of the platform needs two")
	return withOutput(cmd, usualOutput)
}

// checkEmpty returns an error unless the directory does not exist, is empty or is a new clone.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != ".git" {
			return fmt.Errorf("%s is not empty: it has %s; choose another directory", dir, text.Clean(e.Name()))
		}
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// fleetNames are the names that a new fleet needs.
type fleetNames struct {
	Fleet, Tenant, App string
	Admins             []fleetAdmin // by name
}

// fleetAdmin is an admin of the platform with the line of a public SSH key.
type fleetAdmin struct{ Name, Key string }

// readAdmins reads the keys of admins.
func readAdmins(args []string) (admins []fleetAdmin, err error) {
	for _, arg := range args {
		name, file, _ := strings.Cut(arg, "=")
		if !model.ValidName(name) {
			return nil, fmt.Errorf("--admin %q: write NAME=FILE; %s", arg, nameRule)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("--admin %s: %w", name, err)
		}
		key := strings.TrimSpace(string(data))
		switch keys, err := access.ParseKeys(key); {
		case err != nil:
			return nil, fmt.Errorf("--admin %s: read %s: %w", name, file, err)
		case keys.Len() != 1 || strings.ContainsAny(key, "\n#"):
			return nil, fmt.Errorf("--admin %s: %s has to hold one public SSH key and nothing else", name, file)
		case slices.ContainsFunc(admins, func(a fleetAdmin) bool { return a.Name == name }):
			return nil, fmt.Errorf("--admin %s is given twice; write further keys into access.cue", name)
		}
		admins = append(admins, fleetAdmin{name, key})
	}
	slices.SortFunc(admins, func(a, b fleetAdmin) int { return strings.Compare(a.Name, b.Name) })
	return admins, nil
}

// complete fills in the names that are not given: with answers read from in, or with defaults if in is nil.
func (n *fleetNames) complete(dir string, in io.Reader, out io.Writer) error {
	if !model.ValidName(dir) {
		dir = "fleet"
	}
	var answers *bufio.Scanner
	if in != nil {
		answers = bufio.NewScanner(in)
	}
	for _, question := range []struct {
		name               *string
		flag, about, reply string
	}{
		{&n.Fleet, "--name", "Name of the fleet", dir},
		{&n.Tenant, "--tenant", "First tenant, such as a team or a customer", "demo"},
		{&n.App, "--application", "Its first application", "hello"},
	} {
		for *question.name == "" && answers != nil {
			fmt.Fprintf(out, "%s [%s]: ", question.about, question.reply)
			if !answers.Scan() {
				return errors.Join(answers.Err(), errors.New("no answer; --yes asks nothing"))
			}
			if answer := cmp.Or(strings.TrimSpace(answers.Text()), question.reply); model.ValidName(answer) {
				*question.name = answer
			} else {
				fmt.Fprintln(out, nameRule)
			}
		}
		if *question.name = cmp.Or(*question.name, question.reply); !model.ValidName(*question.name) {
			return fmt.Errorf("%s %q: %s", question.flag, *question.name, nameRule)
		}
	}
	return nil
}

const nameRule = "a name has at most 63 lower-case letters, digits and dashes, and begins with a letter"

// newFleetView is the result of init as JSON.
type newFleetView struct {
	Directory   string   `json:"directory"`
	Fleet       string   `json:"fleet"`
	Tenant      string   `json:"tenant"`
	Application string   `json:"application"`
	Files       []string `json:"files"`
	Repository  string   `json:"repository"`          // top of the Git repository that it is in, "" if there is no git
	Created     bool     `json:"repositoryCreated"`   // by this command
	StatusKey   string   `json:"statusKey,omitempty"` // file of the key that is to sign the status branch, outside of the repository
	Notes       []string `json:"notes"`
}

// makeFleet writes a fleet repo into an empty directory.
func makeFleet(ctx context.Context, dir string, names fleetNames) (*newFleetView, error) {
	files, err := fleetFiles(names)
	if err != nil {
		return nil, err
	}
	view := &newFleetView{Directory: dir, Fleet: names.Fleet, Tenant: names.Tenant, Application: names.App, Files: []string{}, Notes: []string{}}
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			return nil, err
		}
		view.Files = append(view.Files, f.Name)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	top, err := clone.Line(ctx, dir, "rev-parse", "--show-toplevel")
	switch {
	case err == nil && top != dir:
		view.Notes = append(view.Notes, "the directory is in the Git repository "+top+"; the reconciler reads a fleet from the top of a repository")
	case err != nil:
		_, err = clone.Line(ctx, dir, "-c", "init.defaultBranch=main", "init", "--quiet")
		if err != nil {
			view.Notes = append(view.Notes, "no Git repository was made: "+err.Error())
			return view, nil
		}
		top, view.Created = dir, true
	}
	view.Repository = top
	if top == dir {
		return view, view.makeStatusKey(ctx, dir)
	}
	return view, nil
}

// makeStatusKey makes the key that signs the status branch: beside the repository, never
// in it or in another one.
func (v *newFleetView) makeStatusKey(ctx context.Context, dir string) error {
	if _, err := clone.Line(ctx, filepath.Dir(dir), "rev-parse", "--show-toplevel"); err == nil {
		v.Notes = append(v.Notes, `the reconciler needs a key that signs the status branch; make one outside of all repositories: ssh-keygen -t ed25519 -N "" -f status-key`)
		return nil
	}
	file := dir + "-status-key"
	_, err := signkey.WriteEd25519(file, "reconciler of fleet "+v.Fleet)
	switch {
	case errors.Is(err, fs.ErrExist):
		v.Notes = append(v.Notes, file+" exists and is left as it is")
	case err != nil:
		return fmt.Errorf("make the key that signs the status branch: %w", err)
	}
	v.StatusKey = file
	return nil
}

func (p *printer) newFleet(v *newFleetView, dir string) {
	p.line("Made the fleet %s in %s:\n", p.paint(bold, v.Fleet), text.Clean(dir))
	rows := [][2]string{
		{"fleet.cue, pools.cue", "the platform: policy for everybody, pools of nodes"},
		{"allotments.cue", "what each tenant gets: quota, guarantee, priority ceiling"},
		{"access.cue", "who may change what"},
		{layer.TenantDir(v.Tenant) + "/tenant.cue", "a tenant: its policy"},
		{layer.ApplicationDir(model.AppID{Tenant: v.Tenant, Name: v.Application}) + "/app.cue", "an application"},
		{"README.md", "how to go on"},
	}
	for _, row := range rows {
		p.line("  %-*s  %s", len(rows[3][0]), row[0], p.paint(dim, row[1]))
	}
	p.each("\n"+p.paint(yellow, "note:")+" %s", v.Notes)
	p.line("\nNext:\n")
	p.line("  cd %s", text.Clean(dir))
	p.line("  reconciler vet")
	p.line("  reconciler plan --base none --capacity general.cpu=8 --capacity general.memory=32Gi")
	p.line("  git add --all && git commit -m \"Begin the fleet\"")
	if v.StatusKey == "" {
		p.line("  reconciler run --repo . --context NAME --dry-run")
		return
	}
	key := "../" + filepath.Base(v.StatusKey)
	p.line("  reconciler run --repo . --status-key %s --context NAME --dry-run", text.Clean(key))
	p.line("\n%s signs what the reconciler writes. Nobody else may have it: keep it out of Git.", text.Clean(key))
}

// fleetTemplate is an archive of the files of a new fleet.
//
//go:embed init_fleet.txtar
var fleetTemplate string

// fleetFiles returns the files of a new fleet by name.
func fleetFiles(names fleetNames) ([]schema.File, error) {
	t, err := template.New("fleet").Parse(fleetTemplate)
	if err != nil {
		return nil, fmt.Errorf("make a fleet: %w", err)
	}
	var b strings.Builder
	if err := t.Execute(&b, names); err != nil {
		return nil, fmt.Errorf("make a fleet: %w", err)
	}
	var files []schema.File
	for _, f := range txtar.Parse([]byte(b.String())).Files {
		files = append(files, schema.File{Name: f.Name, Data: f.Data})
	}
	for _, f := range schema.Files() {
		files = append(files, schema.File{Name: vendoredSchema + "/" + f.Name, Data: f.Data})
	}
	slices.SortFunc(files, func(a, b schema.File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}
