package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/evaluate/pool"
	"github.com/d-aros/d-aros/pkg/importing"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// importRequest is what the flags of import ask for.
type importRequest struct {
	format, tenant, name, out string
	host                      string // for entrances that are for every host
	labels                    map[string]string
	definitions               []string // files
	force, strict             bool
}

func newImportCommand() *cobra.Command {
	var r importRequest
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Translate applications of other tools into CUE",
		Long: `Import translates files of Docker Compose, KubeVela, KubeMin and Score, and manifests of
Kubernetes, into applications of a fleet repo. Each file becomes one application. It reads
the files and nothing else; "-" is standard input.

It prints the CUE, or writes it with --out into tenants/TENANT/apps/APPLICATION/app.cue below
a directory. TENANT is that of --tenant, or the one that has the namespace of the file. A file
that is there stays, unless --force is given. On standard error it lists
each field that was not kept, with its line, the reason and what to write instead.

Definitions of KubeVela in CUE, in the file or in those of --definitions, are evaluated for
what an Application says, within the limits of an evaluation, and what they come to is
imported.

Values of Secrets, and of variables whose names say that they hold a secret, are not written:
the application refers to a Secret, and a comment lists those to make.

The exit code is 0 even if fields were not kept, unless --strict makes that 1. It is 2 if a
file has nothing that can be translated; then no file is written.`,
		Example: `  # look first
  reconciler import compose.yaml

  # into the fleet repo
  reconciler import compose.yaml --tenant acme --label team=web --out .
  reconciler vet

  # with what the platform of KubeVela defined
  reconciler import app.yaml --definitions definitions.yaml

  # an Ingress without a host
  reconciler import ingress.yaml --host shop.example.com

  # for programs
  reconciler import app.json -o json | jq '.applications[].report.lost'`,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"json", "yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.check(args); err != nil {
				return err
			}
			answer, err := r.read(cmd.Context(), cmd.InOrStdin(), args)
			if err != nil {
				return err
			}
			if r.out != "-" {
				if err := r.write(answer); err != nil {
					return err
				}
			}
			to := cmd.OutOrStdout()
			if formatOf(cmd) == "text" {
				to = cmd.ErrOrStderr()
				for _, a := range answer.Applications {
					if a.Written != "" {
						continue
					}
					if _, err := io.WriteString(cmd.OutOrStdout(), a.CUE); err != nil {
						return err
					}
				}
			}
			return orDiffers(writeTo(to, formatOf(cmd), answer, func(p *printer) { p.imported(answer) }), r.strict && !answer.whole())
		},
	}
	formats := importing.Formats()
	fl := cmd.Flags()
	fl.StringVar(&r.format, "format", "auto", "`FORMAT` of the files: auto, "+text.Enumerate(formats, len(formats)))
	fl.StringVar(&r.tenant, "tenant", "", "tenant that the applications belong to (default: the one that has the namespace of the file)")
	fl.StringVar(&r.name, "name", "", "name of the application (default: as the file names it, or name of the file)")
	fl.StringToStringVar(&r.labels, "label", nil, "label of the applications, as `KEY=VALUE`, such as those that policy requires")
	fl.StringVar(&r.host, "host", "", "`HOST` of entrances that are for every host, such as shop.example.com")
	fl.StringArrayVar(&r.definitions, "definitions", nil, "`FILE` with definitions of KubeVela that the files use; repeat it for several")
	fl.StringVar(&r.out, "out", "-", "top `DIR` of the fleet repo to write to; - prints")
	fl.BoolVar(&r.force, "force", false, "write over a file that is there")
	fl.BoolVar(&r.strict, "strict", false, "exit code 1 if a field was not kept")
	return withOutput(cmd, usualOutput)
}

// check refuses flags that do not fit together.
func (r *importRequest) check(files []string) error {
	switch {
	case r.name != "" && !model.ValidName(r.name):
		return fmt.Errorf("--name %q: %s", r.name, nameRule)
	case r.name != "" && len(files) > 1:
		return errors.New("--name is for one file; each of several is named by what it holds")
	case r.tenant != "" && !model.ValidName(r.tenant):
		return fmt.Errorf("--tenant %q: %s", r.tenant, nameRule)
	case r.host != "" && !importing.IsHost(r.host):
		return fmt.Errorf("--host %q: write a name such as shop.example.com", r.host)
	}
	return nil
}

// importView is the result of import as JSON.
type importView struct {
	Applications []importedView `json:"applications"`
}

// importedView is an application that was imported.
type importedView struct {
	File        string           `json:"file"` // that was read
	Tenant      string           `json:"tenant,omitempty"`
	Application string           `json:"application"`
	Written     string           `json:"written,omitempty"` // file that was written
	CUE         string           `json:"cue"`
	Report      importing.Report `json:"report"`
}

func (v *importView) whole() bool {
	return !slices.ContainsFunc(v.Applications, func(a importedView) bool { return !a.Report.Whole() })
}

// read imports files. It returns the errors of all files that cannot be.
func (r *importRequest) read(ctx context.Context, in io.Reader, files []string) (*importView, error) {
	child, err := childCommand(evaluateCommand)
	if err != nil {
		return nil, err
	}
	children, err := pool.Open(ctx, pool.Options{Command: child}) // starts none before a definition asks
	if err != nil {
		return nil, err
	}
	defer children.Close()
	o := importing.Options{Name: r.name, Labels: r.labels, Host: r.host, Tenant: r.tenant, Expand: evaluate.Through(children).Template}
	if r.format != "auto" {
		o.Format = importing.Format(r.format)
	}
	for _, name := range r.definitions {
		data, err := readUpTo(name)
		if err != nil {
			return nil, fmt.Errorf("read definitions: %w", err)
		}
		o.Definitions = append(o.Definitions, data)
	}
	answer := &importView{Applications: []importedView{}}
	var failed []error
	taken := map[string]string{}
	for _, name := range files {
		result, err := one(o, in, name)
		if err != nil {
			failed = append(failed, fmt.Errorf("import %s: %w", name, err))
			continue
		}
		if other, twice := taken[result.Name]; twice {
			failed = append(failed, fmt.Errorf("import %s: the application is called %s, and so is that of %s; import it alone with --name", name, result.Name, other))
		}
		taken[result.Name] = name
		answer.Applications = append(answer.Applications, importedView{File: name, Tenant: result.Tenant, Application: result.Name, CUE: string(result.CUE), Report: result.Report})
	}
	return answer, errors.Join(failed...)
}

// one imports a file, or standard input.
func one(o importing.Options, in io.Reader, name string) (*importing.Result, error) {
	if name == "-" {
		data, err := io.ReadAll(io.LimitReader(in, importing.MaxBytes+1))
		if err != nil {
			return nil, err
		}
		return importing.Import(data, o)
	}
	data, err := readUpTo(name)
	if err != nil {
		return nil, err
	}
	o.File = name
	if abs, err := filepath.Abs(name); err == nil && filepath.Base(abs) != abs {
		o.File = filepath.Base(filepath.Dir(abs)) + "/" + filepath.Base(abs) // Compose names a project for its directory
	}
	return importing.Import(data, o)
}

// readUpTo reads a file, up to what is too much to import.
func readUpTo(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, importing.MaxBytes+1))
}

// write writes the files of the applications, and none if one of them is there.
func (r *importRequest) write(answer *importView) error {
	names := make([]string, len(answer.Applications))
	for i, a := range answer.Applications {
		if a.Tenant == "" {
			return fmt.Errorf("%s names no namespace that a tenant could have; --out needs --tenant, whose directory the application belongs to", a.File)
		}
		dir := layer.ApplicationDir(model.AppID{Tenant: a.Tenant, Name: a.Application})
		names[i] = filepath.Join(r.out, filepath.FromSlash(dir), "app.cue")
		if _, err := os.Lstat(names[i]); err == nil && !r.force {
			return fmt.Errorf("%s is there already; --name gives the application another name, --force writes over it", names[i])
		}
	}
	for i := range answer.Applications {
		a := &answer.Applications[i]
		if err := os.MkdirAll(filepath.Dir(names[i]), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(names[i], []byte(a.CUE), 0o644); err != nil {
			return err
		}
		a.Written = names[i]
	}
	return nil
}

// imported prints what was kept of each file and what was not.
func (p *printer) imported(v *importView) {
	for _, a := range v.Applications {
		r := &a.Report
		p.line("%s: %s, kept %d of %s", text.Clean(a.File), r.Format, r.Kept, text.Count(r.Fields, "field"))
		if r.Withheld > 0 {
			p.line("  left to Secrets: %s", text.Count(r.Withheld, "field"))
		}
		if a.Written != "" {
			p.line("  wrote %s", text.Clean(a.Written))
		}
		for _, l := range r.Lost {
			p.line("  %s line %d: %s: %s", p.paint(yellow, "not kept:"), l.Line, l.Path, l.Reason)
			if l.Instead != "" {
				p.line("    instead: %s", l.Instead)
			}
		}
		for _, s := range r.Secrets {
			p.line("  %s Secret %s: %s", p.paint(yellow, "to make:"), s.Name, strings.Join(s.Keys, ", "))
		}
		p.each("  "+p.paint(yellow, "note:")+" %s", r.Notes)
	}
}
