package paper

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/evaluators"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/tier"
)

func TestMain(m *testing.M) { os.Exit(evaluators.Main(m)) }

// TestPlanIsWhatIsSaved: on random fleets, with workflows that wait for approvals or
// are superseded, applications that are ending, broken files, refused renderings, pins
// and commits that are refused because nobody signed them, a plan of the clone and the
// next pass of the loop make the same status branch, byte for byte, of the same
// observation and time: where the plan was saved, the loop has nothing left to save.
// Replay of each status commit agrees.
func TestPlanIsWhatIsSaved(t *testing.T) {
	fleets := tier.Count(10, 300, 3000)
	const length = 20
	refusals := 0
	for seed := range uint64((fleets + length - 1) / length) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			f := newFluctuation(t, seed)
			for range min(fleets, length) {
				change := f.change()
				f.branch.planned = f.planned()
				if f.branch.unsaved {
					f.loop = f.paper.Restart() // what it alone remembers, no plan can know
				}
				f.paper.Steady = true
				f.pass()
				f.paper.Steady = false
				require.Nil(t, f.branch.planned, "the loop saved nothing")
				if f.branch.differs {
					t.Fatalf("%s: what the loop saves differs from the plan:\n%s", change, f.repo.Git("diff", "status~1", "status"))
				}
				f.now = f.now.Add(time.Duration(f.rng.IntN(120)) * time.Second)
				for range f.rng.IntN(4) { // workloads start, or the next change meets them as they are
					f.pass()
					f.now = f.now.Add(20 * time.Second)
				}
			}
			made := f.replayed()
			require.Positive(t, made.Equal)
			require.Zero(t, made.Differs+made.Unknown, made.Commits)
			refusals += f.branch.refusals
		})
	}
	if fleets > length {
		require.Positive(t, refusals, "no commit was refused")
	}
}

// fluctuation is a world that changes at random.
type fluctuation struct {
	t        *testing.T
	repo     *gittest.Repo
	now      time.Time
	paper    *Runtime
	loop     *reconcile.Loop
	rng      *rand.Rand
	key      string
	clone    *clone.Tree
	branch   *planFirst
	first    string // commit, for pins
	accepted string // the last commit that counts
	enforced bool   // commits that nobody signed are refused
}

var fluctuating = []string{"shop", "blog", "api"}

func newFluctuation(t *testing.T, seed uint64) *fluctuation {
	f := &fluctuation{
		t: t, repo: gittest.New(t), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		rng: rand.New(rand.NewPCG(seed, 0)), branch: &planFirst{},
	}
	on := func(branch *status.Branch) reconcile.Ledger {
		f.branch.Branch = branch
		return f.branch
	}
	var err error
	f.paper, f.loop, err = Open(t.Context(), Options{
		Repo: f.repo.Dir, Dir: t.TempDir(), Evaluator: evaluators.New(t), Now: func() time.Time { return f.now }, AtEnd: t.Cleanup, On: on,
	})
	require.NoError(t, err)
	f.repo.Write("fleet.cue", Fleet)
	f.repo.Write("tenants/acme/tenant.cue", Tenant("acme", 32))
	f.repo.Write("tenants/globex/tenant.cue", Tenant("globex", 32))
	key, public := f.repo.Key("root")
	f.key, f.enforced = key, seed%2 == 1
	enforce := ""
	if f.enforced {
		enforce = "enforce: \"signed\", "
	}
	f.repo.Write("access.cue", fmt.Sprintf("package fleet\n\nplatform: access: {%sprincipals: root: ssh: [%q], admins: [\"root\"]}\n", enforce, public))
	for _, name := range fluctuating {
		f.declare(name)
	}
	f.first = f.repo.Commit("first")
	f.accepted = f.first
	f.pass()
	f.clone, err = clone.Open(t.Context(), f.repo.Dir)
	require.NoError(t, err)
	t.Cleanup(f.clone.Close)
	return f
}

// pass makes one pass of the reconciler that must go through.
func (f *fluctuation) pass() {
	f.t.Helper()
	_, err := f.loop.Pass(f.t.Context())
	require.NoError(f.t, err)
}

// declare writes an application in one of several shapes.
func (f *fluctuation) declare(name string) {
	image := fmt.Sprintf("example.com/%s:%d", name, f.rng.IntN(4))
	workflow := []string{"", `
	workflow: steps: [
		{name: "agree", type: "approval", properties: roles: ["tenant-admin"]},
		{name: "release", type: "deploy", dependsOn: ["agree"]},
	]`, `
	workflow: steps: [
		{name: "rest", type: "wait", properties: for: "30s"},
		{name: "release", type: "canary", components: ["web"], dependsOn: ["rest"], properties: stages: [{weight: 50, manual: true}]},
	]`}[f.rng.IntN(3)]
	more := ""
	if f.rng.IntN(6) == 0 {
		more = "\n\tcomponents: site: {type: \"kustomize\", properties: path: \"nowhere\"}"
	}
	f.repo.Write("tenants/acme/apps/"+name+"/app.cue", fmt.Sprintf(`package fleet

application: {
	name: %q
	priority: %d
	components: db: {type: "store", properties: image: "example.com/db:1", traits: storage: [{name: "data", type: "persistent", mountPath: "/data", size: "1Gi"}]}
	components: web: {type: "worker", replicas: %d, dependsOn: ["db"], properties: image: %q, degrade: minReplicas: 1}%s%s
}
`, name, 100*(1+f.rng.IntN(5)), 1+f.rng.IntN(5), image, more, workflow))
}

// change commits something, and says what.
func (f *fluctuation) change() string {
	f.t.Helper()
	name := fluctuating[f.rng.IntN(len(fluctuating))]
	dir := "tenants/acme/apps/" + name
	what := ""
	switch n := f.rng.IntN(10); {
	case n < 4:
		what = "declare " + name
		f.declare(name)
	case n == 4:
		what = "remove " + name
		f.remove(dir)
	case n == 5:
		what = "break " + name
		f.repo.Write(dir+"/more.cue", "package fleet\napplication: priority: 99999\n")
	case n == 6:
		what = "mend " + name
		f.remove(dir + "/more.cue")
		f.declare(name)
	case n == 7:
		what = "pin " + name
		f.repo.Write("tenants/acme/releases.cue", fmt.Sprintf("package fleet\n\ntenant: releases: %s: commit: %q\n", name, f.first))
	default:
		what = "ask of " + name
		f.ask(name)
	}
	f.repo.Write("change.txt", fmt.Sprint(f.rng.Uint64()))
	f.commit(what)
	return what
}

func (f *fluctuation) remove(name string) {
	f.t.Helper()
	require.NoError(f.t, os.RemoveAll(filepath.Join(f.repo.Dir, name)))
}

// commit commits what was written. A commit that nobody signed is refused where
// signatures are enforced, and what follows it, until somebody signs all of it anew.
func (f *fluctuation) commit(what string) {
	if f.rng.IntN(4) == 0 {
		if hash := f.repo.CommitSigned("", what); !f.enforced {
			f.accepted = hash
		}
		return
	}
	if refused := f.repo.Head() != f.accepted; refused && f.rng.IntN(2) == 0 {
		f.repo.CommitSigned(f.key, what) // on top of what is refused
		return
	} else if refused {
		f.repo.Git("reset", "-q", "--soft", f.accepted)
	}
	f.accepted = f.repo.CommitSigned(f.key, what)
}

// ask approves or resumes whatever step of an application waits.
func (f *fluctuation) ask(name string) {
	ledger, err := f.branch.Load(f.t.Context())
	require.NoError(f.t, err)
	in, ok := ledger.Find(model.AppID{Tenant: "acme", Name: name})
	if !ok || in.Run == nil {
		return
	}
	for i := range in.Run.Steps {
		step := &in.Run.Steps[i]
		action := map[string]string{"agree": "approve", "release": "resume"}[step.Name]
		if step.Phase == model.StepActive && action != "" {
			f.repo.Write(fmt.Sprintf("approvals/acme/%s/%d.cue", name, f.rng.IntN(3)), fmt.Sprintf(
				"package fleet\n\napproval: go: {action: %q, run: %q, step: %q}\n", action, in.Run.ID[:12], step.Name))
		}
	}
}

// planned returns the ledger that is planned of the clone. Of a branch that is refused,
// it plans the last commit that counts.
func (f *fluctuation) planned() *model.Ledger {
	f.t.Helper()
	f.evaluate()
	made, err := offline.Plan(f.t.Context(), f.options(), offline.Case{Tree: f.clone, StatusBranch: "status", Now: f.now}, "main", f.accepted)
	require.NoError(f.t, err)
	refused := slices.ContainsFunc(made.Notes, func(note string) bool { return strings.HasPrefix(note, "main is refused: commit ") })
	require.Equal(f.t, f.repo.Head() != f.accepted, refused, made.Notes)
	return &made.Next
}

// evaluate leaves the answers for the plan, which would start a child of its own for each that is missing.
func (f *fluctuation) evaluate() {
	f.t.Helper()
	files, err := f.clone.Commit(f.t.Context(), f.accepted)
	require.NoError(f.t, err)
	evaluators.New(f.t).Fleet(f.accepted, files, f.clone.At(f.t.Context(), f.accepted))
}

// replayed is what replay makes of the whole status branch.
func (f *fluctuation) replayed() offline.Replayed {
	f.t.Helper()
	fleet, err := source.Open(f.t.Context(), source.Options{URL: f.repo.Dir, Dir: f.t.TempDir()})
	require.NoError(f.t, err)
	defer fleet.Close()
	latest, found, err := f.branch.Latest(f.t.Context())
	require.NoError(f.t, err)
	require.True(f.t, found)
	made, err := offline.Replay(f.t.Context(), f.options(), fleet, latest, "", model.AppID{}, 1000)
	require.NoError(f.t, err)
	return made
}

func (f *fluctuation) options() offline.Options {
	return offline.Options{Child: []string{evaluators.Child(f.t)}, Answers: evaluators.Answers(f.t), Fleet: "fleet"}
}

// planFirst is a status branch to which a planned ledger is saved before that of the
// loop, which is made of the same one.
type planFirst struct {
	*status.Branch
	planned  *model.Ledger // nil: nothing is
	differs  bool          // there was something left to save
	refusals int
	unsaved  bool // the loop was shown what it has not saved yet
}

// Commit saves the planned ledger and then next. The plan of an accepted commit does not
// have the problem that the branch is refused behind it.
func (b *planFirst) Commit(ctx context.Context, previous, next model.Ledger) (saved model.Ledger, changed bool, err error) {
	b.unsaved = len(next.Unsaved) > 0
	if b.planned == nil {
		return b.Branch.Commit(ctx, previous, next)
	}
	planned := *b.planned
	b.planned = nil
	if len(next.Problems) > 0 && next.Problems[0].Code == access.CodeUnsigned {
		planned.Problems = slices.Concat(next.Problems[:1], planned.Problems)
		b.refusals++
	}
	if saved, changed, err = b.Branch.Commit(ctx, previous, planned); err != nil {
		return saved, changed, err
	}
	saved, b.differs, err = b.Branch.Commit(ctx, saved, next)
	return saved, changed || b.differs, err
}
