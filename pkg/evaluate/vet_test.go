package evaluate

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/schema"
)

// unseen are the refused fleets that cue vet accepts, and why. It refuses all
// others, with our code and sentence where they stand in the schema.
var unseen = []struct {
	title, why string
	cases      []string // patterns of names
}{
	{"Files that CUE leaves out",
		"A file of no package, one with a condition that does not hold, and one whose name begins with `_` or `.` or ends in `_test.cue` or\n`_tool.cue` says nothing, and what it was to say is missed by nobody.",
		[]string{"DA1002-none", "DA1004", "DA1008", "if-tenant", "ignore", "file-dot", "file-test", "file-tool", "file-underscore"}},
	{"Fields of another layer",
		"To CUE all layers are one value. A new or an equal field is no error, whoever writes it.",
		[]string{"DA1003", "DA1003-comprehension", "DA1003-approves", "layer-narrows", "label-quoted", "label-computed", "label-interpolated", "embedded-top", "link-file"}},
	{"Files between the layers", "To CUE they hold for every directory below. The reconciler reads the directories of layers only, and does not pass over what\nsomebody relies on.",
		[]string{"DA1019*"}},
	{"Definitions and hidden fields", "They are no fields of the fleet, so the schema does not close them out.",
		[]string{"DA1003-definition", "label-hidden"}},
	{"Attributes", "They are no values. The cue command carries them out or passes over them.",
		[]string{"attribute-inside", "embed-glob", "tag-platform"}},
	{"Defaults", "A mark decides among alternatives, and the value that was not meant stays in the file.",
		[]string{"DA1006*", "default-mark"}},
	{"References to another layer", "A reference is as good as the value that it leads to, as long as that does not change.",
		[]string{"DA1007", "reference-*"}},
	{"Packages of another tenant", "To CUE every package of the module is there for every file.",
		[]string{"DA1005-library"}},
	{"Nesting without end", "The cue command takes the time and the memory that it needs.",
		[]string{"DA1010"}},
	{"What nothing binds to the schema", "Without `schema.#Fleet` there is nothing to break.",
		[]string{"DA1013", "DA1013-unbound"}},
	{"Another schema", "The cue command believes the copy in the repo. The reconciler brings its own.",
		[]string{"schema-own"}},
	{"Names of directories, and links", "Paths have no meaning in CUE, and links to directories are not followed.",
		[]string{"DA1014", "link-application", "link-tenant", "name-*", "DA1501*"}},
	{"What is worked out in approvals", "CUE takes an expression for its value. Whoever reads an approval is to see what it asks for.",
		[]string{"DA1275"}},
	{"Placeholders of links", "A template is a text of some form.", []string{"DA1597"}},
	{"Amounts", "They are texts of some form.",
		[]string{"DA1106", "DA1352", "DA1352-borrow", "DA1352-pool"}},
	{"Values beside each other", "CUE compares a value with its rule. What components, applications and tenants say of each other or come to together, one\ndirectory does not show.",
		[]string{"DA1347", "DA1368", "DA1369", "DA1373", "DA1381", "DA1382", "DA1383", "DA1384", "DA1385", "DA1386", "DA1387*", "DA1388", "DA1390*", "DA1391*", "DA1398*", "DA1502*", "DA1503*", "DA1504*", "DA1505*", "DA1506*", "DA1507*", "DA1509*", "DA1613", "DA151*", "DA152*", "DA153*", "DA154*", "DA155*", "DA156*", "DA1576", "DA1577*", "DA1578", "DA1580", "DA1581", "DA1582*", "DA1589-hidden", "DA1616-hidden", "DA1617", "DA1618", "DA1806", "DA1807*", "DA1808", "DA1811"}},
	{"What definitions stand for", "To the cue command the properties of a type of the platform's are open. The reconciler puts its output in their place.",
		[]string{"DA1101-definition", "DA1103-definition", "DA1104-secret-definition", "DA1104-secret-trait", "DA1362", "DA1364", "DA1402-definition"}},
	{"What runtimes carry", "A repo says which types of runtimes its policy allows, not which adapters the reconciler has.",
		[]string{"DA1595"}},
	{"Commits", "CUE sees files, not their history.",
		[]string{"DA160[123]*"}},
}

// beyond are the cases of unseen that cue vet sees after all.
var beyond = []string{"name-component", "reference-effective", "DA1019-application", "DA1019-root"}

// whyUnseen is the index in unseen of why cue vet accepts a case, -1 if it must not.
func whyUnseen(name string) int {
	if slices.Contains(beyond, name) {
		return -1
	}
	for i, u := range unseen {
		if slices.ContainsFunc(u.cases, func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok }) {
			return i
		}
	}
	return -1
}

// The verdict of the real cue command on every refused fleet and on every accepted
// twin is ours, but for what is listed with the reason.
func TestCueVetSeesTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: runs the cue command on every example")
	}
	base := archive(t, "base.txtar")
	t.Run("base", func(t *testing.T) { require.NoError(t, runCue(t, checkout(t, base), "vet", "-c", "./...")) })
	for _, p := range pairs(t) {
		t.Run(p.name, func(t *testing.T) {
			err := runCue(t, checkout(t, base, p.refused), "vet", "-c", "-E", changed(p.refused))
			if whyUnseen(p.name) >= 0 {
				require.NoError(t, err, "cue vet sees it after all")
			} else {
				require.Error(t, err, "if cue vet cannot see it, say why in the list")
				for _, sentence := range ofSchema(p.want) {
					require.ErrorContains(t, err, sentence)
				}
			}
			if p.accepted != nil {
				require.NoError(t, runCue(t, checkout(t, base, p.accepted), "vet", "-c", changed(p.accepted)), "the accepted twin")
			}
		})
	}
}

// changed returns the directories that differ from those of the base fleet, as the cue command names them: to CUE a
// directory consists of its files and of those above it. It does not follow links, so it is asked for everything then.
func changed(a *txtar.Archive) (pattern string) {
	if len(planted(a).links) > 0 {
		return "./..."
	}
	dir := path.Dir(a.Files[0].Name)
	for _, f := range a.Files {
		for dir != "." && !strings.HasPrefix(f.Name, dir+"/") {
			dir = path.Dir(dir)
		}
	}
	return "./" + path.Join(dir, "...")
}

// ofSchema returns code and sentence of the problems whose rules stand in the schema.
func ofSchema(report string) (sentences []string) {
	lines := strings.Split(report, "\n")
	for i, line := range lines {
		code, rest, ok := strings.Cut(line, " ")
		if !ok || code < "DA1200" || !strings.Contains(allSchema(), "\""+code+" ") {
			continue
		}
		_, sentence, _ := strings.Cut(rest, ": ")
		for _, place := range lines[i+1:] {
			_, asked, ok := strings.Cut(place, "asks for ")
			if !strings.HasPrefix(place, " ") {
				break
			}
			if ok {
				sentence = strings.TrimPrefix(sentence, "asks for "+asked+", ")
			}
		}
		sentence, _, _ = strings.Cut(sentence, "; did you mean ") // only the reconciler guesses
		sentences = append(sentences, code+" "+sentence)
	}
	return sentences
}

func allSchema() string {
	var b strings.Builder
	for _, f := range schema.Files() {
		b.Write(f.Data)
	}
	return b.String()
}

func sortedNames(m map[string]*txtar.Archive) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// checkout writes a fleet to a new directory: a module, the vendored schema and,
// over both, the files.
func checkout(t *testing.T, archives ...*txtar.Archive) (dir string) {
	dir = t.TempDir()
	put := func(name string, data []byte) {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, data, 0o644))
	}
	put("cue.mod/module.cue", []byte("module: \"fleet.example\"\nlanguage: version: \"v0.17.0\"\n"))
	for _, f := range schema.Files() {
		put("cue.mod/pkg/"+schema.ImportPath+"/"+f.Name, f.Data)
	}
	files := planted(archives...)
	require.NoError(t, fs.WalkDir(files.tree, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files.tree, name)
		put(name, data)
		return err
	}))
	for name, target := range files.links {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	return dir
}

// docs/vet.md is made of the list, and TestCueVetSeesTheSame holds it.
func TestVetPage(t *testing.T) {
	const page = "../../docs/vet.md"
	var b strings.Builder
	b.WriteString("# What only the reconciler sees\n\n" +
		"Made by `go test ./pkg/evaluate -run TestVetPage -update`.\n\n" +
		"`cue vet -c ./...` checks a fleet repo on any machine that has the cue command, by the same schema and with the same codes.\n" +
		"`reconciler vet` checks as the reconciler does. A test runs both on every refused fleet that the tests know, the examples of\n" +
		"[errors.md](errors.md) and ways around the rules, and on a twin of each that is accepted. Both accept every twin. Of what is\n" +
		"refused, cue vet accepts only what stands on this page. So before a commit and in CI, use [reconciler vet](authoring.md).\n")
	all := pairs(t)
	for i, u := range unseen {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", u.title, u.why)
		for _, p := range all {
			if whyUnseen(p.name) == i {
				fmt.Fprintf(&b, "- %s\n", p.line())
			}
		}
	}
	b.WriteString("\n## The limits of an evaluation\n\nThese depend on sizes, on time and on the machine, and no small fleet shows them.\n\n")
	for _, code := range withoutExample {
		fmt.Fprintf(&b, "- %s %s\n", linkTo(code), catalogue.Find(code).Title)
	}
	b.WriteString("\n## What is not evaluation\n\n" +
		"- Objects that cannot be made, or that a tenant may not have (DA17xx): [Rendering](rendering.md). `reconciler vet` sees them.\n" +
		"- Declared keys that nobody can sign with (DA2012): [Access](access.md). `reconciler vet` sees them.\n" +
		"- Commits that nobody who may has signed (other DA20xx): [Access](access.md). Only the running reconciler judges commits.\n" +
		"- A commit that removes too much at once (DA1901): [The fleet repo as a source](source.md). Only the running reconciler knows\n  what runs.\n" +
		"- A pool in a cluster that the reconciler was not told of (DA1349): [Runtimes](runtimes.md#several-clusters). Only the running reconciler\n  has clusters.\n" +
		"- A reservation of a unit of the system that nodes do not keep (DA1598): [Quality of service](qos.md#what-nodes-do-not-keep).\n" +
		"- A record on the status branch that cannot be read (DA1902): [The status branch](status-branch.md#a-damaged-record).\n" +
		"- A record of past use that somebody changed by hand (DA1379): [The status branch](status-branch.md#past-use).\n" +
		"- A record of an unsigned status branch that no commit declares (DA2102): [The status branch](status-branch.md#without-a-key).\n")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(b.String()), 0o644))
	}
	have, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(have), "run with -update")
}

// line says what a pair is about.
func (p *pair) line() string {
	code, _, _ := strings.Cut(p.want, " ")
	about := catalogue.Find(code).Title
	if comment := strings.TrimSpace(string(p.refused.Comment)); comment != "" {
		about = strings.ReplaceAll(comment, "\n", " ")
	} else if _, variant, ok := strings.Cut(p.name, "-"); ok {
		about += " (" + variant + ")"
	}
	return linkTo(code) + " " + strings.TrimSuffix(about, ".")
}

// linkTo links to the section of a code in docs/errors.md.
func linkTo(code string) string {
	anchor := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', r >= '0' && r <= '9', r >= 'a' && r <= 'z':
			return r
		}
		return -1
	}, strings.ToLower(code+" "+catalogue.Find(code).Title))
	return fmt.Sprintf("[%s](errors.md#%s)", code, anchor)
}
