package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/tier"
)

// TestPlanIsWhatIsSaved: on random fleets, with workflows that wait for approvals or
// are superseded, applications that are ending, broken files, refused renderings, pins
// and commits that are refused because nobody signed them, a plan of the clone and the
// next pass of the loop make the same status branch, byte for byte, of the same
// observation and time. Replay of each status commit agrees.
func TestPlanIsWhatIsSaved(t *testing.T) {
	fleets := tier.Count(10, 60, 600)
	const length = 20
	refusals := 0
	for seed := range uint64((fleets + length - 1) / length) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			f := newFluctuation(t, seed)
			for range min(fleets, length) {
				change := f.change()
				before, planned := f.tip(), f.planned()
				f.paper.steady = true
				f.pass()
				f.paper.steady = false
				require.Equal(t, f.repo.Git("ls-tree", "-r", "status"), f.saved(before, planned), change)
				f.now = f.now.Add(time.Duration(f.rng.IntN(120)) * time.Second)
				for range f.rng.IntN(4) { // workloads start, or the next change meets them as they are
					f.pass()
					f.now = f.now.Add(20 * time.Second)
				}
			}
			var view offline.Replayed
			f.run(0, &view, "replay", "--repo", f.repo.Dir, "-n", "1000", "-o", "json")
			require.Positive(t, view.Equal)
			refusals += f.refusals
		})
	}
	if fleets > length {
		require.Positive(t, refusals, "no commit was refused")
	}
}

// fluctuation is a world that changes at random.
type fluctuation struct {
	*world
	rng      *rand.Rand
	key      string
	first    string // commit, for pins
	accepted string // the last commit that counts
	enforced bool   // commits that nobody signed are refused
	refusals int
}

var fluctuating = []string{"shop", "blog", "api"}

func newFluctuation(t *testing.T, seed uint64) *fluctuation {
	f := &fluctuation{world: newWorld(t), rng: rand.New(rand.NewPCG(seed, 0))}
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
	return f
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
		f.repo.Git("rm", "-rqf", "--ignore-unmatch", dir)
	case n == 5:
		what = "break " + name
		f.repo.Write(dir+"/more.cue", "package fleet\napplication: priority: 99999\n")
	case n == 6:
		what = "mend " + name
		f.repo.Git("rm", "-qf", "--ignore-unmatch", dir+"/more.cue")
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

// commit commits what was written. A commit that nobody signed is refused where
// signatures are enforced, and what follows it, until somebody signs all of it anew.
func (f *fluctuation) commit(what string) {
	if f.rng.IntN(4) == 0 {
		if hash := f.repo.CommitSigned("", what); !f.enforced {
			f.accepted = hash
		}
		return
	}
	if refused := f.repo.Git("rev-parse", "HEAD") != f.accepted; refused && f.rng.IntN(2) == 0 {
		f.repo.CommitSigned(f.key, what) // on top of what is refused
		return
	} else if refused {
		f.repo.Git("reset", "-q", "--soft", f.accepted)
	}
	f.accepted = f.repo.CommitSigned(f.key, what)
}

// ask approves or resumes whatever step of an application waits.
func (f *fluctuation) ask(name string) {
	ledger, err := status.ReadClone(f.t.Context(), f.repo.Dir, f.tip())
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
func (f *fluctuation) planned() model.Ledger {
	f.t.Helper()
	w, err := clone.Open(f.t.Context(), f.repo.Dir)
	require.NoError(f.t, err)
	defer w.Close()
	o, err := (&fleetFlags{fleet: "fleet"}).options(f.t.Context(), nil)
	require.NoError(f.t, err)
	made, err := offline.Plan(f.t.Context(), o, offline.Case{Tree: w, StatusBranch: "status", Now: f.now}, "main", f.accepted)
	require.NoError(f.t, err)
	refused := slices.ContainsFunc(made.Notes, func(note string) bool { return strings.HasPrefix(note, "main is refused: commit ") })
	require.Equal(f.t, f.repo.Git("rev-parse", "main") != f.accepted, refused, made.Notes)
	return made.Next
}

// saved returns the files of a status branch to which the planned ledger is saved, after
// a commit of the real one. The plan of an accepted commit does not have the problem that
// the branch is refused behind it.
func (f *fluctuation) saved(before string, planned model.Ledger) string {
	f.t.Helper()
	ledger, err := status.ReadClone(f.t.Context(), f.repo.Dir, f.tip())
	require.NoError(f.t, err)
	if len(ledger.Problems) > 0 && ledger.Problems[0].Code == access.CodeUnsigned {
		planned.Problems = slices.Concat(ledger.Problems[:1], planned.Problems)
		f.refusals++
	}
	scratch := gittest.NewBare(f.t)
	scratch.Git("fetch", "-q", f.repo.Dir, before+":refs/heads/status")
	branch, err := status.Open(f.t.Context(), status.Options{URL: scratch.Dir, Dir: filepath.Join(f.t.TempDir(), "status")})
	require.NoError(f.t, err)
	defer branch.Close()
	previous, err := branch.Load(f.t.Context())
	require.NoError(f.t, err)
	_, _, err = branch.Commit(f.t.Context(), previous, planned)
	require.NoError(f.t, err)
	return scratch.Git("ls-tree", "-r", "status")
}
