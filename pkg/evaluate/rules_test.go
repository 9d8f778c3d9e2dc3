package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/schema"
)

// withoutExample are the codes of problems that no small fleet shows. Each has a
// test of its own.
var withoutExample = []string{catalogue.Size, catalogue.GaveUp, catalogue.Unreadable, catalogue.Time, catalogue.Memory, catalogue.Stack, catalogue.NotYet, catalogue.LargeLibrary}

// Every code that the schema or this package can report has a rule, and every
// rule has an example.
func TestEveryCodeHasARuleAndAnExample(t *testing.T) {
	codes := regexp.MustCompile(`DA\d{4}`)
	var used []string
	for _, f := range schema.Files() {
		used = append(used, codes.FindAllString(string(f.Data), -1)...)
	}
	for _, name := range []string{"catalogue/codes.go", "../render/declared/fault.go"} {
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		used = append(used, codes.FindAllString(string(source), -1)...)
	}

	var known []string
	for _, c := range catalogue.Chapters {
		for _, r := range c.Rules {
			known = append(known, r.Code)
		}
	}
	require.ElementsMatch(t, distinct(used), known, "codes in use, and rules")

	var shown []string
	for name := range shownExamples(t) {
		code, _, _ := strings.Cut(name, "-")
		shown = append(shown, code)
	}
	shown = append(shown, "DA1713") // a grant has it, and no fleet repo
	require.ElementsMatch(t, distinct(known), distinct(append(shown, withoutExample...)), "rules, and examples")
}

// shownExamples are the examples of this package, and those of pkg/turn, which finds what
// is wrong between applications, and what cannot be rendered.
func shownExamples(t *testing.T) map[string]*txtar.Archive {
	all := examples(t)
	files, err := filepath.Glob("../turn/testdata/problems/*.txtar")
	require.NoError(t, err)
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		require.NoError(t, err)
		all[strings.TrimSuffix(filepath.Base(f), ".txtar")] = a
	}
	return all
}

// docs/errors.md is made of the rules and their examples.
func TestErrorsPage(t *testing.T) {
	const page = "../../docs/errors.md"
	var b strings.Builder
	b.WriteString("# Errors of the fleet repo\n\n" +
		"Made by `go test ./pkg/evaluate -run TestErrorsPage -update` from the rules and their examples; a test produces every example.\n\n" +
		"An error has a stable code, the path of the value, a sentence, and the places of both sides: first what was asked, then\n" +
		"the limit and who set it. The same codes stand in the messages of `cue vet`. The examples change the small fleet of\n" +
		"`pkg/evaluate/testdata/base.txtar`.\n")
	shown := shownExamples(t)
	for _, c := range catalogue.Chapters {
		fmt.Fprintf(&b, "\n## %s\n", c.Title)
		for _, r := range c.Rules {
			fmt.Fprintf(&b, "\n### %s %s\n\n", r.Code, r.Title)
			if a, ok := shown[r.Code]; ok {
				files, want := split(a)
				b.WriteString("```cue\n")
				for i, f := range files.Files {
					if i > 0 {
						b.WriteString("\n")
					}
					fmt.Fprintf(&b, "// %s\n", f.Name)
					if len(f.Data) == 0 {
						b.WriteString("// (missing)\n")
						continue
					}
					lines := strings.SplitAfter(string(f.Data), "\n")
					for _, line := range lines {
						if len(line) > 200 {
							line = line[:200] + " …\n"
						}
						b.WriteString(line)
					}
				}
				fmt.Fprintf(&b, "```\n```\n%s```\n\n", want)
			}
			fmt.Fprintf(&b, "Fix: %s\n", r.Fix)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(b.String()), 0o644))
	}
	have, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(have), "run with -update")
}

func TestRulesAreInOrder(t *testing.T) {
	for _, c := range catalogue.Chapters {
		require.True(t, slices.IsSortedFunc(c.Rules, func(a, b catalogue.Rule) int { return strings.Compare(a.Code, b.Code) }), c.Title)
	}
}

// A title is a noun phrase: it names what is wrong and is no sentence.
func TestTitlesAreNounPhrases(t *testing.T) {
	sentence := regexp.MustCompile(`^(A|An|The|Not|No) | (is|are) (no|none|neither|missing)\b`)
	for _, c := range catalogue.Chapters {
		for _, r := range c.Rules {
			require.NotRegexp(t, sentence, r.Title, r.Code)
		}
	}
}

// distinct returns the strings sorted, each once.
func distinct(all []string) []string { return slices.Compact(slices.Sorted(slices.Values(all))) }
