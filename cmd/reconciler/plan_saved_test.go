package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/tier"
)

// TestPlanIsWhatIsSaved: on random fleets, with workflows that wait for approvals or
// are superseded, applications that are ending, broken files, refused renderings and
// pins, a plan of the clone and the next pass of the loop make the same status branch,
// byte for byte, of the same observation and time. Replay of each status commit agrees.
func TestPlanIsWhatIsSaved(t *testing.T) {
	fleets := tier.Count(6, 60, 600)
	const length = 20
	for seed := range uint64((fleets + length - 1) / length) {
		f := newFluctuation(t, seed)
		for range min(fleets, length) {
			change := f.change()
			planned := f.planned()
			f.paper.steady = true
			f.pass()
			f.paper.steady = false
			saved := f.repo.Git("rev-parse", "status^{tree}")
			require.Equal(t, f.repo.Git("ls-tree", "-r", saved), planned.Git("ls-tree", "-r", "status"), "seed %d: %s", seed, change)
			f.now = f.now.Add(time.Duration(f.rng.IntN(120)) * time.Second)
			for range f.rng.IntN(4) { // workloads start, or the next change meets them as they are
				f.pass()
				f.now = f.now.Add(20 * time.Second)
			}
		}
		var view offline.Replayed
		f.run(0, &view, "replay", "--repo", f.repo.Dir, "-n", "1000", "-o", "json")
		require.Positive(t, view.Equal)
	}
}

// fluctuation is a world that changes at random.
type fluctuation struct {
	*world
	rng   *rand.Rand
	key   string
	first string // commit, for pins
}

var fluctuating = []string{"shop", "blog", "api"}

func newFluctuation(t *testing.T, seed uint64) *fluctuation {
	f := &fluctuation{world: newWorld(t), rng: rand.New(rand.NewPCG(seed, 0))}
	key, public := f.repo.Key("root")
	f.key = key
	f.repo.Write("access.cue", fmt.Sprintf("package fleet\n\nplatform: access: {principals: root: ssh: [%q], admins: [\"root\"]}\n", public))
	for _, name := range fluctuating {
		f.declare(name)
	}
	f.first = f.repo.Commit("first")
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
	if f.rng.IntN(4) == 0 {
		f.repo.Commit(what)
	} else {
		f.repo.CommitSigned(f.key, what)
	}
	return what
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

// planned returns a repository whose status branch has what is planned of the clone.
func (f *fluctuation) planned() *gittest.Repo {
	f.t.Helper()
	w, err := clone.Open(f.t.Context(), f.repo.Dir)
	require.NoError(f.t, err)
	defer w.Close()
	o, err := (&fleetFlags{fleet: "fleet"}).options(nil)
	require.NoError(f.t, err)
	made, err := offline.Plan(f.t.Context(), o, offline.Case{Tree: w, StatusBranch: "status", Now: f.now}, "main", "main")
	require.NoError(f.t, err)

	scratch := gittest.NewBare(f.t)
	scratch.Git("fetch", "-q", f.repo.Dir, "status:status")
	branch, err := status.Open(f.t.Context(), status.Options{URL: scratch.Dir, Dir: filepath.Join(f.t.TempDir(), "status")})
	require.NoError(f.t, err)
	defer branch.Close()
	previous, err := branch.Load(f.t.Context())
	require.NoError(f.t, err)
	_, _, err = branch.Commit(f.t.Context(), previous, made.Next)
	require.NoError(f.t, err)
	return scratch
}
