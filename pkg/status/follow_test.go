package status_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/tier"
)

// counted is a server of a repository that counts the bytes of its answers.
type counted struct {
	*httptest.Server
	bytes atomic.Int64
}

func newCounted(t testing.TB, repo *gittest.Repo) *counted {
	c, serve := &counted{}, repo.Handler("")
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve.ServeHTTP(counting{w, &c.bytes}, r)
	}))
	t.Cleanup(c.Close)
	return c
}

type counting struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (c counting) Write(b []byte) (int, error) {
	c.bytes.Add(int64(len(b)))
	return c.ResponseWriter.Write(b)
}

// decoded counts the specs and decisions of now that are not shared with before, and the
// instances whose components are not.
func decoded(before, now model.Ledger) (instances, specs int) {
	for i := range now.Instances {
		in := &now.Instances[i]
		old, found := before.Find(in.App)
		if !found || old.Spec != in.Spec {
			specs++
		}
		if !found || len(in.Components) == 0 || &old.Components[0] != &in.Components[0] {
			instances++
		}
	}
	return instances, specs
}

// TestFollowingCostsWhatChanged: of 2,000 applications another process changes one. The
// next load receives a few objects and decodes one record, and the ledger is the one that
// a process that starts would read.
func TestFollowingCostsWhatChanged(t *testing.T) {
	remote := gittest.NewBare(t)
	writer := open(t, remote.Dir)
	l, err := writer.Load(t.Context())
	require.NoError(t, err)
	instances := tier.Count(150, 150, 2000)
	l, _, err = writer.Commit(t.Context(), l, large(instances))
	require.NoError(t, err)

	server := newCounted(t, remote)
	reader := open(t, server.URL+"/repo")
	before, err := reader.Load(t.Context())
	require.NoError(t, err)
	whole := server.bytes.Swap(0)
	for i := range 3 {
		l, _, err = writer.Commit(t.Context(), l, move(l, model.PhaseDegraded, noon.Add(time.Duration(i+1)*time.Hour)))
		require.NoError(t, err)
		now, err := reader.Load(t.Context())
		require.NoError(t, err)
		require.Equal(t, l, now)
		require.NotEqual(t, before.Revision, now.Revision)
		received := server.bytes.Swap(0)
		require.Less(t, received, int64(40_000), "of %d for all", whole)
		records, specs := decoded(before, now)
		require.Equal(t, []int{1, 0}, []int{records, specs})
		before = now
	}
	require.Len(t, before.Instances, instances)

	// A spec that changes shares its policy with the one before.
	l.Instances = slices.Clone(l.Instances)
	first := &l.Instances[0]
	spec := *first.Spec
	spec.Priority++
	first.Spec, first.Revision = new(spec.Seal()), model.Revision{}
	_, _, err = writer.Commit(t.Context(), l, l)
	require.NoError(t, err)
	now, err := reader.Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, spec.Priority, now.Instances[0].Spec.Priority)
	require.Same(t, before.Instances[0].Spec.Policy, now.Instances[0].Spec.Policy)
	before = now

	// What is read so can be saved on.
	_, changed, err := reader.Commit(t.Context(), before, before)
	require.NoError(t, err)
	require.False(t, changed)
	cold, err := open(t, remote.Dir).Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, cold, before)
}

// TestFollowerReadsTheSame: whatever happens to the branch, a process that follows it reads
// what one that starts reads, and changes nothing that it gave out before.
func TestFollowerReadsTheSame(t *testing.T) {
	remote := gittest.NewBare(t)
	writer, follower := open(t, remote.Dir), open(t, remote.Dir)
	other := func(name string) model.AppID { return model.AppID{Tenant: "beta", Name: name} }
	user := gittest.New(t)
	push := func(change func()) {
		user.Git("fetch", "-q", remote.Dir, "status")
		user.Git("checkout", "-q", "-f", "FETCH_HEAD")
		change()
		user.Commit("mine")
		user.Git("push", "-q", "-f", remote.Dir, "HEAD:status")
	}
	next := func(change func(l model.Ledger) model.Ledger) func() {
		return func() { require.NoError(t, save(writer, t, change)) }
	}
	instance := func(change func(in *model.Instance)) func() {
		return next(func(l model.Ledger) model.Ledger {
			l.Instances = slices.Clone(l.Instances)
			in := &l.Instances[0]
			in.Revision = model.Revision{}
			change(in)
			return l
		})
	}
	steps := []struct {
		name string
		do   func()
	}{
		{"nothing yet", func() {}},
		{"begins", next(func(model.Ledger) model.Ledger { return example(model.PhaseRunning) })},
		{"a transition", next(func(l model.Ledger) model.Ledger { return move(l, model.PhaseDegraded, noon.Add(time.Hour)) })},
		{"another application", next(func(l model.Ledger) model.Ledger { return declare(l, other("web")) })},
		{"a third one before it", next(func(l model.Ledger) model.Ledger { return declare(l, other("api")) })},
		{"only a decision", next(func(l model.Ledger) model.Ledger {
			l.Decisions = slices.Clone(l.Decisions)
			l.Decisions[0].Message, l.Decisions[0].Revision = "fits well", model.Revision{}
			return l
		})},
		{"a new spec", instance(func(in *model.Instance) {
			in.Previous = in.Spec
			spec := *in.Spec
			spec.Priority = 200
			spec = spec.Seal()
			in.Spec = &spec
		})},
		{"a run", instance(func(in *model.Instance) {
			in.Run = &model.Run{App: in.App, Number: 1, Instance: 1, Spec: in.Spec.Release}
		})},
		{"the run goes", instance(func(in *model.Instance) { in.Run = nil })},
		{"inputs change", next(func(l model.Ledger) model.Ledger {
			l.Commit = "2222222222222222222222222222222222222222"
			l.Pools = slices.Clone(l.Pools)
			l.Pools[0].Nodes++
			l.Problems = []model.Problem{{Tenant: "acme", App: "shop", Message: "wrong"}}
			l.Identity.ID = status.NewLedgerID()
			l.Identity.Fleet = "example"
			return l
		})},
		{"inputs go", next(func(l model.Ledger) model.Ledger {
			l.Problems, l.Pools = nil, nil
			l.OverQuota = []model.OverQuota{{Tenant: "acme", Resource: "cpu", Since: noon}}
			return l
		})},
		{"within quota", next(func(l model.Ledger) model.Ledger { l.OverQuota = nil; return l })},
		{"a tenant goes", next(func(l model.Ledger) model.Ledger { l.Tenants = nil; return l })},
		{"an application goes", next(func(l model.Ledger) model.Ledger {
			l.Instances, l.Decisions = l.Instances[1:], l.Decisions[1:]
			return l
		})},
		{"it comes again", next(func(l model.Ledger) model.Ledger {
			e := example(model.PhaseRunning)
			l.Instances = append(e.Instances, l.Instances...)
			return l
		})},
		{"a note", func() { push(func() { user.Write("NOTES.txt", "mine\n") }) }},
		{"a link", func() {
			push(func() {
				user.Git("rm", "-q", "NOTES.txt")
				require.NoError(t, os.Symlink("README.md", filepath.Join(user.Dir, "NOTES.txt")))
			})
		}},
		{"a save after it", next(func(l model.Ledger) model.Ledger { return move(l, model.PhaseRunning, noon.Add(3*time.Hour)) })},
		{"a damaged record", func() { push(func() { user.Write("tenants/beta/web/instance.json", "{") }) }},
		{"a save beside it", next(func(l model.Ledger) model.Ledger { return move(l, model.PhaseDegraded, noon.Add(4*time.Hour)) })},
		{"it is mended", func() { push(func() { user.Git("checkout", "-q", "HEAD~2", "--", "tenants/beta/web") }) }},
		{"the next save", next(func(l model.Ledger) model.Ledger { return move(l, model.PhaseRunning, noon.Add(5*time.Hour)) })},
		{"the branch goes back", func() { remote.Git("update-ref", "refs/heads/status", "status~4") }},
		{"forty saves", func() {
			for i := range 40 {
				next(func(l model.Ledger) model.Ledger {
					return declare(l, other(fmt.Sprintf("w%02d", i)))
				})()
			}
		}},
		{"it is compacted", func() {
			_, err := open(t, remote.Dir).Compact(t.Context(), status.CompactOptions{Since: time.Now().Add(time.Hour)})
			require.NoError(t, err)
		}},
		{"after that", next(func(l model.Ledger) model.Ledger { return declare(l, other("zoo")) })},
		{"an older format", func() {
			_, err := open(t, remote.Dir).Migrate(t.Context(), 1)
			require.NoError(t, err)
		}},
		{"and back", next(func(l model.Ledger) model.Ledger { return move(l, model.PhaseDegraded, noon.Add(99*time.Hour)) })},
		{"and on", next(func(l model.Ledger) model.Ledger { return move(l, model.PhaseRunning, noon.Add(100*time.Hour)) })},
	}
	var given, copies []model.Ledger
	for _, step := range steps {
		step.do()
		got, err := follower.Load(t.Context())
		require.NoError(t, err, step.name)
		cold := open(t, remote.Dir)
		want, err := cold.Load(t.Context())
		require.NoError(t, err, step.name)
		require.Equal(t, want, got, step.name)
		require.NoError(t, cold.Close())
		given, copies = append(given, got), append(copies, want)
		require.Equal(t, copies, given, step.name)
	}
	// What is held of other moments changes nothing, either.
	all, _, err := open(t, remote.Dir).Log(t.Context(), "", 1000)
	require.NoError(t, err)
	for i := range all {
		if i%3 != 0 && i < len(all)-10 {
			continue
		}
		remote.Git("update-ref", "refs/heads/then", all[i].Commit)
		then, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Branch: "then", Dir: t.TempDir()})
		require.NoError(t, err)
		want, err := then.Load(t.Context())
		require.NoError(t, err)
		require.NoError(t, then.Close())
		got, err := follower.At(t.Context(), all[i].Commit)
		require.NoError(t, err)
		require.Equal(t, want, got, "commit %d", i)
	}
	require.Equal(t, copies, given)
}

// TestReadersTogether: many read a branch at once, of now and of then, while another
// process writes it.
func TestReadersTogether(t *testing.T) {
	remote, writer := story(t, 20)
	b := open(t, remote.Dir)
	commits, _, err := b.Log(t.Context(), "", 100)
	require.NoError(t, err)
	var all sync.WaitGroup
	errs := make([]error, 5)
	for r := range errs {
		all.Go(func() {
			for i := range 12 {
				_, err := b.Load(t.Context())
				errs[r] = errors.Join(errs[r], err)
				l, err := b.At(t.Context(), commits[(r+i*5)%len(commits)].Commit)
				if errs[r] = errors.Join(errs[r], err); err == nil && len(l.Instances) != 1 {
					errs[r] = errors.Join(errs[r], errors.New("another ledger"))
				}
				_, _, err = b.Log(t.Context(), commits[i].Commit, 3)
				errs[r] = errors.Join(errs[r], err)
				_, err = b.History(t.Context(), "", shop(), 3)
				errs[r] = errors.Join(errs[r], err)
				b.Tip()
				b.Foreign()
			}
		})
	}
	for i := range 5 {
		require.NoError(t, save(writer, t, func(l model.Ledger) model.Ledger {
			return declare(l, model.AppID{Tenant: "beta", Name: fmt.Sprintf("w%d", i)})
		}))
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	l, err := b.Load(t.Context())
	require.NoError(t, err)
	require.Len(t, l.Instances, 6)
}
