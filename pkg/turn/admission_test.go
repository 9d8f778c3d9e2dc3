package turn_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/page"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/pkg/workflow"
	"github.com/d-aros/d-aros/test/inprocess"
)

// repo is a fleet repo in memory.
type repo struct{ fstest.MapFS }

func (r repo) Digest(name string) (string, error) {
	var all strings.Builder
	err := fs.WalkDir(r, name, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all.WriteString(path + "\x00" + string(r.MapFS[path].Data) + "\x00")
		}
		return err
	})
	return string(model.DigestOf(all.String())), err
}

// example is the fleet of examples/repo, in which the shop has a workflow.
func example(t *testing.T) repo {
	tree := repo{fstest.MapFS{}}
	root := os.DirFS("../../examples/repo")
	require.NoError(t, fs.WalkDir(root, ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasPrefix(path, "cue.mod") {
			tree.MapFS[path] = &fstest.MapFile{}
			tree.MapFS[path].Data, err = fs.ReadFile(root, path)
		}
		return err
	}))
	return tree.edited(t, shopFile, "application: {", `application: {
	workflow: steps: [
		{name: "migrate", type: "job", component: "migrate"},
		{name: "release", type: "deploy", dependsOn: ["migrate"]},
		{name: "agree", type: "approval", dependsOn: ["release"], properties: roles: ["tenant-admin"]},
	]`)
}

const shopFile = "tenants/acme/apps/shop/app.cue"

// edited returns the repo with one text in place of another.
func (r repo) edited(t *testing.T, path, old, text string) repo {
	next := repo{fstest.MapFS{}}
	for name, file := range r.MapFS {
		next.MapFS[name] = file
	}
	require.Contains(t, string(r.MapFS[path].Data), old)
	next.MapFS[path] = &fstest.MapFile{Data: []byte(strings.Replace(string(r.MapFS[path].Data), old, text, 1))}
	return next
}

// zone is what each zone of each pool has.
var zone = model.Resources{CPU: 1_000_000, Memory: 1 << 42, Devices: map[string]int64{"nvidia.com/gpu": 100}}

// runner takes turn after turn in a world in which everything that is told to run
// runs at once, but for what an application breaks.
type runner struct {
	t         *testing.T
	evaluator *evaluate.Evaluator
	fleet     model.Fleet
	ledger    model.Ledger
	broken    model.AppID
	now       time.Time
	requests  access.Requests
	tallies   workflow.Tallies
}

func newRunner(t *testing.T) *runner {
	return &runner{t: t, evaluator: evaluate.Through(inprocess.By[evaluate.Worker]()), now: now}
}

// commit makes the repo what is declared from now on.
func (r *runner) commit(name string, tree repo) {
	r.fleet = r.evaluator.Fleet(name, tree, nil)
	require.Empty(r.t, r.fleet.Problems)
}

// settle takes turns until the ledger stays as it is.
func (r *runner) settle() {
	for range 50 {
		before := model.DigestOf(r.ledger.Instances)
		r.turn()
		if r.turn(); model.DigestOf(r.ledger.Instances) == before {
			return
		}
	}
	r.t.Fatal("the ledger does not settle")
}

// pools have more than enough.
func (r *runner) pools() (list []model.Pool) {
	for _, p := range r.fleet.Platform.Pools {
		pool := model.Pool{Name: p.Name, Nodes: 300, Capacity: zone.Times(3)}
		for _, name := range []string{"a", "b", "c"} {
			pool.Domains = append(pool.Domains, model.Domain{Name: name, Nodes: 100, Capacity: zone})
		}
		list = append(list, pool)
	}
	return list
}

func (r *runner) turn() {
	r.now = r.now.Add(time.Second)
	c := turn.Case{Fleet: r.fleet, Ledger: r.ledger, Requests: r.requests, Tallies: r.tallies, Now: r.now}
	c.Seen.Pools = r.pools()
	for i := range r.ledger.Instances {
		in := &r.ledger.Instances[i]
		for k := range in.Components {
			s := &in.Components[k]
			w := model.Workload{App: in.App, Component: s.Grant.Component, Digest: s.Workload, Replicas: s.Run, Ready: s.Run, Current: true}
			if spec, ok := in.Spec.Component(w.Component); ok && spec.Finite() {
				w.Ready, w.Done = 0, s.Run > 0
			}
			if in.App == r.broken {
				w.Ready = 0
			}
			c.Seen.Workloads = append(c.Seen.Workloads, w)
			if b := s.Beside; b != nil {
				c.Seen.Workloads = append(c.Seen.Workloads, model.Workload{App: in.App, Component: w.Component, Digest: b.Workload, Replicas: b.Run, Ready: b.Run, Current: true, Beside: true})
			}
		}
		if in.Run == nil || in.Run.Phase.Ended() {
			continue
		}
		for _, intent := range workflow.Intents(in.Run, in.RunSpec(), r.tallies) {
			if intent.Job == nil {
				c.Results = append(c.Results, workflow.Result{Key: intent.Key, OK: true})
				continue
			}
			c.Seen.Workloads = append(c.Seen.Workloads, model.Workload{App: in.App, Component: intent.Job.Component, Intent: intent.Key, Done: true})
		}
	}
	slices.SortStableFunc(c.Seen.Workloads, func(x, y model.Workload) int { return x.App.Compare(y.App) })
	out := turn.Take(c)
	r.ledger, r.tallies = out.Next, out.Tallies
}

// TestPolicyEditIsNoRelease: one egress host more in the platform's policy is decided
// anew about every application, and that is all: none is scheduled again, no run
// begins, none that waits for a person asks again, and a hold stays.
func TestPolicyEditIsNoRelease(t *testing.T) {
	r, tree := newRunner(t), example(t)
	r.commit("1", tree)
	r.settle()
	// A release of another application fails, goes back and is on hold.
	r.broken = model.AppID{Tenant: "globex", Name: "api"}
	api := "tenants/globex/apps/api/app.cue"
	newer := tree.edited(t, api, `redis:7.4`, `redis:7.5`)
	r.commit("2", newer)
	r.turn()
	r.now = r.now.Add(time.Hour)
	r.turn()
	r.broken = model.AppID{}
	r.settle()
	before := r.ledger
	held, _ := before.Find(model.AppID{Tenant: "globex", Name: "api"})
	require.Len(t, held.Held, 1)
	asks, _ := before.Find(model.AppID{Tenant: "acme", Name: "shop"})
	require.Equal(t, model.RunRunning, asks.Run.Phase)

	r.commit("3", newer.edited(t, "fleet.cue", "	policy: {\n", "	policy: {\n		egress: hosts: [\"hooks.example.com\"]\n"))
	r.settle()

	readmitted := 0
	for i := range before.Instances {
		was, is := &before.Instances[i], &r.ledger.Instances[i]
		require.Equal(t, []any{was.App, was.Number, was.Phase, was.Reason, was.Since, was.Held, was.Release()},
			[]any{is.App, is.Number, is.Phase, is.Reason, is.Since, is.Held, is.Release()})
		require.Equal(t, was.Run, is.Run, "%s", was.App)
		require.Equal(t, was.Components, is.Components, "%s", was.App)
		if was.App == held.App {
			require.Equal(t, was.Refused, is.Refused)
			require.Equal(t, was.History, is.History)
			continue
		}
		if !was.Phase.Active() {
			continue // it has no place, and no release yet
		}
		readmitted++
		require.Equal(t, []string{"hooks.example.com"}, is.Spec.Policy.Egress)
		require.Equal(t, was.Spec.Commit, is.Spec.Commit, "its objects are not sent again for the commit that they name")
		entry := is.History[len(is.History)-1]
		require.Equal(t, model.ReasonAdmissionChanged, entry.Reason)
		require.Equal(t, "3", entry.Commit)
		require.Equal(t, []model.AdmissionChange{{
			Path: "policy.egress.hosts", New: "hooks.example.com", Layer: "platform", At: "fleet.cue:14:18",
		}}, entry.Changes)
		d, _ := r.ledger.Decision(is.App)
		require.Equal(t, is.Spec.Digest, d.Spec, "it is decided anew")
	}
	require.GreaterOrEqual(t, readmitted, 5)
}

// TestPriorityEditRunsNoMigration: priority 600 → 601 runs nothing again.
func TestPriorityEditRunsNoMigration(t *testing.T) {
	r, tree := newRunner(t), example(t)
	r.commit("1", tree)
	r.settle()
	id := model.AppID{Tenant: "acme", Name: "shop"}
	was, _ := r.ledger.Find(id)
	before := *was
	require.Equal(t, 1, before.Run.Number)
	r.commit("2", tree.edited(t, shopFile, "priority: 600", "priority: 601"))
	r.settle()
	is, _ := r.ledger.Find(id)
	require.Equal(t, before.Run, is.Run)
	require.Equal(t, before.Components, is.Components)
	require.Equal(t, []any{before.Number, before.Phase, before.Since}, []any{is.Number, is.Phase, is.Since})
	require.Equal(t, []model.AdmissionChange{{Path: "priority", Old: "600", New: "601", Layer: "application", At: is.Spec.At["priority"]}},
		is.History[len(is.History)-1].Changes)
	require.Contains(t, is.Spec.At["priority"], shopFile)
}

// TestRefusedSince: a release that quota refuses is refused since the pass that saw it
// first, whatever policy changes later, and its page says so. Another release starts
// that time again.
func TestRefusedSince(t *testing.T) {
	r, tree := newRunner(t), example(t)
	r.commit("1", tree)
	r.settle()
	id := model.AppID{Tenant: "acme", Name: "shop"}
	refused := func() model.Refusal {
		in, _ := r.ledger.Find(id)
		require.NotNil(t, in.Refused)
		return *in.Refused
	}
	large := tree.edited(t, shopFile, `{cpu: "2"`, `{cpu: "39"`)
	r.commit("2", large)
	r.turn()
	first := refused()
	require.Equal(t, r.now, first.Since)
	r.commit("3", large.edited(t, "fleet.cue", "	policy: {\n", "	policy: {\n		egress: hosts: [\"hooks.example.com\"]\n"))
	r.settle()
	require.Equal(t, first.Since, refused().Since)
	in, _ := r.ledger.Find(id)
	require.Contains(t, string(page.Application(id, in, nil, nil, "", model.Links{})), "is not accepted since "+first.Since.Format("2006-01-02 15:04:05"))
	r.commit("4", large.edited(t, shopFile, "shop:1.4.2", "shop:1.4.3"))
	r.turn()
	require.Equal(t, r.now, refused().Since)
}
