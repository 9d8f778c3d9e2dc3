package git_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/test/gittest"
)

func hash(t testing.TB, repo *gittest.Repo, revision string) git.Hash {
	t.Helper()
	return parsed(t, repo.Git("rev-parse", revision))
}

func parsed(t testing.TB, hex string) git.Hash {
	t.Helper()
	h, ok := git.ParseHash(hex)
	require.True(t, ok)
	return h
}

// TestDivergeAsGitDoes: merge bases and the commits of a side are those of git, on random
// histories. Many commits in a row have the same second, so their order says nothing.
func TestDivergeAsGitDoes(t *testing.T) {
	for _, seed := range []uint64{0, 1, 2, 3, 4, 5, 6, 45} { // 45: an ancestor is read before its descendants
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			divergeAsGitDoes(t, rand.New(rand.NewPCG(seed, 2)))
		})
	}
}

func divergeAsGitDoes(t *testing.T, random *rand.Rand) {
	repo := gittest.New(t)
	commits := randomHistory(repo, random, 60, 2+random.IntN(30))
	store := git.OpenClone(t.Context(), repo.Dir)
	defer store.Close()
	parents := map[string][]string{}
	for line := range strings.Lines(repo.Git("rev-list", "--all", "--parents")) {
		hashes := strings.Fields(line)
		parents[hashes[0]] = hashes[1:]
	}
	for range 30 {
		ours, theirs := commits[random.IntN(len(commits))], commits[random.IntN(len(commits))]
		d, err := store.Diverge(parsed(t, ours), parsed(t, theirs), 1000)
		require.NoError(t, err)
		var bases, side []string
		for _, h := range d.Bases {
			bases = append(bases, h.String())
		}
		for _, h := range d.Theirs {
			side = append(side, h.String())
		}
		cmd := repo.Command("merge-base", "--all", ours, theirs)
		want, _ := cmd.Output() // it fails where there is none
		require.ElementsMatch(t, strings.Fields(string(want)), bases, "%s %s", ours, theirs)
		require.ElementsMatch(t, strings.Fields(repo.Git("rev-list", theirs, "^"+ours)), side)
		for i, h := range side {
			for _, parent := range parents[h] {
				if at := slices.Index(side, parent); at >= 0 {
					require.Less(t, at, i, "parents come first")
				}
			}
		}
	}
	_, err := store.Diverge(parsed(t, commits[0]), parsed(t, commits[59]), 5)
	require.ErrorContains(t, err, "more than 5 commits")
}

// randomHistory makes commits with one or two of the six commits before each as parents, so
// many of them in a second.
func randomHistory(repo *gittest.Repo, random *rand.Rand, n, second int) []string {
	var stream strings.Builder
	for i := range n {
		fmt.Fprintf(&stream, "commit refs/heads/c%d\nmark :%d\ncommitter Ada <ada@example.com> %d +0000\ndata 0\n", i, i+1, 1e9+i/second)
		word, seen := "from", []int{}
		for range min(i, 1+random.IntN(2)) {
			if parent := max(1, i-random.IntN(6)); !slices.Contains(seen, parent) {
				fmt.Fprintf(&stream, "%s :%d\n", word, parent)
				word, seen = "merge", append(seen, parent)
			}
		}
	}
	repo.GitIn(stream.String(), "fast-import", "--quiet")
	revisions := []string{"rev-parse"}
	for i := range n {
		revisions = append(revisions, fmt.Sprintf("refs/heads/c%d", i))
	}
	return strings.Fields(repo.Git(revisions...))
}

// TestUnmerged: what git merges path by path is clean, and only that.
func TestUnmerged(t *testing.T) {
	long := func(first, last string) string { return first + strings.Repeat("\nline", 20) + "\n" + last + "\n" }
	type files = map[string]string // "": it is removed
	for _, c := range []struct {
		name               string
		base, ours, theirs files
		merge              files // on top of the merge that git makes, or of ours if that has conflicts
		want               []string
	}{
		{"nothing", files{"a": "1"}, nil, nil, nil, nil},
		{"other files", files{"a": "1", "b": "1"}, files{"a": "2"}, files{"b": "2"}, nil, nil},
		{"other files of a directory", files{"d/a": "1", "d/b": "1", "d/e/c": "1"}, files{"d/a": "2"}, files{"d/e/c": "2"}, nil, nil},
		{"the same change", files{"d/a": "1", "x": "1"}, files{"d/a": "2"}, files{"d/a": "2", "x": "2"}, nil, nil},
		{"new and removed", files{"d/a": "1", "d/b": "1"}, files{"d/a": ""}, files{"d/c": "1"}, nil, nil},
		{"a whole directory goes", files{"d/a": "1", "d/b": "1", "x": "1"}, files{"d/a": ""}, files{"d/b": ""}, nil, nil},
		{"both changed one file, in other lines", files{"a": long("1", "1")}, files{"a": long("2", "1")}, files{"a": long("1", "2")}, nil, []string{"a"}},
		{"both changed one line", files{"d/a": "1"}, files{"d/a": "2"}, files{"d/a": "3"}, files{"d/a": "3"}, []string{"d/a"}},
		{"changed and removed", files{"d/a": "1", "x": "1"}, files{"d/a": "2"}, files{"d/a": ""}, files{}, []string{"d/a"}},
		{"a file for a directory", files{"d/a": "1", "x": "1"}, files{"d/b": "1"}, files{"d/a": "", "d": "file"}, files{}, []string{"d"}},
		{"more than the merge", files{"a": "1", "b": "1"}, files{"a": "2"}, files{"b": "2"}, files{"c": "3"}, []string{"c"}},
		{"less than the merge", files{"d/a": "1", "d/b": "1"}, files{"d/a": "2"}, files{"d/b": "2"}, files{"d/b": "1"}, []string{"d/b"}},
		{"none of theirs", files{"a": "1", "d/b": "1", "d/c": "1"}, files{"a": "2"}, files{"d/b": "2", "d/c": ""}, files{"d/b": "1", "d/c": "1"}, []string{"d/b", "d/c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			repo := gittest.New(t)
			write := func(files files) {
				for name, content := range files {
					if content == "" {
						require.NoError(t, os.Remove(filepath.Join(repo.Dir, name)))
						_ = os.Remove(filepath.Join(repo.Dir, filepath.Dir(name))) // if it is empty
					}
				}
				for name, content := range files {
					if content != "" {
						repo.Write(name, content)
					}
				}
			}
			write(c.base)
			repo.Commit("base")
			repo.Git("checkout", "-q", "-b", "side")
			write(c.theirs)
			repo.Commit("theirs")
			repo.Git("checkout", "-q", "main")
			write(c.ours)
			repo.Commit("ours")
			ours := hash(t, repo, "main^{tree}")
			if err := repo.Command("merge", "-q", "--no-ff", "--no-edit", "side").Run(); err != nil {
				repo.Git("merge", "--abort")
			}
			if c.merge != nil {
				write(c.merge)
				repo.Commit("merge")
			}
			store := git.OpenClone(t.Context(), repo.Dir)
			defer store.Close()
			got, err := store.Unmerged(hash(t, repo, "side~1^{tree}"), ours, hash(t, repo, "side^{tree}"), hash(t, repo, "main^{tree}"), 100)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// TestUnmergedNamesTwice: a merge that hides a second entry of a name is not clean.
func TestUnmergedNamesTwice(t *testing.T) {
	repo := gittest.New(t)
	blob := func(content string) string { return repo.GitIn(content, "hash-object", "-w", "--stdin") }
	tree := func(entries ...string) git.Hash {
		raw := ""
		for i := 0; i < len(entries); i += 2 {
			h, _ := git.ParseHash(blob(entries[i+1]))
			raw += "100644 " + entries[i] + "\x00" + string(h[:])
		}
		h, _ := git.ParseHash(repo.GitIn(raw, "hash-object", "-w", "-t", "tree", "--stdin", "--literally"))
		return h
	}
	store := git.OpenClone(t.Context(), repo.Dir)
	defer store.Close()
	base, ours, theirs := tree("a", "1", "b", "1"), tree("a", "2", "b", "1"), tree("a", "1", "b", "2")
	for name, c := range map[string]struct {
		merge git.Hash
		want  []string
	}{
		"clean":     {tree("a", "2", "b", "2"), nil},
		"twice":     {tree("a", "2", "b", "2", "b", "evil"), []string{".", "b"}},
		"unordered": {tree("b", "2", "a", "2"), []string{"."}},
	} {
		got, err := store.Unmerged(base, ours, theirs, c.merge, 100)
		require.NoError(t, err)
		require.Equal(t, c.want, got, name)
	}
}
