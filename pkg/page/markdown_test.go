package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	gmtext "github.com/yuin/goldmark/text"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/test/texttest"
)

// markdown reads pages as Git hosts do: with tables and links that nobody marked.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))

// structure returns what a renderer finds in Markdown: everything but text.
func structure(b []byte) string {
	var s strings.Builder
	_ = ast.Walk(markdown.Parser().Parse(gmtext.NewReader(b)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if kind := n.Kind(); kind != ast.KindText && kind != ast.KindString {
			fmt.Fprintf(&s, "%v%v ", kind, entering)
		}
		return ast.WalkContinue, nil
	})
	return s.String()
}

// shown returns the text that a reader sees.
func shown(t testing.TB, b []byte) string {
	var out bytes.Buffer
	require.NoError(t, markdown.Convert(b, &out))
	s := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(out.String(), "")
	return strings.TrimSpace(strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&").Replace(s))
}

// places are where foreign text stands on a page or in a comment.
var places = []string{"%s\n", "before %s after\n", "- %s\n", "  - %s tail\n", "> **Note:** %s\n", "## %s\n", "| a | b |\n| --- | --- |\n| %s | x |\n", "**%s** x\n", "_%s_\n"}

// checkLiteral demands that a text is shown as it is, in every place, and means nothing.
func checkLiteral(t testing.TB, s string) {
	got := escape(s)
	require.True(t, text.Valid(got), "%q", got)
	require.LessOrEqual(t, len(got), 6*maxText)
	if got == "" {
		return
	}
	for _, place := range places {
		require.Equal(t, structure(fmt.Appendf(nil, place, "word")), structure(fmt.Appendf(nil, place, got)), "%q in %q", got, place)
	}
	require.Equal(t, text.Line(s, maxText), shown(t, []byte(got)))
	if c := code(s); strings.Count(c, "`")%2 != 0 || strings.Count(c, "`") > 2 || strings.ContainsAny(c, "|<\n") {
		t.Fatalf("%q breaks out of its code", c)
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"a b-c 1.5: y → z": "a b-c 1.5: y → z",
		"https://x.y":      "https&#58;//x.y",
		"WWW.x.y":          "WWW&#46;x.y",
		"- item":           `\- item`,
		"=====":            `\=====`,
		"1. item":          `1\. item`,
		"a_b | <c> @d":     `a\_b &#124; &#60;c&#62; &#64;d`,
	} {
		require.Equal(t, want, escape(in))
	}
}

func TestCorpusMeansNothing(t *testing.T) {
	for _, s := range texttest.Corpus() {
		checkLiteral(t, s)
		checkLiteral(t, strings.TrimPrefix(s, "head"))
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range texttest.Corpus() {
		f.Add(s)
		f.Add(strings.TrimPrefix(s, "head"))
	}
	f.Fuzz(func(t *testing.T, s string) { checkLiteral(t, s) })
}

// TestCommentOfTheCorpus: whatever text stands in a plan, its comment has the structure of
// one with plain words, and fits.
func TestCommentOfTheCorpus(t *testing.T) {
	filled := func(value string) *plan.Comparison {
		c := &plan.Comparison{Notes: make([]string, 3)}
		c.Price, c.Problems = plan.Price{Before: 1, After: 1e6}, make([]model.Problem, 10)
		for i := range c.Problems {
			c.Problems[i].Places = make([]model.Place, 2)
		}
		c.Touched, c.Waits = make([]plan.Touched, 3), plan.Waits{Total: 20, First: make([]plan.WaitingApp, 3)}
		for i := range c.Touched {
			c.Touched[i] = plan.Touched{Price: c.Price, Amounts: []plan.AmountChange{{After: model.Amount{Granted: 1}}}, Owners: []string{""}}
		}
		c.Approvals = []plan.Approval{{Who: []string{""}}, {People: 2, Who: []string{"", ""}}}
		for i := range 20 {
			effect := []plan.Effect{plan.Rejected, plan.Refused, plan.Degraded, plan.Admitted}[i%4]
			c.Applications = append(c.Applications, plan.Application{
				Effect: effect, Price: c.Price, Refused: &model.Refusal{}, After: &model.Decision{},
				Grants: []plan.GrantChange{{Before: &model.Grant{}, After: &model.Grant{}}, {After: &model.Grant{Replicas: 2}}},
			})
		}
		for i := range 10 {
			effect := []plan.RunEffect{plan.RunBegins, plan.RunEnds}[i%2]
			c.Runs = append(c.Runs, plan.RunChange{Effect: effect, Run: plan.Run{Steps: make([]plan.RunStep, 4)}})
			action := []plan.Action{plan.Add, plan.Change, plan.Remove, plan.Keep}[i%4]
			object := plan.ObjectChange{Action: action, Diff: value, Fields: make([]plan.FieldChange, 4)}
			for n := range object.Fields {
				object.Fields[n].After = json.RawMessage(value)
			}
			c.Objects = append(c.Objects, object)
		}
		c.Rounds = []plan.Round{{Number: 1}, {Number: 2, Runs: slices.Clone(c.Runs[:2])}, {Number: 3}}
		for i := range c.Rounds[:2] {
			c.Rounds[i].Applications = []plan.Application{{Effect: plan.Admitted, Price: c.Price, After: &model.Decision{}}}
			for n := range c.Rounds[i].Runs {
				c.Rounds[i].Runs[n].Steps = make([]plan.RunStep, 4)
			}
		}
		return c
	}
	plain, hostile := filled("word"), filled(strings.Join(texttest.Corpus(), " "))
	planted := texttest.Plant(hostile, constants...)
	require.Greater(t, planted, len(texttest.Corpus()), "every text of the corpus is in some field")
	words(reflect.ValueOf(plain), reflect.ValueOf(hostile))
	got := Comment(hostile)
	require.Equal(t, structure(Comment(plain)), structure(got))
	texttest.Lines(t, string(got), maxComment)
	require.Less(t, len(got), 65_536, "what a pull request takes")
}

// constants are types of strings in a plan that are not foreign.
var constants = []reflect.Type{reflect.TypeFor[plan.Effect](), reflect.TypeFor[plan.RunEffect](), reflect.TypeFor[plan.Action]()}

// words gives plain the word "word" wherever hostile has foreign text that shows.
func words(plain, hostile reflect.Value) {
	if plain.IsValid() && slices.Contains(constants, plain.Type()) {
		return
	}
	switch plain.Kind() {
	case reflect.Pointer:
		words(plain.Elem(), hostile.Elem())
	case reflect.Struct:
		for i := range plain.NumField() {
			words(plain.Field(i), hostile.Field(i))
		}
	case reflect.Slice:
		for i := range plain.Len() {
			words(plain.Index(i), hostile.Index(i))
		}
	case reflect.String:
		if text.Clean(hostile.String()) != "" {
			plain.SetString("word")
		}
	}
}

// TestBriefEndsBetweenClauses: what is cut ends before a clause, or before a word, and never in a number.
func TestBriefEndsBetweenClauses(t *testing.T) {
	clause := "needs at least 24000m cpu at once, pool general has 12000m in all"
	long := strings.Join([]string{clause, clause, clause}, "; ")
	require.Equal(t, clause+"; "+clause+" …", brief(long))
	require.Equal(t, clause, brief(clause))
	for n := range 40 {
		cut := brief(strings.Repeat("a", n) + strings.Repeat(" 123456789", 30))
		require.Regexp(t, `^a* ?123456789( 123456789)+ …$`, cut)
		require.LessOrEqual(t, len(cut), maxBrief+4)
	}
}

// TestRemedyOfTheRefused: the first page tells what is refused how to get in, by its decision or by the check that fails.
func TestRemedyOfTheRefused(t *testing.T) {
	d := &model.Decision{Constraints: []model.Constraint{
		{Name: "quota.memory", OK: true}, {Name: "quota.cpu", Asked: "24", Limit: "16", Short: "8", At: "tenants/acme/tenant.cue:5:9"}, {Name: "limits.maxShare", Asked: "24", Limit: "8"},
	}}
	require.Equal(t, "quota.cpu: ask for 8 less, or raise the limit of 16 (tenants/acme/tenant.cue:5:9); and 1 check more", strings.ReplaceAll(remedy(d), `\`, ""))
	d.WouldAdmit = []string{"request 16 cpu instead of 24"}
	require.Equal(t, "request 16 cpu instead of 24", remedy(d))
	require.Empty(t, remedy(&model.Decision{}))
}

// TestDefaultsAreFolded: of the policies in force, what somebody set stands in the open and the rest in <details>, as a table
// that Git hosts show.
func TestDefaultsAreFolded(t *testing.T) {
	app := model.AppID{Tenant: "acme", Name: "shop"}
	got := string(Application(app, nil, &model.Decision{App: app, Policies: []model.PolicyValue{
		{Path: "preemption", Value: "none", Layer: "tenant", At: "tenants/acme/tenant.cue:4:9"}, {Path: "minRuntime", Value: "0s", Layer: "schema"}, {Path: "degradation", Value: "true", Layer: "schema"},
	}}, nil, "", model.Links{}))
	require.Contains(t, got, "## Policies in force\n\n| Policy | Value | Set by | At |\n| --- | --- | --- | --- |\n| `preemption` | none | tenant | tenants/acme/tenant.cue:4:9 |\n\n"+
		"<details><summary>2 defaults that nobody set</summary>\n\n| Policy | Value |\n| --- | --- |\n| `minRuntime` | 0s |\n| `degradation` | true |\n\n</details>\n")
}
