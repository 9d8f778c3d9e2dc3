package newcomer

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/tier"
)

const root = "../.."

func recipes(t *testing.T) []recipe {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	require.NoError(t, err)
	all, err := read(string(page))
	require.NoError(t, err)
	return all
}

// TestRecipesAreWhole follows each recipe in a copy of the module: its checks fail before its files are written anew, and
// pass then. No step is superfluous: without any one of its edits a check fails.
func TestRecipesAreWhole(t *testing.T) {
	var names []string
	for _, r := range recipes(t) {
		names = append(names, r.name)
		t.Run(strings.Fields(r.name)[len(strings.Fields(r.name))-1], func(t *testing.T) {
			require.NotEmpty(t, r.write)
			require.NotEmpty(t, r.check)
			if testing.Short() {
				for _, e := range r.edits {
					_, err := e.made(root)
					require.NoError(t, err)
				}
				t.Skip("-short: the edits of this recipe fit, and make test runs its commands")
			}
			dir := checkout(t)
			for _, e := range r.edits {
				require.NoError(t, e.apply(dir))
			}
			require.True(t, slices.ContainsFunc(r.check, func(command string) bool {
				return strings.Contains(failures(dir, []string{command}), "FAIL")
			}), "a newcomer who forgets the last step is told so")
			for _, command := range r.write {
				require.Empty(t, failures(dir, []string{command}))
			}
			require.Empty(t, failures(dir, r.check), "the recipe is whole")
			if tier.Soak() {
				withoutOneEdit(t, r)
			}
		})
	}
	require.Equal(t, []string{"A trait", "A transition", "An error code", "A command"}, names)
}

// TestATraitIsTwoFiles: a trait touches its own two files and nothing else.
func TestATraitIsTwoFiles(t *testing.T) {
	trait := recipes(t)[0]
	require.Equal(t, "A trait", trait.name)
	require.Len(t, trait.edits, 2)
	for _, e := range trait.edits {
		require.Empty(t, e.old, "%s is a new file", e.file)
		require.Equal(t, "pkg/render/trait", filepath.Dir(e.file))
	}
}

// withoutOneEdit leaves out each edit in turn.
func withoutOneEdit(t *testing.T, r recipe) {
	for skip, missing := range r.edits {
		dir := checkout(t)
		for i, e := range r.edits {
			if i != skip {
				require.NoError(t, e.apply(dir))
			}
		}
		require.NotEmpty(t, failures(dir, append(append([]string{}, r.write...), r.check...)), "%s changes nothing that a check sees", missing.file)
	}
}

// checkout copies the files of the module, as Git would commit them.
func checkout(t *testing.T) string {
	t.Helper()
	git := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	git.Dir = root
	list, err := git.Output()
	require.NoError(t, err, "the recipes are followed in a clone")
	dir := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		require.NoError(t, err)
		to := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(t, os.WriteFile(to, data, 0o644))
	}
	return dir
}

// failures runs commands as the page shows them and returns what those that fail print.
func failures(dir string, commands []string) (printed string) {
	for _, command := range commands {
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath -vet=off -ldflags=-s", "CGO_ENABLED=0") // as in make build: the cache has all packages that no recipe changes
		if out, err := cmd.CombinedOutput(); err != nil {
			printed += command + ": " + err.Error() + "\n" + string(out)
		}
	}
	return printed
}
