package evaluate

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/schema"
)

// onlyHere are the cases that cue vet lets through, and why it cannot see them.
// Everything else people see on their own machine, with the same code.
var onlyHere = map[string]string{
	"DA1002-none":          "a file of no package is left out",
	"DA1003":               "unification with an equal or new value is no error in CUE",
	"DA1003-definition":    "a definition is no field",
	"DA1003-comprehension": "unification with an equal or new value is no error in CUE",
	"DA1004":               "a file with @if is left out",
	"DA1006":               "the default is taken",
	"DA1007":               "a reference is a value",
	"DA1008":               "a file with such a name is left out",
	"DA1010":               "CUE has no such cap",
	"DA1013":               "nothing binds the files to the schema",
	"DA1013-unbound":       "nothing binds the files to the schema",
	"DA1014":               "the name of a directory has no meaning in CUE",
	"DA1106":               "amounts are text",
	"DA1806":               "a reference between values",
	"DA1807":               "a count of values",
}

// seesNames says whether cue vet can see a problem of this code: names of
// directories, references between values, and sums are beyond it.
func seesNames(code string) bool {
	return !strings.HasPrefix(code, "DA15") && !strings.HasPrefix(code, "DA16")
}

// The verdict of the real cue command on every example is ours, but for what it
// cannot see.
func TestCueVetSeesTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the cue command on every example")
	}
	base := archive(t, "base.txtar")
	cases := examples(t)
	for _, name := range sortedNames(cases) {
		t.Run(name, func(t *testing.T) {
			files, _ := split(cases[name])
			dir := t.TempDir()
			unpackTo(t, dir, unpack(base, files))
			err := runCue(t, dir, "vet", "-c", "./...")
			code, _, _ := strings.Cut(name, "-")
			if onlyHere[name] != "" || !seesNames(code) {
				require.NoError(t, err, "cue vet sees it after all")
				return
			}
			require.Error(t, err)
			if code >= "DA1200" && code != codeRequiredLabel {
				require.ErrorContains(t, err, code)
			}
		})
	}
}

func sortedNames(m map[string]*txtar.Archive) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// unpackTo writes a tree with the vendored schema and a module around it.
func unpackTo(t *testing.T, dir string, files tree) {
	put := func(name string, data []byte) {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, data, 0o644))
	}
	require.NoError(t, fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		put(name, data)
		return err
	}))
	put("cue.mod/module.cue", []byte("module: \"fleet.example\"\nlanguage: version: \"v0.17.0\"\n"))
	for _, f := range schema.Files() {
		put("cue.mod/pkg/"+schema.ImportPath+"/"+f.Name, f.Data)
	}
}
