package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

// outputFormat is the value of -o: one of some words, and the first of them without the flag.
type outputFormat struct{ value, words string }

// usualOutput are the words of most commands.
const usualOutput = "text, json or yaml"

// withOutput adds -o to a command.
func withOutput(cmd *cobra.Command, words string) *cobra.Command {
	first := words[:strings.IndexAny(words, ", ")]
	cmd.Flags().VarP(&outputFormat{first, words}, "output", "o", "`FORMAT`: "+words)
	return cmd
}

func (f *outputFormat) String() string { return f.value }
func (f *outputFormat) Type() string   { return "format" }

func (f *outputFormat) Set(s string) error {
	if words := strings.NewReplacer(",", "", " or ", " ").Replace(f.words); !slices.Contains(strings.Fields(words), s) {
		return errors.New("use " + f.words)
	}
	f.value = s
	return nil
}

// formatOf returns the word that a command was given with -o.
func formatOf(cmd *cobra.Command) string { return cmd.Flag("output").Value.String() }

// writeAnswer writes an answer to standard output as -o has it.
func writeAnswer(cmd *cobra.Command, v any, text func(*printer)) error {
	return writeTo(cmd.OutOrStdout(), formatOf(cmd), v, text)
}

// writeTo encodes v as JSON or YAML, or lets text print it.
func writeTo(out io.Writer, format string, v any, text func(*printer)) (err error) {
	var b []byte
	switch format {
	case "json":
		b, err = view.JSON(v)
	case "yaml":
		b, err = yaml.Marshal(v)
	default:
		p := newPrinter(out)
		text(p)
		b = p.buf.Bytes()
	}
	if err == nil {
		_, err = out.Write(b)
	}
	return err
}

// orDiffers returns the error of a command, or else the exit code of one that found something that differs or is refused.
func orDiffers(err error, differs bool) error {
	if err == nil && differs {
		return &exitCode{code: exitDiffers}
	}
	return err
}

// printer collects text for people. It uses colour and folds long lines only on a terminal.
type printer struct {
	buf    bytes.Buffer
	colour bool
	width  int // of the terminal, 0 if there is none
	now    time.Time
}

func newPrinter(out io.Writer) *printer {
	p := &printer{now: present()}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		p.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			p.width = width
		}
	}
	return p
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(&p.buf, format+"\n", args...)
}

// each prints a line about each text of a list.
func (p *printer) each(format string, list []string) {
	for _, s := range list {
		p.line(format, text.Clean(s))
	}
}

// committed says what became of an edited file: it is committed, or is left to people.
func (p *printer) committed(file, commit, left string) {
	if commit == "" {
		p.line("%s is %s; commit and push it", text.Clean(file), left)
		return
	}
	p.line("%s is committed as %s; \"git push\" puts it into force", text.Clean(file), shortCommit(commit))
}

// section starts a part with a heading.
func (p *printer) section(title string) { p.line("\n%s", p.paint(bold, title)) }

// style is how text looks on a terminal.
type style string

const (
	normal style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

func (p *printer) paint(s style, text string) string {
	if !p.colour || s == normal || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// age writes how long ago something was: 42s, 7m, 3h, 12d.
func age(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < 2*time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}

// moment writes a time in full.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// shortCommit abbreviates the name of a commit.
func shortCommit(s string) string { return text.Clean(s[:min(len(s), 10)]) }
