package reconcile

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/evaluators"
	"github.com/d-aros/d-aros/test/gittest"
)

// entries lists the calls of a pass to its edges, in order.
type entries []string

type enteredSource struct {
	*entries
	Source
}

func (s enteredSource) Line(ctx context.Context, recorded, root string) (source.Line, error) {
	*s.entries = append(*s.entries, "source.Line")
	return s.Source.Line(ctx, recorded, root)
}

type enteredLedger struct {
	*entries
	Ledger
}

func (l enteredLedger) Load(ctx context.Context) (model.Ledger, error) {
	*l.entries = append(*l.entries, "status.Load")
	return l.Ledger.Load(ctx)
}

func (l enteredLedger) Commit(ctx context.Context, previous, next model.Ledger) (model.Ledger, bool, error) {
	*l.entries = append(*l.entries, "status.Commit")
	return l.Ledger.Commit(ctx, previous, next)
}

// enteredRuntime has room for everything and carries it out at once.
type enteredRuntime struct{ *entries }

func (r enteredRuntime) Inspect(context.Context, *model.Platform) (model.Observation, error) {
	*r.entries = append(*r.entries, "runtime.Inspect")
	size := model.Resources{CPU: 8000, Memory: 32 << 30}
	return model.Observation{Pools: []model.Pool{{Name: "general", Nodes: 1, Capacity: size, Largest: size}}}, nil
}

func (r enteredRuntime) Act(_ context.Context, list []runtime.Assignment) (report runtime.Report) {
	*r.entries = append(*r.entries, "runtime.Act")
	for i := range list {
		report.Outcomes = append(report.Outcomes, runtime.Outcome{App: list[i].App})
	}
	return report
}

func (enteredRuntime) Drifted() []model.AppID   { return nil }
func (enteredRuntime) Changed() <-chan struct{} { return nil }

// renderer renders assignments as the adapter of Kubernetes does.
var renderer = &kubernetes.Renderer{Fleet: "test"}

// apply carries out at once what a cluster gets.
func (r enteredRuntime) apply(_ context.Context, sets []render.Set) (report apply.Report) {
	*r.entries = append(*r.entries, "runtime.Act")
	for i := range sets {
		report.Sets = append(report.Sets, apply.SetReport{App: sets[i].App})
	}
	return report
}

// newEntered returns a keeper whose loop counts how it enters its edges: with a real
// status branch, evaluation and approvals.
func newEntered(t *testing.T) (*keeper, *entries) {
	k := newKeeper(t)
	calls := &entries{}
	branch, err := status.Open(t.Context(), status.Options{URL: gittest.NewBare(t).Dir, Dir: t.TempDir(), Now: k.loop.o.Now})
	require.NoError(t, err)
	t.Cleanup(func() { _ = branch.Close() })
	k.restart = func(o *Options) {
		evaluator := evaluators.New(t)
		o.Source, o.Status, o.Runtime = enteredSource{calls, o.Source}, enteredLedger{calls, branch}, enteredRuntime{calls}
		o.Evaluator, o.Commands, o.Fleet = evaluator, NewApprovals(evaluator), "test"
		o.Interval = time.Hour
	}
	k.start()
	return k, calls
}

// TestAPassEntersEachEdgeOnce: 50 signed commits, a merge, a pin to an older commit and
// an approval cost no more calls than one commit does. A pass in which nothing is due
// asks the repo nothing.
func TestAPassEntersEachEdgeOnce(t *testing.T) {
	k, calls := newEntered(t)
	pass := func(pass func(context.Context) (Report, error), problems ...string) (Report, entries) {
		*calls = nil
		r, err := pass(t.Context())
		require.NoError(t, err)
		require.Len(t, r.Problems, len(problems), "%v", r.Problems)
		for i := range problems {
			require.Equal(t, problems[i], r.Problems[i].Code)
		}
		return r, slices.Clone(*calls)
	}
	pass(k.loop.Pass)
	pass(k.loop.Pass)
	pinned := ""
	for i := range 50 {
		k.app(fmt.Sprint("v", i))
		if commit := k.by("bob"); i == 10 {
			pinned = commit
		}
	}
	k.Git("checkout", "-q", "-b", "side")
	k.app("side")
	k.by("")
	k.Git("checkout", "-q", "main")
	k.Signed(k.key["root"], "merge", "-q", "--no-ff", "-m", "merge", "side")
	k.tenant(`access: {principals: {ann: ssh: [%q], bob: ssh: [%q]}, admins: ["ann"], owners: shop: ["bob"]}
	releases: shop: commit: %q`, k.public["ann"], k.public["bob"], pinned)
	k.Write("approvals/acme/shop/a.cue", "package fleet\n\napproval: a: {run: \"3f2a91c04be7\", step: \"agree\"}\n")
	tip := k.by("ann")
	all := entries{"status.Load", "source.Line", "runtime.Inspect", "status.Commit", "runtime.Act"}
	r, busy := pass(k.loop.Pass)
	require.Equal(t, tip, r.Commit)
	require.Equal(t, all, busy)

	quiet := entries{"status.Load", "runtime.Inspect", "status.Commit"}
	_, calm := pass(k.loop.turn)
	require.Equal(t, quiet, calm)

	t.Log("a refused tip is told in each pass, and fetched at each poll only")
	k.app("unsigned")
	k.by("")
	r, _ = pass(k.loop.Pass, access.CodeUnsigned)
	require.Equal(t, tip, r.Commit)
	for range 3 {
		r, calm = pass(k.loop.turn, access.CodeUnsigned)
		require.Equal(t, tip, r.Commit)
		require.Equal(t, quiet, calm)
	}

	t.Log("after a restart, as before it")
	k.start()
	r, busy = pass(k.loop.Pass, access.CodeUnsigned)
	require.Equal(t, tip, r.Commit)
	require.Equal(t, all[:2], busy[:2])
}

// TestAPassWithoutTheAcceptedCommit: where the repo has forgotten what was accepted,
// everything stays as recorded, approvals and older commits included.
func TestAPassWithoutTheAcceptedCommit(t *testing.T) {
	k, _ := newEntered(t)
	first := k.head()
	k.Write("approvals/acme/shop/a.cue", "package fleet\n\napproval: a: {run: \"3f2a91c04be7\", step: \"agree\"}\n")
	accepted := k.by("bob")
	_, err := k.loop.Pass(t.Context())
	require.NoError(t, err)
	k.Git("reset", "-q", "--hard", first)
	k.app("evil")
	k.by("mallory")
	k.Git("reflog", "expire", "--expire=now", "--all")
	k.Git("gc", "-q", "--prune=now")
	k.start()
	for range 2 {
		r, err := k.loop.Pass(t.Context())
		require.NoError(t, err)
		require.Equal(t, accepted, r.Commit)
		require.Equal(t, access.CodeRewritten, r.Problems[0].Code)
		for _, moved := range r.Transitions() {
			require.Equal(t, moved.From, moved.To)
		}
	}
}
