package status_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// damage replaces a file on the branch as somebody with the right to push would, and
// returns the commit. Nil removes it.
func damage(t testing.TB, repo *gittest.Repo, file string, content []byte) string {
	t.Helper()
	edit(t, repo, "who did this?", func(dir string) {
		name := filepath.Join(dir, file)
		if content == nil {
			require.NoError(t, os.Remove(name))
			return
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, content, 0o644))
	})
	return repo.Git("rev-parse", "status")
}

// TestDamagedRecord: a record that cannot be read stops its application and no other.
// The ledger names the file and the commit and has what the last readable record says,
// and no save changes the file, until somebody reverts the commit.
func TestDamagedRecord(t *testing.T) {
	web := model.AppID{Tenant: "beta", Name: "web"} // it has all records
	for _, c := range []struct{ file, says string }{
		{"instance.json", "ends too early"}, {"spec.json", "ends too early"}, {"workflow.json", "ends too early"}, {"decision.json", "ends too early"},
		{"previous.json", "invalid character"}, {"instance.json", "it is missing"},
	} {
		t.Run(strings.ReplaceAll(c.file+" "+c.says, " ", "-"), func(t *testing.T) {
			repo := gittest.NewBare(t)
			b := open(t, repo.Dir)
			require.NoError(t, save(b, t, func(model.Ledger) model.Ledger {
				l := busyFleet()
				l.Decisions = append(l.Decisions, model.Decision{App: web, Verdict: model.VerdictGranted, Reason: "Granted", Inputs: model.Inputs{Commit: l.Commit}})
				return l
			}))
			good, err := b.Load(t.Context())
			require.NoError(t, err)
			file := "tenants/beta/web/" + c.file
			bad := []byte("\x00 garbage")
			switch {
			case c.says == "it is missing":
				bad = nil
			case c.says == "ends too early":
				bad = []byte(repo.Git("show", "status:"+file))
				bad = bad[:len(bad)/2]
			}
			by := damage(t, repo, file, bad)

			check := func(l model.Ledger) {
				t.Helper()
				require.Len(t, l.Damaged, 1)
				d := l.Damaged[0]
				require.Equal(t, []any{web, file, by}, []any{d.App, d.File, d.Commit})
				require.Contains(t, d.Reason, c.says)
				require.Contains(t, d.String(), "git revert "+by[:12])
				require.Len(t, l.Instances, len(good.Instances))
				was, _ := good.Find(web)
				is, _ := l.Find(web)
				x, y := *was, *is
				require.NotEqual(t, x.Revision, y.Revision)
				x.Revision, y.Revision = model.Revision{}, model.Revision{}
				require.Equal(t, x, y)
				want, _ := good.Decision(web)
				got, _ := l.Decision(web)
				require.Equal(t, want.Verdict, got.Verdict)
				now, err := repo.Command("show", "status:"+file).Output()
				require.Equal(t, bad == nil, err != nil)
				require.Equal(t, string(bad), string(now))
			}
			l, err := b.Load(t.Context())
			require.NoError(t, err)
			check(l)
			// What somebody decides about it nevertheless is not written. Others go on.
			next := move(l, model.PhaseRunning, noon.Add(2*time.Hour))
			next.Problems = []model.Problem{l.Damaged[0].Problem()}
			at, _ := next.Find(web)
			at.Phase, at.Revision = model.PhaseTerminated, model.Revision{}
			saved, changed, err := b.Commit(t.Context(), l, next)
			require.NoError(t, err)
			require.True(t, changed)
			check(saved)
			for _, page := range []string{"README.md", "tenants/beta/README.md", "tenants/beta/web/README.md"} {
				require.Contains(t, repo.Git("show", "status:"+page), "git revert "+by[:12], page)
				require.Contains(t, repo.Git("show", "status:"+page), c.file, page)
			}
			_, changed, err = b.Commit(t.Context(), saved, saved)
			require.NoError(t, err)
			require.False(t, changed)

			// The same follows for a program that starts, in a clone, and for an older commit.
			fresh, err := open(t, repo.Dir).Load(t.Context())
			require.NoError(t, err)
			check(fresh)
			read, err := status.ReadClone(t.Context(), repo.Dir, by)
			require.NoError(t, err)
			check(read)

			// What would lose the last readable record, or the bytes, is refused.
			_, err = b.Compact(t.Context(), status.CompactOptions{Since: noon.AddDate(20, 0, 0)})
			require.ErrorContains(t, err, "last readable record of beta/web")
			_, err = open(t, repo.Dir).Migrate(t.Context(), 1)
			require.ErrorContains(t, err, file)
			_, err = b.History(t.Context(), "", web, 10)
			require.NoError(t, err)
			events, err := b.Events(t.Context(), status.EventFilter{})
			require.NoError(t, err)

			dir := filepath.Join(t.TempDir(), "revert")
			repo.Git("worktree", "add", "-q", "-f", dir, "status")
			repo.Git("-C", dir, "revert", "--no-edit", by)
			l, err = b.Load(t.Context())
			require.NoError(t, err)
			require.Empty(t, l.Damaged)
			was, _ := good.Find(web)
			is, _ := l.Find(web)
			require.Equal(t, was, is)
			again, err := b.Events(t.Context(), status.EventFilter{})
			require.NoError(t, err)
			require.Equal(t, events, again, "nothing happened to the application")
		})
	}
}

// TestDamagedFromTheBeginning: where no commit has a readable record, nothing is known
// of the application but that it exists, and its bytes are kept.
func TestDamagedFromTheBeginning(t *testing.T) {
	repo := gittest.NewBare(t)
	b := open(t, repo.Dir)
	require.NoError(t, save(b, t, func(model.Ledger) model.Ledger { return example(model.PhaseRunning) }))
	file := "tenants/gamma/blog/instance.json"
	by := damage(t, repo, file, []byte("no record"))
	l, err := b.Load(t.Context())
	require.NoError(t, err)
	blog := model.AppID{Tenant: "gamma", Name: "blog"}
	require.Equal(t, []model.DamagedRecord{{App: blog, File: file, Reason: l.Damaged[0].Reason, Commit: by}}, l.Damaged)
	_, known := l.Find(blog)
	require.False(t, known)
	require.Equal(t, []model.AppID{blog}, l.WithObjects()["gamma"].Apps, "its namespace stays")
	require.NoError(t, save(b, t, func(l model.Ledger) model.Ledger { return move(l, model.PhaseDegraded, noon.Add(time.Hour)) }))
	require.Equal(t, "no record", repo.Git("show", "status:"+file))

	// The branch is deleted while the process runs: it comes back with the same bytes.
	repo.Git("update-ref", "-d", "refs/heads/status")
	require.NoError(t, save(b, t, func(l model.Ledger) model.Ledger { return move(l, model.PhaseRunning, noon.Add(2*time.Hour)) }))
	require.Equal(t, "no record", repo.Git("show", "status:"+file))
}

// TestDamagedAndDeleted: when the branch is lost after all, the last readable record
// takes the place of the damaged one.
func TestDamagedAndDeleted(t *testing.T) {
	repo := gittest.NewBare(t)
	b := open(t, repo.Dir)
	require.NoError(t, save(b, t, func(model.Ledger) model.Ledger { return example(model.PhaseRunning) }))
	good := repo.Git("show", "status:tenants/acme/shop/instance.json")
	damage(t, repo, "tenants/acme/shop/instance.json", []byte("{"))
	_, err := b.Load(t.Context())
	require.NoError(t, err)
	repo.Git("update-ref", "-d", "refs/heads/status")
	l, err := b.Load(t.Context())
	require.NoError(t, err)
	require.Empty(t, l.Damaged)
	require.NoError(t, save(b, t, func(l model.Ledger) model.Ledger { l.Commit = strings.Repeat("2", 40); return l }))
	require.Equal(t, good, repo.Git("show", "status:tenants/acme/shop/instance.json"))
}
