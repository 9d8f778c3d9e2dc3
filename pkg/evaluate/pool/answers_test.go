package pool

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
)

// A restart on an unchanged fleet evaluates nothing; damaged answers are misses.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	files := fleetOf(3, "acme", "globex")
	run := func() (model.Fleet, int) {
		t.Helper()
		p := open(t, Options{Dir: dir})
		c := one(p)
		f := evaluate.Through(c).Fleet("c", files, nil)
		return f, c.evaluated
	}
	want, n := run()
	require.Equal(t, 9, n) // the platform, two tenants, six applications
	require.Empty(t, want.Problems)
	got, n := run()
	require.Equal(t, want, got)
	require.Zero(t, n)

	for damage, edit := range map[string]func([]byte) []byte{
		"emptied":           func([]byte) []byte { return nil },
		"of another format": func([]byte) []byte { return []byte("\xff\xff\xff\xffno answers are in here") },
		"cut":               func(data []byte) []byte { return data[:len(data)-10] },
		"cut in the seal":   func(data []byte) []byte { return data[:10] },
		"flipped in a byte": func(data []byte) []byte { data[len(data)-2] ^= 1; return data },
	} {
		names := kept(t, dir)
		require.Len(t, names, 9)
		for _, name := range names {
			editFile(t, name, edit)
		}
		got, n = run()
		require.Equal(t, want, got, damage)
		require.Equal(t, 9, n, damage)
		_, n = run()
		require.Zero(t, n, "after it was "+damage)

		editFile(t, names[4], edit)
		got, n = run()
		require.Equal(t, want, got, damage)
		require.Equal(t, 1, n, "only one answer was "+damage)
	}

	// An answer under another's key is none.
	names := kept(t, dir)
	data, err := os.ReadFile(names[0])
	require.NoError(t, err)
	editFile(t, names[1], func([]byte) []byte { return data })
	got, n = run()
	require.Equal(t, want, got)
	require.Equal(t, 1, n)

	require.NoError(t, os.RemoveAll(dir))
	got, _ = run()
	require.Equal(t, want, got)
}

// kept are the files with young answers.
func kept(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", "young", "*"))
	require.NoError(t, err)
	return names
}

func editFile(t *testing.T, name string, edit func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, edit(data), 0o600))
}

// What is kept is bounded, and what was used last stays.
func TestAnswersAreBounded(t *testing.T) {
	dir := t.TempDir()
	a, err := openAnswers(dir, os.Args[0], 100_000)
	require.NoError(t, err)
	for i := range 300 {
		a.put(fmt.Sprint(i), make([]byte, 1000))
		_, ok := a.get("0")
		require.True(t, ok)
		require.LessOrEqual(t, sizeOf(t, dir), int64(101_000))
	}
	_, ok := a.get("299")
	require.True(t, ok)
	_, ok = a.get("1")
	require.False(t, ok)

	a, err = openAnswers(dir, os.Args[0], 100_000)
	require.NoError(t, err)
	for _, key := range []string{"0", "299", "260"} {
		data, ok := a.get(key)
		require.True(t, ok, key)
		require.Len(t, data, 1000)
	}

	other := filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(other, []byte("another build"), 0o600))
	b, err := openAnswers(dir, other, 100_000)
	require.NoError(t, err)
	_, ok = b.get("0")
	require.False(t, ok, "another build answers for itself")
	require.FileExists(t, other, "and removes nothing but answers")

	// Programs of two builds on one directory remove each other's answers, and go on.
	b.put("b", []byte("of the other build"))
	a.put("a", []byte("of the first build"))
	_, ok = a.get("a")
	require.True(t, ok)
	_, err = openAnswers(dir, os.Args[0], 100_000)
	require.NoError(t, err)
	b.put("c", []byte("of the other build"))
	_, ok = b.get("c")
	require.True(t, ok)
}

// The linker's ID tells builds apart without reading a whole program; without an ID the contents do.
func TestBuildsAreToldApart(t *testing.T) {
	golang, err := exec.LookPath("go") // a program of another build
	require.NoError(t, err)
	own, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	require.NotNil(t, linked(bytes.NewReader(own)))
	short := filepath.Join(t.TempDir(), "short")
	require.NoError(t, os.WriteFile(short, own[:1000], 0o600))
	require.Nil(t, linked(bytes.NewReader(own[:1000])))

	builds := map[string]string{}
	for _, program := range []string{os.Args[0], golang, short} {
		build, err := buildOf(program)
		require.NoError(t, err)
		require.NotContains(t, builds, build, "%s and %s", program, builds[build])
		builds[build] = program
		again, err := buildOf(program)
		require.NoError(t, err)
		require.Equal(t, build, again)
	}
}

// sizeOf is the size of all files below a directory.
func sizeOf(t *testing.T, dir string) (size int64) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			info, err := e.Info()
			require.NoError(t, err)
			size += info.Size()
		}
		return err
	}))
	return size
}

// Two processes on one directory read what the other has kept, also after the
// directories turn, and a file that was never finished is no answer.
func TestProcessesShareAnswers(t *testing.T) {
	dir := t.TempDir()
	first, err := openAnswers(dir, os.Args[0], 100_000)
	require.NoError(t, err)
	first.put("a", []byte("of the first"))
	require.NoError(t, os.WriteFile(first.path("young", "new-1"), make([]byte, 5000), 0o600))
	second, err := openAnswers(dir, os.Args[0], 100_000)
	require.NoError(t, err)
	require.Greater(t, second.size, int64(5000), "what is there counts")
	data, ok := second.get("a")
	require.True(t, ok)
	require.Equal(t, "of the first", string(data))
	second.put("b", []byte("of the second"))
	for i := range 60 { // they turn once
		first.put(fmt.Sprint(i), make([]byte, 1000))
	}
	data, ok = first.get("b")
	require.True(t, ok)
	require.Equal(t, "of the second", string(data))
	_, ok = second.get("59")
	require.True(t, ok)
	require.NoFileExists(t, first.path("young", "new-1"))
}
