package evaluate

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// bypasses are the cases of testdata/bypasses: ways around the rules that somebody
// may try, each with a twin that tries nothing.
func bypasses(t testing.TB) (all []pair) {
	files, err := filepath.Glob("testdata/bypasses/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		require.NoError(t, err)
		p := pair{name: strings.TrimSuffix(filepath.Base(name), ".txtar"), refused: &txtar.Archive{Comment: a.Comment}}
		var change []txtar.File
		for _, f := range a.Files {
			switch f.Name {
			case "want":
				p.want = string(f.Data)
			case "accepted":
				change = append(change, txtar.File{Data: f.Data})
			default:
				p.refused.Files = append(p.refused.Files, f)
			}
		}
		require.NotEmpty(t, change, "%s has no twin", name)
		p.accepted = twin(t, p.refused, change...)
		all = append(all, p)
	}
	return all
}

// Every way around the rules is refused, with a sentence that says what is wrong
// and no other problem. No sentence quotes a secret.
func TestBypassesAreRefused(t *testing.T) {
	base := archive(t, "base.txtar")
	for _, p := range bypasses(t) {
		t.Run(p.name, func(t *testing.T) {
			f := Through(examined).Fleet("c", planted(base, p.refused), releases(t))
			got := report(f)
			if *update {
				p.write(t, got)
				p.want = got
			}
			require.NotEmpty(t, got)
			require.Equal(t, p.want, got)
			require.NotContains(t, got, "canary")
			for _, u := range f.Unusable {
				require.NotContains(t, u.Message, "canary")
			}
		})
	}
}

// write keeps what is wanted of a bypass.
func (p *pair) write(t *testing.T, want string) {
	name := filepath.Join("testdata/bypasses", p.name+".txtar")
	a, err := txtar.ParseFile(name)
	require.NoError(t, err)
	if last := len(a.Files) - 1; a.Files[last].Name == "want" {
		a.Files = a.Files[:last]
	}
	a.Files = append(a.Files, txtar.File{Name: "want", Data: []byte(want)})
	require.NoError(t, os.WriteFile(name, txtar.Format(a), 0o644))
}

// linked is a tree with links, which show in their directory as irregular, and have
// neither content nor digest, as in that of a commit.
type linked struct {
	tree
	links map[string]string
}

// planted is the tree of archives. In it a file named "LINK -> TARGET" is a link.
func planted(archives ...*txtar.Archive) linked {
	l := linked{links: map[string]string{}}
	var plain []*txtar.Archive
	for _, a := range archives {
		rest := &txtar.Archive{}
		for _, f := range a.Files {
			if name, target, ok := strings.Cut(f.Name, " -> "); ok {
				l.links[name] = target
				continue
			}
			rest.Files = append(rest.Files, f)
		}
		plain = append(plain, rest)
	}
	l.tree = unpack(plain...)
	return l
}

func (l linked) Open(name string) (fs.File, error) {
	if _, ok := l.links[name]; ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("is a link")}
	}
	return l.tree.Open(name)
}

func (l linked) ReadDir(dir string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(l.tree.FS, dir)
	for name, target := range l.links {
		if path.Dir(name) == dir {
			link := fstest.MapFS{path.Base(name): {Data: []byte(target), Mode: fs.ModeIrregular}}
			more, _ := link.ReadDir(".")
			entries, err = append(entries, more...), nil
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

func (l linked) Digest(name string) (string, error) {
	if _, ok := l.links[name]; ok {
		return "", &fs.PathError{Op: "digest", Path: name, Err: errors.New("is a link")}
	}
	digest, err := l.tree.Digest(name)
	for _, link := range slices.Sorted(maps.Keys(l.links)) {
		digest += " " + link + " -> " + l.links[link]
	}
	return digest, err
}
