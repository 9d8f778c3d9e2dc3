package evaluate

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/model"
)

var update = flag.Bool("update", false, "write golden files anew")

// pinnedCommit is the one commit beside the present that examples know. In it
// there is no application shop.
const pinnedCommit = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

func beforeShop(commit string) (Files, error) {
	if commit != pinnedCommit {
		return nil, errors.New("commit " + commit + " is not reachable from main")
	}
	return unpack(txtar.Parse([]byte("-- README --\nempty\n"))), nil
}

func archive(t testing.TB, name string) *txtar.Archive {
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return a
}

// examples are the cases of testdata/problems by name. Each is the base fleet
// with some files changed, and what is wrong with it.
func examples(t testing.TB) map[string]*txtar.Archive {
	files, err := filepath.Glob("testdata/problems/*.txtar")
	require.NoError(t, err)
	out := map[string]*txtar.Archive{}
	for _, f := range files {
		out[strings.TrimSuffix(filepath.Base(f), ".txtar")] = archive(t, filepath.Join("problems", filepath.Base(f)))
	}
	return out
}

// split separates the files of an example from what is wanted of them.
func split(a *txtar.Archive) (files *txtar.Archive, want string) {
	files = &txtar.Archive{}
	for _, f := range a.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		files.Files = append(files.Files, f)
	}
	return files, want
}

func report(f model.Fleet) string {
	var b strings.Builder
	for _, p := range f.Problems {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}

// Every rule refuses what it is there to refuse, says so in its sentence, and
// names the places of both sides. A rule of the schema may compile and hold
// nothing: this is the test that it holds.
func TestProblems(t *testing.T) {
	base := archive(t, "base.txtar")
	require.Empty(t, New(nil).Fleet("", unpack(base), nil).Problems, "the base fleet is without problems")
	for name, a := range examples(t) {
		t.Run(name, func(t *testing.T) {
			files, want := split(a)
			f := New(nil).Fleet("", unpack(base, files), beforeShop)
			got := report(f)
			if *update {
				write(t, name, files, got)
				want = got
			}
			require.Equal(t, want, got)
			code, _, _ := strings.Cut(name, "-")
			require.NotEmpty(t, f.Problems)
			for _, p := range f.Problems {
				require.Equal(t, code, p.Code, "no other problem than the one shown")
				require.NotEmpty(t, p.Places)
			}
		})
	}
}

func write(t *testing.T, name string, files *txtar.Archive, want string) {
	files.Files = append(files.Files, txtar.File{Name: "want", Data: []byte(want)})
	require.NoError(t, os.WriteFile(filepath.Join("testdata/problems", name+".txtar"), txtar.Format(files), 0o644))
}

// An unknown field of an element of a list has a suggestion as well.
func TestDidYouMeanInLists(t *testing.T) {
	f := New(nil).Fleet("c", unpack(archive(t, "base.txtar"), overlay("tenants/acme/apps/shop/more.cue",
		"package fleet\n\napplication: components: web: traits: ingress: [{hots: \"shop.example.com\", port: 8080}]\n")), nil)
	require.Equal(t, "no such field; did you mean host?", f.Problems[0].Message)
}

// A value that is none of several has a sentence also where no rule gives one.
func TestNoneOfSeveral(t *testing.T) {
	f := New(nil).Fleet("c", unpack(archive(t, "base.txtar"), overlay("more.cue",
		"package fleet\n\nplatform: pools: general: os: [\"plan9\"]\n")), nil)
	require.Equal(t, `DA1104 platform.pools.general.os.0: is none of what may be written here
  more.cue:3:32   "plan9"
`, report(f))
}
