package status_test

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// nasty is what a tenant may write where text is allowed.
const nasty = "x|y\n\n# Heading\n<script>alert(1)</script> <img src=x> [a](https://evil.example) ![b](http://evil.example/i.png) " +
	"@everyone `code` **bold** \x1b[31mred\x1b[0m \u202egnp.exe\u0000\r\nSource-Commit: 666\nTransitions: 9\n www.evil.example mailto:a@b.c $\\href{x}{y}$"

var codeSpan = regexp.MustCompile("`[^`\n]*`")

func TestAttack19StatusInjection(t *testing.T) {
	remote := gittest.NewBare(t)
	b := open(t, remote.Dir)
	l := busyFleet()
	in := &l.Instances[0]
	in.Message, in.Reason = nasty, model.Reason(nasty)
	in.Refused.Message, in.Refused.Reason = nasty, model.Reason(nasty)
	in.Components[0].Message, in.Components[0].State, in.Components[0].Grant.Pool = nasty, nasty, nasty
	in.History = append(in.History, model.Transition{At: noon, Instance: 1, To: model.Phase(nasty), Reason: model.Reason(nasty), Message: nasty, Commit: nasty})
	spec := *in.Spec
	spec.Components[0].Type = nasty
	in.Spec = &spec
	l.Decisions[0].Message, l.Decisions[0].Verdict = nasty, model.Verdict(nasty)
	l.Decisions[0].WouldAdmit, l.Decisions[0].For, l.Decisions[0].Standing = []string{nasty}, nasty, nasty
	l.Decisions[0].Shares = []model.TenantShare{{Of: nasty}}
	l.Decisions[0].Constraints[0].Name, l.Decisions[0].Constraints[0].At = nasty, nasty
	l.Decisions[0].Policies[0] = model.PolicyValue{Path: nasty, Value: nasty, Layer: nasty, At: nasty}
	l.Platform.Name, l.Pools[0].Name = nasty, nasty
	l.Problems[0].Message, l.Problems[0].Code, l.Problems[0].Places[0].At = nasty, nasty, nasty
	empty, err := b.Load(t.Context())
	require.NoError(t, err)
	_, _, err = b.Commit(t.Context(), empty, l)
	require.NoError(t, err)

	for name := range strings.Lines(remote.Git("ls-tree", "-r", "--name-only", "status")) {
		name = strings.TrimSpace(name)
		checkHarmless(t, name, remote.Git("show", "status:"+name))
	}
	message := remote.Git("log", "-1", "--format=%B", "status")
	require.Equal(t, 1, strings.Count(message, "Source-Commit:"))
	require.Equal(t, 1, strings.Count(message, "Transitions:"))
	require.NotContains(t, message, "evil")

	back, err := b.Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, nasty, back.Decisions[0].Message, "records keep the text")
}

// TestAttack19EveryField: the same for every text that a ledger has, whichever
// field somebody will add.
func TestAttack19EveryField(t *testing.T) {
	l := busyFleet()
	plant := filler{text: func(int) string { return nasty }}
	in, d := &l.Instances[0], &l.Decisions[0]
	plant.fill(reflect.ValueOf(in).Elem())
	plant.fill(reflect.ValueOf(d).Elem())
	plant.fill(reflect.ValueOf(&l.Problems).Elem())
	plant.fill(reflect.ValueOf(&l.Pools).Elem())
	in.App, in.Spec.ID, in.Previous.ID, in.Run.App, d.App = shop(), shop(), shop(), shop(), shop()
	for i := range in.Spec.Components {
		in.Spec.Components[i].Name, in.Previous.Components[i].Name = fmt.Sprint("c", i), fmt.Sprint("c", i)
		in.Components[i].Grant.Component = fmt.Sprint("c", i)
	}
	for _, phase := range []model.RunPhase{model.RunPaused, model.RunRollingBack, nasty} {
		for _, step := range []model.StepPhase{model.StepActive, model.StepQueued, model.StepRetrying, nasty} {
			in.Phase, in.Run.Phase, in.Run.Steps[0].Phase, in.Run.Spec = model.PhaseRunning, phase, step, in.Spec.Release
			d.Verdict = model.VerdictWaiting
			files, _, err := status.Written(l)
			require.NoError(t, err)
			require.Contains(t, files, "tenants/acme/shop/workflow.json")
			for name, file := range files {
				checkHarmless(t, name, string(file.Data))
			}
		}
	}
}

// checkHarmless demands that nothing that people wrote is active on a page.
func checkHarmless(t *testing.T, name, page string) {
	t.Helper()
	require.Regexp(t, `^[a-z0-9/.-]+$`, strings.Replace(name, "README", "readme", 1))
	require.False(t, strings.ContainsFunc(page, func(r rune) bool {
		// Records keep every character of a text; pages only those that show.
		return r != '\n' && (unicode.IsControl(r) || strings.HasSuffix(name, ".md") && unicode.Is(unicode.Cf, r))
	}), "%s has control characters", name)
	if !strings.HasSuffix(name, ".md") {
		return
	}
	page = codeSpan.ReplaceAllString(page, "") // nothing is active inside
	for _, active := range []string{"<script", "<img", "https://", "\n# Heading", "@everyone", "javascript:"} {
		require.NotContains(t, page, active, name)
	}
}

func TestNamesBecomePaths(t *testing.T) {
	for _, name := range []string{"", ".", "..", ".git", "a/b", "../x", "A", "a_b", "README.md", "-a", "a-", "ä", "a\nb", strings.Repeat("a", 64)} {
		_, err := status.AppDir(model.AppID{Tenant: "acme", Name: name})
		require.Error(t, err, "%q", name)
		_, err = status.AppDir(model.AppID{Tenant: name, Name: "shop"})
		require.Error(t, err, "%q", name)
		_, _, err = status.Written(model.Ledger{Instances: []model.Instance{{App: model.AppID{Tenant: "acme", Name: name}, Number: 1, Phase: model.PhaseCreated}}})
		require.Error(t, err, "%q", name)
	}
}

var format2 = &fstest.MapFile{Data: []byte(`{"major": 2, "minor": 0}`)}

// TestReadNamesTheFile: every file of the branch is foreign bytes.
func TestReadNamesTheFile(t *testing.T) {
	const dir = "tenants/acme/shop/"
	for _, c := range []struct{ file, content, says string }{
		{"inputs/source.json", `{"commit": [1]}`, "inputs/source.json"},
		{"inputs/source.json", `{"commit": "a b"}`, "is not a commit"},
		{"inputs/platform.json", `{"nmae": "x"}`, `format 2.0 has no field "nmae"`},
		{"inputs/platform.json", `null`, "it is empty"},
		{"inputs/capacity.json", `{`, "ends too early"},
		{"inputs/capacity.json", `[]`, "inputs/capacity.json"},
		{"errors.json", `{"problems": [{"code": "A", "code": "B"}]}`, `the key "code" stands there twice`},
		{"errors.json", `{"problems": [], "\u0070roblems": []}`, `the key "problems" stands there twice`},
		{"tenants/acme/tenant.json", `{"name": "other"}`, `about tenant "other"`},
		{dir + "instance.json", `{"application": "acme/blog"}`, `about "acme/blog"`},
		{dir + "instance.json", `{"application": "acme/shop", "instance": 1, "phase": "Flying"}`, "is not a phase"},
		{dir + "instance.json", `{"application": "acme/shop", "instance": 0, "phase": "Running"}`, "count from 1"},
		{dir + "instance.json", `{"application": "acme/shop"} {}`, "something follows the record"},
		{dir + "instance.json", "", "ends too early"},
		{dir + "instance.json", "\x00", dir + "instance.json"},
		{dir + "instance.json", strings.Repeat(" ", 5<<20), "at most"},
		{dir + "decision.json", `{"application": "acme/blog"}`, `about "acme/blog"`},
		{dir + "spec.json", `{"id": "acme/blog"}`, `about "acme/blog"`},
		{dir + "spec.json", `{"id": "acme/shop", "components": [{"name": "../x"}]}`, "cannot name a component"},
		{dir + "spec.json", `{"id": "acme/shop", "policy": {"maxRepl": 1}}`, `format 2.0 has no field "maxRepl"`},
		{dir + "spec.json", `{"id": "acme/shop", "policy": [1]}`, "spec.json"},
		{dir + "spec.json", `{"id": "acme/shop", "policy": {"strategy": "a", "strategy": "b"}}`, `the key "strategy" stands there twice`},
		{dir + "spec.json", `{"id": "acme/shop"}`, "it is missing"},
		{dir + "spec.json", `{"id": "acme/shop", "policy": null}`, "it is missing"},
		{dir + "workflow.json", `{"application": "acme/blog"}`, `about "acme/blog"`},
		{dir + "workflow.json", `{"application": "acme/shop", "instance": 1, "number": 0}`, "both count from 1"},
		{dir + "workflow.json", `{"application": "acme/shop", "instance": 1, "number": 1}`, "it is missing"},
		{"tenants/ACME/shop/instance.json", "", "cannot name"},
		{"tenants/acme/.git/config", "", "cannot name"},
	} {
		l, err := status.Read(fstest.MapFS{"inputs/format.json": format2, c.file: &fstest.MapFile{Data: []byte(c.content)}})
		if strings.HasPrefix(c.file, dir) { // it concerns one application
			require.NoError(t, err)
			require.Len(t, l.Damaged, 1)
			err = errors.New(l.Damaged[0].String())
		}
		require.ErrorContains(t, err, c.says, "%s: %s", c.file, c.content[:min(len(c.content), 50)])
		require.NotContains(t, err.Error(), "\n")
	}
	l, err := status.Read(fstest.MapFS{"inputs/format.json": format2, "NOTES.txt": {}, "tenants/acme/NOTES.txt": {}, "nodes/general.json": {}})
	require.NoError(t, err)
	require.Empty(t, l)
}

// TestLoadHostileBranch: a branch that cannot be read stops the pass with a
// sentence, and nothing is overwritten.
func TestLoadHostileBranch(t *testing.T) {
	user := gittest.New(t)
	user.Write("inputs/format.json", string(format2.Data))
	user.Write("inputs/platform.json", `{"name": [`)
	user.Commit("broken")
	user.Git("branch", "status")
	b := open(t, user.Dir)
	_, err := b.Load(t.Context())
	require.ErrorContains(t, err, "inputs/platform.json")
	_, _, err = b.Commit(t.Context(), model.Ledger{}, example(model.PhaseRunning))
	require.ErrorIs(t, err, status.ErrMoved)
}

func FuzzAppDir(f *testing.F) {
	f.Add("acme", "shop")
	f.Add("..", ".git")
	f.Fuzz(func(t *testing.T, tenant, name string) {
		dir, err := status.AppDir(model.AppID{Tenant: tenant, Name: name})
		if err == nil && !regexp.MustCompile(`^tenants/[a-z0-9-]+/[a-z0-9-]+$`).MatchString(dir) {
			t.Fatalf("%q", dir)
		}
	})
}

func FuzzRead(f *testing.F) {
	files, _, err := status.Written(busyFleet())
	require.NoError(f, err)
	for name, file := range files {
		if strings.HasSuffix(name, ".json") {
			f.Add(name, file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		fsys := fstest.MapFS{}
		for n, file := range files {
			fsys[n] = file
		}
		if _, ours := files[name]; !ours {
			name = "tenants/acme/shop/instance.json"
		}
		fsys[name] = &fstest.MapFile{Data: data}
		l, err := status.Read(fsys)
		if err != nil || len(l.Damaged) > 0 {
			return
		}
		// What can be read can be written again, and means the same.
		again, _, err := status.Written(l)
		if err != nil {
			t.Fatal(err)
		}
		back, err := status.Read(again)
		if err != nil {
			t.Fatal(err)
		}
		require.Equal(t, asWritten(t, l), asWritten(t, back))
	})
}
