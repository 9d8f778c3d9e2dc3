package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/tier"
)

var replaySeed = flag.Uint64("replay.seed", 1, "what makes the history")

// Every decision of a long history can be made again from the branch alone: commits
// of all sorts, capacity that comes and goes, workloads that are slow or fail.
func TestReplayOfALongHistory(t *testing.T) {
	passes := tier.Count(20, 60, 300)
	w := newWorld(t)
	random := rand.New(rand.NewPCG(*replaySeed, 0))
	names := func() (tenant, app string) {
		return []string{"acme", "globex"}[random.IntN(2)], []string{"a", "b", "c", "d", "e", "f"}[random.IntN(6)]
	}
	slow, broken := map[string]bool{}, map[string]bool{}
	w.paper.Slow = func(id model.AppID) bool { return slow[id.String()] }
	w.paper.Broken = func(id model.AppID) bool { return broken[id.String()] }
	w.app("acme", "a", 2, 500)
	w.repo.Commit("first")
	for range passes {
		tenant, app := names()
		id := tenant + "/" + app
		switch random.IntN(10) {
		case 0, 1, 2, 3:
			w.app(tenant, app, 1+random.IntN(8), 100*random.IntN(9))
			w.repo.Commit("change " + id)
		case 4:
			w.repo.Git("rm", "-rqf", "--ignore-unmatch", "tenants/"+tenant+"/apps/"+app)
			w.repo.Write("approvals/"+tenant+"/removals/last.cue", fmt.Sprintf("package fleet\n\nremoval: [%q]\n", fmt.Sprint(id, "#", 1+random.IntN(3))))
			w.repo.Commit("delete " + id)
		case 5:
			w.repo.Write("tenants/"+tenant+"/apps/"+app+"/app.cue", "package fleet\napplication: {nonsense: 1}\n")
			w.repo.Commit("break " + id)
		case 6:
			w.tenant(tenant, 4+random.IntN(30))
			w.repo.Commit("quota of " + tenant)
		case 7:
			w.paper.Pools[0].Capacity.CPU = int64(4+random.IntN(16)) * 1000
		case 8:
			slow[id] = !slow[id]
		case 9:
			broken[id] = !broken[id]
		}
		w.now = w.now.Add(time.Duration(1+random.IntN(600)) * time.Second)
		w.pass()
	}

	var v offline.Replayed
	w.run(0, &v, "replay", "--repo", w.repo.Dir, "-n", "100000", "-o", "json")
	require.Zero(t, v.Differs+v.Unknown)
	require.Greater(t, v.Equal, passes/2, "a history of decisions")
	verdicts := map[model.Verdict]int{}
	for _, c := range v.Commits {
		for _, d := range c.Decisions {
			verdicts[d.Verdict]++
		}
	}
	for _, verdict := range []model.Verdict{model.VerdictGranted, model.VerdictWaiting, model.VerdictRejected} {
		require.NotZero(t, verdicts[verdict], "%s of %v", verdict, verdicts)
	}
	t.Logf("seed %d: %d passes, %d status commits with decisions, %v", *replaySeed, passes, len(v.Commits), verdicts)
}

// What was recorded otherwise than it is decided shows, field by field.
func TestReplayShowsWhatDiffers(t *testing.T) {
	w := newWorld(t)
	w.app("acme", "shop", 3, 500)
	w.app("globex", "api", 3, 400)
	w.repo.Commit("first")
	w.passes()

	var v offline.Replayed
	w.run(0, &v, "replay", "acme/shop", "--repo", w.repo.Dir, "-o", "json")
	require.Equal(t, 1, v.Equal, "it goes back to where the decision was made")
	made := v.Commits[0].Commit

	// Somebody tells another story of the same decision.
	w.repo.Git("checkout", "-q", "--detach", made)
	require.NoError(t, replaceIn(w.repo.Dir+"/tenants/acme/shop/decision.json", `"replicas": 3`, `"replicas": 2`))
	w.repo.Git("commit", "-q", "-a", "--amend", "-m", "forged")
	w.repo.Git("branch", "-q", "-f", "status", "HEAD")
	w.repo.Git("checkout", "-q", "-f", "main")
	w.run(1, &v, "replay", "--repo", w.repo.Dir, "-o", "json")
	require.Equal(t, offline.Replayed{Equal: 1, Differs: 1, Commits: v.Commits}, v)
	d := v.Commits[0].Decisions[0]
	require.Equal(t, "acme/shop", d.App.String())
	require.Equal(t, offline.ReplayDiffers, d.Outcome)
	fields := differencesOf(&d)
	require.Len(t, fields, 1)
	require.Equal(t, "grants[0].replicas: 2 → 3", fields[0].String())
}

// The decisions of a branch in format 1 can be made again. They differ at most in
// sentences, which this program words in another way than the one that wrote them, and
// in the policies and the digests of specs, as the schema has defaults that it did not have.
// The fleet has no allotments, so its tenants are refused now: what was granted before goes
// on, and what had yet to begin is Rejected, uses nothing and makes nobody give way.
func TestReplayOfFormat1(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: replays 200 commits")
	}
	bundle, err := filepath.Abs("../../pkg/status/testdata/format-1.bundle")
	require.NoError(t, err)
	repo := gittest.NewBare(t)
	repo.Git("fetch", "-q", bundle, "refs/heads/*:refs/heads/*")

	var v offline.Replayed
	w := &world{t: t}
	w.run(1, &v, "replay", "--repo", repo.Dir, "-n", "1000", "-o", "json")
	require.Zero(t, v.Unknown)
	require.Greater(t, v.Equal+v.Differs, 100)
	standings, compared := map[model.Standing]int{}, 0
	sentence := regexp.MustCompile(`(^|\.)(message|why|wouldAdmit\[\d+\])$|^(wouldAdmit|constraints)\b|^policies\b|^(refused|shares)\b|^inputs\.policy$|(^|\.)spec$`)
	for _, c := range v.Commits {
		for _, d := range c.Decisions {
			if d.Was == nil {
				continue
			}
			standings[d.Was.Standing]++
			if d.Was.Verdict != model.VerdictGranted || d.Is.Reason == model.ReasonInvalidSpec {
				continue
			}
			compared++
			for _, f := range differencesOf(&d) {
				require.Regexp(t, sentence, f.Path, "%s of %s: %s", d.App, c.Commit, f.String())
			}
		}
	}
	require.NotZero(t, standings[model.StandingWithinFairShare], "%v", standings)
	require.NotZero(t, standings[model.StandingBorrowing], "%v", standings)
	require.Greater(t, v.Equal+compared, 80)
}
