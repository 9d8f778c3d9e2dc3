package evaluate

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate/decode"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/page"
)

// approval is a file that approves a step.
func approval(name, step string) []byte {
	return fmt.Appendf(nil, "package fleet\n\napproval: %q: {run: \"3f2a91c04be7\", step: %q}\n", name, step)
}

func treeOf(texts map[string][]byte) tree {
	files := fstest.MapFS{}
	for name, data := range texts {
		files[name] = &fstest.MapFile{Data: data}
	}
	return tree{files}
}

// One file that is wrong, or says too much, is a problem; the others count.
func TestApprovalsOfAFleet(t *testing.T) {
	texts := map[string][]byte{
		"approvals/acme/shop/a.cue":        approval("a", "agree"),
		"approvals/acme/shop/b.cue":        []byte("package fleet\n\napproval: b: {run: \"3f2a91c04be7\", action: \"accept\", step: \"agree\"}\n"),
		"approvals/acme/shop/c.cue":        []byte("package fleet\n\napplication: name: \"shop\"\n"),
		"approvals/acme/shop/huge.cue":     []byte(strings.Repeat("// x\n", 4<<10)),
		"approvals/acme/shop/notes.md":     []byte("# why"),
		"approvals/acme/shop/.hidden.cue":  approval("h", "agree"),
		"approvals/acme/shop/more/d.cue":   approval("d", "agree"),
		"approvals/acme/blog/a.cue":        approval("a", "look"),
		"approvals/acme/far.cue":           approval("far", "agree"),
		"approvals/beta/Upper/a.cue":       approval("a", "agree"),
		"approvals/beta/crowd/README.cue":  approval("a", "agree"),
		"tenants/acme/apps/shop/other.cue": nil,
	}
	for i := range maxApprovals {
		texts[fmt.Sprintf("approvals/beta/crowd/%d.cue", i)] = approval("a", "agree")
	}
	e := New()
	asked := e.Approvals(treeOf(texts))
	got, problems := asked.Approvals, asked.Problems
	agree := func(app, file, step string) Approval {
		id := model.AppID{Tenant: "acme", Name: app}
		return Approval{id, "approvals/acme/" + app + "/" + file, []model.Command{{Action: "approve", Run: "3f2a91c04be7", Step: step}}}
	}
	require.Equal(t, []Approval{agree("blog", "a.cue", "look"), agree("shop", "a.cue", "agree")}, got)
	var said []string
	for _, p := range problems {
		said = append(said, fmt.Sprintf("%s %s/%s %s", p.Code, p.Tenant, p.App, strings.SplitN(p.Places[0].At, ":", 2)[0]))
	}
	require.Equal(t, []string{
		"DA1019 / approvals/acme/far.cue",
		"DA1008 acme/shop approvals/acme/shop/.hidden.cue",
		"DA1272 acme/shop approvals/acme/shop/b.cue",
		"DA1003 acme/shop approvals/acme/shop/c.cue",
		"DA1009 acme/shop approvals/acme/shop/huge.cue",
		"DA1014 / approvals/beta/Upper",
		"DA1009 beta/crowd approvals/beta/crowd",
	}, said)
}

// What did not change is not looked at again.
func TestApprovalsAreRemembered(t *testing.T) {
	texts := map[string][]byte{"approvals/acme/shop/a.cue": approval("a", "agree"), "approvals/acme/blog/a.cue": approval("a", "look")}
	files := noted{treeOf(texts), map[string]int{}}
	e := New()
	first := e.Approvals(files)
	clear(files.reads)
	again := e.Approvals(files)
	require.Equal(t, first, again)
	require.Empty(t, files.reads)

	texts["approvals/acme/shop/b.cue"] = approval("b", "agree")
	files.tree = treeOf(texts)
	more := e.Approvals(files)
	require.Len(t, more.Approvals, 3)
	require.NotContains(t, files.reads, "approvals/acme/blog/a.cue")

	require.Zero(t, e.Approvals(treeOf(map[string][]byte{"fleet.cue": nil})))
}

// noted notes what is read.
type noted struct {
	tree
	reads map[string]int
}

func (c noted) ReadFile(name string) ([]byte, error) {
	c.reads[name]++
	return fs.ReadFile(c.tree, name)
}

// The example of docs/workflow.md is what is written.
func TestApprovalOnThePage(t *testing.T) {
	_, data, err := ApprovalFile(model.AppID{Tenant: "acme", Name: "shop"},
		model.Command{Action: "approve", Run: "3f2a91c04be75d0c3f2a91c04be75d0c", Step: "agree", Why: "tested on Thursday"}, 1)
	require.NoError(t, err)
	page.Hold(t, *update, "../../docs/workflow.md", "approval", "```cue\n"+string(data)+"```\n")
}

// The example of docs/operations.md is what is written, under the name that it has there,
// and reads as what it was.
func TestRemovalOnThePage(t *testing.T) {
	ids := []model.InstanceID{instance("acme/api#3"), instance("acme/blog#1"), instance("acme/docs#2")}
	name, data, err := RemovalFile("acme", ids)
	require.NoError(t, err)
	page.Hold(t, *update, "../../docs/operations.md", "removal", "```cue\n// "+name+"\n"+string(data)+"```\n")
	back, problems := Removals("acme", name, data)
	require.Empty(t, problems)
	require.Equal(t, ids, back)

	_, _, err = RemovalFile("globex", ids)
	require.ErrorContains(t, err, "DA1552")
	_, _, err = RemovalFile("acme", nil)
	require.ErrorContains(t, err, "must name an instance, such as acme/shop#3")
}

func instance(name string) model.InstanceID {
	id, err := model.ParseInstanceID(name)
	if err != nil {
		panic(err)
	}
	return id
}

// Files of several tenants confirm removals together, each those of its own tenant. One
// that is wrong confirms nothing and does not affect the others.
func TestRemovals(t *testing.T) {
	removal := func(text string) []byte { return []byte("package fleet\n\nremoval: " + text + "\n") }
	texts := map[string][]byte{
		"approvals/acme/removals/a.cue":    removal(`["acme/shop#3", "acme/blog#1"]`),
		"approvals/acme/removals/b.cue":    removal(`["acme/shop#3", "acme/docs#12"]`),
		"approvals/acme/removals/c.cue":    removal(`["acme/x#1", "beta/x#1"]`),
		"approvals/acme/removals/d.cue":    removal(`["acme/x"]`),
		"approvals/acme/removals/e.cue":    removal(`[]`),
		"approvals/acme/removals/f.cue":    removal(`[for n in ["x"] {"acme/\(n)#1"}]`),
		"approvals/acme/removals/g.cue":    []byte("package fleet\n\napproval: a: {run: \"3f2a91c04be7\", step: \"agree\"}\n"),
		"approvals/acme/removals/h.cue":    removal(`["acme/x#0"]`),
		"approvals/beta/removals/a.cue":    removal(`["beta/app#2"]`),
		"approvals/beta/app/a.cue":         removal(`["beta/x#1"]`),
		"approvals/beta/removals/i.cue":    removal(`"beta/x#1"`),
		"approvals/beta/removals/huge.cue": removal(`["` + strings.Repeat("x", maxRemoval) + `"]`),
	}
	asked := New().Approvals(treeOf(texts))
	require.Equal(t, []model.InstanceID{instance("acme/blog#1"), instance("acme/docs#12"), instance("acme/shop#3"), instance("beta/app#2")}, asked.Removals)
	require.Empty(t, asked.Approvals)
	var said []string
	for _, p := range asked.Problems {
		said = append(said, fmt.Sprintf("%s %s/%s %s", p.Code, p.Tenant, p.App, strings.SplitN(p.Places[0].At, ":", 2)[0]))
	}
	require.Equal(t, []string{
		"DA1552 acme/ approvals/acme/removals/c.cue",
		"DA1279 acme/ approvals/acme/removals/d.cue",
		"DA1103 acme/ approvals/acme/removals/e.cue",
		"DA1275 acme/ approvals/acme/removals/f.cue",
		"DA1003 acme/ approvals/acme/removals/g.cue",
		"DA1279 acme/ approvals/acme/removals/h.cue",
		"DA1003 beta/app approvals/beta/app/a.cue",
		"DA1009 beta/ approvals/beta/removals/huge.cue",
		"DA1104 beta/ approvals/beta/removals/i.cue",
	}, said)
}

// BenchmarkApproval evaluates one file that is not in memory.
func BenchmarkApproval(b *testing.B) {
	file := layer.Source{Name: "approvals/acme/shop/a.cue", Data: approval("a", "agree")}
	for b.Loop() {
		decode.Approval(layer.Approval("approval", file))
	}
}

// What is written reads as what it was, whatever people give as their reason.
func TestApprovalFile(t *testing.T) {
	shop := model.AppID{Tenant: "acme", Name: "shop"}
	agree := model.Command{Action: "approve", Run: "3f2a91c04be75d0c3f2a91c04be75d0c", Step: "agree", Why: "tested \\(1+1) \"on\"\nThursday\t\u202e"}
	a, data, err := ApprovalFile(shop, agree, 1)
	require.NoError(t, err)
	require.Equal(t, Approval{shop, "approvals/acme/shop/3f2a91c04be7-approve-agree.cue", []model.Command{agree}}, a)
	require.Equal(t, `package fleet

approval: "3f2a91c04be7-approve-agree": {
	run:    "3f2a91c04be75d0c3f2a91c04be75d0c"
	action: "approve"
	step:   "agree"
	why:    "tested \\(1+1) \"on\"\nThursday\t\u202e"
}
`, string(data))

	agree.Step = "a-step-whose-name-is-as-long-as-a-name-may-be-which-is-63-letters"[:63]
	a, _, err = ApprovalFile(shop, agree, 200)
	require.NoError(t, err)
	require.Equal(t, "approvals/acme/shop/3f2a91c04be7-approve-a-step-whose-name-is-as-long-as-a-n-200.cue", a.File)

	_, _, err = ApprovalFile(shop, model.Command{Action: "stop", Run: agree.Run, Step: "agree"}, 1)
	require.ErrorContains(t, err, "DA1274")
	_, _, err = ApprovalFile(shop, model.Command{Action: "stop", Run: agree.Run, Why: strings.Repeat("x", 501)}, 1)
	require.Error(t, err)
}

// Whatever a file holds, it asks for something that a run can be asked, or is said
// to be wrong, and at once.
func FuzzApproval(f *testing.F) {
	f.Add(approval("a", "agree"))
	f.Add([]byte("package fleet\n\napproval: {a: {run: \"3f2a91c04be7\", action: \"stop\", why: \"\"\"\n\tx\n\t\"\"\"}, b: run: \"\\(a.run)\"}\n"))
	f.Add([]byte("package fleet\n\nimport \"strings\"\n\napproval: a: {run: strings.Repeat(\"0123456789ab\", 1e9), step: \"x\"}\n"))
	f.Add([]byte("package fleet\nlet a = [for x in b {x}]\napproval: (a): {b?: a | b, [string]: _, @x()}\n"))
	name := regexp.MustCompile(`^[a-z0-9-]*$`)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > maxApproval {
			return
		}
		commands, problems := decode.Approval(layer.Approval("approval", layer.Source{Name: "approvals/acme/shop/a.cue", Data: data}))
		require.NotEqual(t, len(commands) == 0, len(problems) == 0)
		for _, c := range commands {
			require.Regexp(t, "^[0-9a-f]{12,32}$", string(c.Run))
			require.Contains(t, []string{"approve", "reject", "pause", "resume", "stop", "restart"}, c.Action)
			require.Regexp(t, name, c.Step)
			require.LessOrEqual(t, utf8.RuneCountInString(c.Why), 500)
			require.Empty(t, c.By)
			require.Empty(t, c.Roles)
		}
	})
}
