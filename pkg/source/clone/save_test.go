package clone_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/tier"
)

// asAda is the identity of whoever saves, in processes that tests do not start by themselves.
func asAda(t testing.TB) {
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		setenv(t, "GIT_"+who+"_NAME", "Ada")
		setenv(t, "GIT_"+who+"_EMAIL", "ada@example.com")
	}
	setenv(t, "GIT_CONFIG_GLOBAL", "/dev/null")
}

func setenv(t testing.TB, name, value string) {
	if t, ok := t.(*testing.T); ok {
		t.Setenv(name, value)
	}
}

func proposal(t require.TestingT, slug string) clone.DraftBranch {
	p, err := clone.ParseDraftBranch(slug)
	require.NoError(t, err)
	return p
}

// The branch of a draft names nothing outside of refs/heads/ui/, and each name that it takes is one for git.
func TestDraftBranchIsBelowUI(t *testing.T) {
	for _, slug := range []string{
		"", "../main", "x/../../main", "refs/heads/ui/x:refs/heads/main", "+x", "x:main", "x y", "-x", "x.lock", "X", "a/b/c", "x\n", "x\x00",
		"/x", "x/", "x//y", "@{-1}", "é", "x^", "x~1", "a\u202eb", strings.Repeat("x", 51),
	} {
		_, err := clone.ParseDraftBranch(slug)
		require.Error(t, err, "%q", slug)
	}
	rapid.Check(t, func(t *rapid.T) {
		slug := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-a-z0-9/.:~@{}]{1,12}`), rapid.StringMatching(`[a-z0-9][-a-z0-9]{0,9}(/[a-z0-9]{1,4})?`)).Draw(t, "slug")
		p, err := clone.ParseDraftBranch(slug)
		if err != nil {
			return
		}
		ref := "refs/heads/" + p.Branch()
		require.Equal(t, ref, path.Clean(ref))
		require.True(t, strings.HasPrefix(ref, "refs/heads/ui/"), ref)
		require.NoError(t, clone.CheckBranch(p.Branch()))
	})
}

// state is all of a repository that people have: refs, HEAD, index, stash, and the files of the work tree.
func state(t require.TestingT, repo *gittest.Repo) map[string]string {
	is := map[string]string{"refs": repo.Git("for-each-ref"), "stash": repo.Git("stash", "list")}
	require.NoError(t, filepath.WalkDir(repo.Dir, func(name string, e fs.DirEntry, err error) error {
		below, _ := filepath.Rel(repo.Dir, name)
		switch {
		case err != nil:
			return err
		case e.IsDir() && (below == ".git/objects" || below == ".git/refs" || below == ".git/logs/refs"):
			return fs.SkipDir
		case e.Type().IsRegular():
			info, err := e.Info()
			if err != nil {
				return err
			}
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			is[below] = info.Mode().String() + " " + string(content)
		}
		return nil
	}))
	return is
}

// TestSaveTouchesNothingElse: whatever state a clone is in, a save adds one branch with the changes and nothing else, and the
// clone is otherwise byte for byte as it was.
func TestSaveTouchesNothingElse(t *testing.T) {
	asAda(t)
	was := flag.Lookup("rapid.checks").Value.String()
	require.NoError(t, flag.Set("rapid.checks", strconv.Itoa(tier.Count(2, 10, 200))))
	defer func() { require.NoError(t, flag.Set("rapid.checks", was)) }()
	for _, settings := range [][]string{nil, {"core.splitIndex", "true"}, {"core.autocrlf", "true"}} {
		repo, w, commits := fleet(t)
		if settings != nil {
			repo.Git(append([]string{"config"}, settings...)...)
		}
		names := []string{"fleet.cue", "run.cue", "tenants/acme/tenant.cue", "tenants/acme/apps/shop/app.cue", "öl und \"x\".cue"}
		rapid.Check(t, func(rt *rapid.T) {
			// What is committed, and then what people have not committed.
			repo.Git("switch", "--quiet", "--detach", commits[1])
			before := map[string]string{}
			for _, name := range names {
				if rapid.Bool().Draw(rt, "committed") {
					before[name] = "package fleet // " + name + "\r\n"
					repo.Write(name, before[name])
					if name == "run.cue" {
						require.NoError(rt, os.Chmod(filepath.Join(repo.Dir, name), 0o755))
					}
				}
			}
			base := repo.Commit("some files")
			for _, name := range names {
				switch rapid.SampledFrom([]string{"as it was", "changed", "staged", "deleted", "stashed"}).Draw(rt, "dirty") {
				case "changed":
					repo.Write(name, "mine "+name)
				case "staged":
					repo.Write(name, "staged "+name)
					repo.Git("add", "--", name)
					repo.Write(name, "mine and staged "+name)
				case "deleted":
					_ = os.Remove(filepath.Join(repo.Dir, name))
				case "stashed":
					repo.Write(name, "stashed "+name)
					repo.Git("stash", "push", "--quiet", "--include-untracked")
				}
			}
			var changes []clone.Change
			after := map[string]string{}
			for _, name := range names {
				blob, err := repo.Command("show", base+":"+name).Output()
				c := clone.Change{Name: name, After: []byte("package fleet // proposed\r\n" + name)}
				if err == nil {
					c.Before = blob
				}
				if rapid.Bool().Draw(rt, "edited") {
					changes, after[name] = append(changes, c), string(c.After)
				}
			}
			was := state(rt, repo)
			saved, err := w.Save(t.Context(), base, changes, "propose it\n\nBecause.", proposal(rt, "one"))
			require.NoError(rt, err)
			now := state(rt, repo)
			require.Contains(rt, now["refs"], saved.Commit+" commit\trefs/heads/"+saved.Branch)
			now["refs"] = was["refs"]
			require.Equal(rt, was, now)
			require.Equal(rt, base, repo.Git("rev-parse", saved.Branch+"^"))
			require.Equal(rt, "propose it\n\nBecause.", repo.Git("show", "--no-patch", "--format=%B", saved.Commit))
			var changed []string
			for name := range strings.SplitSeq(repo.Git("diff", "-z", "--no-renames", "--name-only", base, saved.Commit), "\x00") {
				if name != "" {
					changed = append(changed, name)
				}
			}
			require.Len(rt, changed, len(changes))
			for name, content := range after {
				blob, err := repo.Command("show", saved.Commit+":"+name).Output()
				require.NoError(rt, err)
				require.Equal(rt, content, string(blob))
			}
			if _, edited := after["run.cue"]; edited && before["run.cue"] != "" {
				require.Contains(rt, repo.Git("ls-tree", saved.Commit, "run.cue"), "100755 ")
			}
			// The next case begins with a clone that nothing is left in.
			repo.Git("update-ref", "-d", "refs/heads/"+saved.Branch)
			repo.Git("reset", "--quiet", "--hard")
			repo.Git("clean", "--quiet", "--force", "-d")
			repo.Git("stash", "clear")
		})
	}
}

// Two savers of one name get two branches, each with all that its saver wrote; whoever has a branch keeps it.
func TestSaversOfOneName(t *testing.T) {
	asAda(t)
	repo, w, commits := fleet(t)
	saved := make([]clone.Saved, 8)
	var savers sync.WaitGroup
	for i := range saved {
		savers.Go(func() {
			c := clone.Change{Name: "new.cue", After: []byte(strconv.Itoa(i))}
			var err error
			saved[i], err = w.Save(t.Context(), commits[1], []clone.Change{c}, "number "+strconv.Itoa(i), proposal(t, "same"))
			require.NoError(t, err)
		})
	}
	savers.Wait()
	branches := map[string]bool{}
	for i, s := range saved {
		require.Equal(t, strconv.Itoa(i), repo.Git("show", s.Branch+":new.cue"))
		require.Equal(t, s.Commit, repo.Git("rev-parse", s.Branch))
		branches[s.Branch] = true
	}
	require.Len(t, branches, len(saved))
	require.True(t, branches["ui/same"] && branches["ui/same-2"])

	other, err := w.Save(t.Context(), commits[1], nil, "below the name of another", proposal(t, "same/deeper"))
	require.ErrorContains(t, err, "save ui/same/deeper", "%v", other)
	repo.Git("branch", "ui/team/x")
	above, err := w.Save(t.Context(), commits[1], nil, "above another", proposal(t, "team"))
	require.NoError(t, err)
	require.Equal(t, "ui/team-2", above.Branch)
}

// A draft of other files than those of the commit is not saved: it would take back what others did.
func TestSaveRefusesOtherFiles(t *testing.T) {
	asAda(t)
	repo, w, commits := fleet(t)
	was := state(t, repo)
	for _, c := range []clone.Change{
		{Name: "fleet.cue", Before: []byte("package fleet"), After: []byte("mine")}, // of the older commit
		{Name: "fleet.cue", After: []byte("mine")},
		{Name: "gone.cue", Before: []byte("x"), After: []byte("mine")},
		{Name: ".git/config", After: []byte("mine")},
		{Name: "../outside", After: []byte("mine")},
	} {
		_, err := w.Save(t.Context(), commits[1], []clone.Change{c}, "x", proposal(t, "x"))
		require.Error(t, err, c.Name)
	}
	_, err := w.Save(t.Context(), strings.Repeat("1", 40), nil, "x", proposal(t, "x"))
	require.ErrorContains(t, err, "names no commit of this clone")
	require.Equal(t, was, state(t, repo))
}

// A save is signed where git is told to sign, and is made where the fleet repo is a part of a larger one.
func TestSaveSigns(t *testing.T) {
	asAda(t)
	repo := gittest.New(t)
	repo.Write("fleets/one/fleet.cue", "package fleet")
	repo.Write("other", "stays")
	repo.Commit("begin")
	key, public := repo.Key("ada")
	for name, value := range map[string]string{"gpg.format": "ssh", "user.signingkey": key, "commit.gpgsign": "yes"} {
		repo.Git("config", name, value)
	}
	w, err := clone.Open(t.Context(), filepath.Join(repo.Dir, "fleets/one"))
	require.NoError(t, err)
	defer w.Close()
	saved, err := w.Save(t.Context(), "HEAD", []clone.Change{{Name: "a/b.cue", After: []byte("package fleet")}}, "x", proposal(t, "signed"))
	require.NoError(t, err)
	require.True(t, saved.Signed)
	require.Equal(t, "fleets/one/a/b.cue", repo.Git("diff", "--name-only", "HEAD", saved.Branch))
	signers := filepath.Join(t.TempDir(), "signers")
	require.NoError(t, os.WriteFile(signers, []byte("ada@example.com "+public+"\n"), 0o600))
	repo.Git("-c", "gpg.ssh.allowedSignersFile="+signers, "verify-commit", saved.Commit)

	repo.Git("config", "user.signingkey", filepath.Join(t.TempDir(), "missing"))
	_, err = w.Save(t.Context(), "HEAD", nil, "x", proposal(t, "unsigned"))
	require.ErrorContains(t, err, "git commit-tree", "what cannot be signed is not saved unsigned")
	require.Empty(t, repo.Git("for-each-ref", "refs/heads/ui/unsigned"))
}

const saveAndDie = "TEST_SAVE_AND_DIE"

// TestSaveKilled: whenever the program is killed in mid-save, the clone has the old refs or the new branch, whole; the next
// saver of the name gets one, too, and nothing of the dead one is left.
func TestSaveKilled(t *testing.T) {
	asAda(t)
	if dir := os.Getenv(saveAndDie); dir != "" {
		w, err := clone.Open(context.Background(), dir)
		require.NoError(t, err)
		_, err = w.Save(context.Background(), "HEAD", []clone.Change{{Name: "new.cue", After: []byte("whole")}}, "x", proposal(t, "killed"))
		require.NoError(t, err)
		os.Exit(7) // it got through
	}
	real, err := exec.LookPath("git")
	require.NoError(t, err)
	// A git that counts how often it runs, and kills the process that runs it before or after a call.
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte(`#!/bin/sh
n=$(($(cat "$COUNT") + 1)); echo $n > "$COUNT"
[ "$KILL" = "before $n" ] && kill -9 $PPID && exit 1
`+real+` "$@"; code=$?
[ "$KILL" = "after $n" ] && kill -9 $PPID
exit $code
`), 0o755))
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	reached := map[bool]int{}
	for _, moment := range []string{"before", "after"} {
		for n := 1; ; n++ {
			repo, w, _ := fleet(t)
			repo.Write("dirty", "stays")
			was := state(t, repo)
			count := filepath.Join(t.TempDir(), "count")
			require.NoError(t, os.WriteFile(count, []byte("0"), 0o600))
			child := exec.Command(os.Args[0], "-test.run=^TestSaveKilled$")
			child.Env = append(os.Environ(), saveAndDie+"="+repo.Dir, "COUNT="+count, fmt.Sprintf("KILL=%s %d", moment, n), "PATH="+bin+":"+os.Getenv("PATH"))
			out, err := child.CombinedOutput()
			if child.ProcessState.ExitCode() == 7 {
				calls, err := os.ReadFile(count)
				require.NoError(t, err)
				if all, err := strconv.Atoi(strings.TrimSpace(string(calls))); err != nil || n > all {
					break
				}
				continue // the call goes on until the process ends
			}
			require.ErrorContains(t, err, "killed", "%s", out)
			repo.Git("fsck", "--strict", "--no-dangling")
			now := state(t, repo)
			saved := now["refs"] != was["refs"]
			reached[saved]++
			if saved {
				require.Equal(t, "whole", repo.Git("show", "ui/killed:new.cue"))
			}
			now["refs"] = was["refs"]
			require.Equal(t, was, now)
			again, err := w.Save(t.Context(), "HEAD", nil, "x", proposal(t, "killed"))
			require.NoError(t, err)
			require.Equal(t, saved, again.Branch == "ui/killed-2")
			left, err := filepath.Glob(filepath.Join(temp, "*"))
			require.NoError(t, err)
			require.Empty(t, left, "something of the dead")
		}
	}
	require.Positive(t, reached[true], "some were killed after the branch was made")
	require.Greater(t, reached[false], 10, "and most before")
}
