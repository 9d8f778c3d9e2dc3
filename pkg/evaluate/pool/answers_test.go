package pool

import (
	"fmt"
	"os"
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
		p.answers.close() // as at the end of a process
		return f, c.evaluated
	}
	want, n := run()
	require.Equal(t, 9, n) // the platform, two tenants, six applications
	require.Empty(t, want.Problems)
	got, n := run()
	require.Equal(t, want, got)
	require.Zero(t, n)

	for damage, edit := range map[string]func([]byte) []byte{
		"emptied":                 func([]byte) []byte { return nil },
		"of another format":       func(data []byte) []byte { return []byte("\xff\xff\xff\xffno answers are in here") },
		"cut in the first answer": func(data []byte) []byte { return data[:100] },
		"each byte flipped": func(data []byte) []byte {
			for i := range data {
				data[i] ^= 1
			}
			return data
		},
	} {
		editAnswers(t, dir, edit)
		got, n = run()
		require.Equal(t, want, got, damage)
		require.Equal(t, 9, n, damage)
		_, n = run()
		require.Zero(t, n, "after it was "+damage)
	}

	editAnswers(t, dir, func(data []byte) []byte { return data[:len(data)-10] })
	got, n = run()
	require.Equal(t, want, got)
	require.Equal(t, 1, n, "only the last answer was cut")

	editAnswers(t, dir, func(data []byte) []byte { data[len(data)-2] ^= 1; return data })
	got, n = run()
	require.Equal(t, want, got)
	require.Equal(t, 1, n, "only the last answer was damaged")

	// An answer under another's key is none.
	editAnswers(t, dir, func(data []byte) []byte {
		first := int(data[2])<<8 + int(data[3]) + headSize
		copy(data[first+4:first+36], data[4:36])
		return data
	})
	got, n = run()
	require.Equal(t, want, got)
	require.Equal(t, 2, n, "the first two answers")

	require.NoError(t, os.RemoveAll(dir))
	got, _ = run()
	require.Equal(t, want, got)
}

func editAnswers(t *testing.T, dir string, edit func([]byte) []byte) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", "young.log"))
	require.NoError(t, err)
	require.Len(t, names, 1)
	data, err := os.ReadFile(names[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(names[0], edit(data), 0o600))
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
		require.LessOrEqual(t, a.young.size+sizeOf(a.old), int64(101_000))
	}
	_, ok := a.get("299")
	require.True(t, ok)
	_, ok = a.get("1")
	require.False(t, ok)
	a.close()

	a, err = openAnswers(dir, os.Args[0], 100_000)
	require.NoError(t, err)
	defer a.close()
	for _, key := range []string{"0", "299", "260"} {
		data, ok := a.get(key)
		require.True(t, ok, key)
		require.Len(t, data, 1000)
	}

	other := filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(other, []byte("another build"), 0o600))
	b, err := openAnswers(dir, other, 100_000)
	require.NoError(t, err)
	defer b.close()
	_, ok = b.get("0")
	require.False(t, ok, "another build answers for itself")
	require.FileExists(t, other, "and removes nothing but answers")
}

func sizeOf(l *answerLog) int64 {
	if l == nil {
		return 0
	}
	return l.size
}

// A second process reads what the first has kept, and leaves writing to it.
func TestOneProcessWrites(t *testing.T) {
	dir := t.TempDir()
	first, err := openAnswers(dir, os.Args[0], 100_000)
	require.NoError(t, err)
	first.put("a", []byte("of the first"))
	second, err := openAnswers(dir, os.Args[0], 100_000)
	require.NoError(t, err)
	data, ok := second.get("a")
	require.True(t, ok)
	require.Equal(t, "of the first", string(data))
	second.put("b", []byte("of the second"))
	_, ok = second.get("b")
	require.False(t, ok)
	for i := range 200 { // the logs turn
		first.put(fmt.Sprint(i), make([]byte, 1000))
	}
	data, ok = second.get("a")
	require.True(t, ok, "it holds the log that it opened")
	require.Equal(t, "of the first", string(data))
	second.close()
	first.close()

	third, err := openAnswers(dir, os.Args[0], 100_000)
	require.NoError(t, err)
	defer third.close()
	third.put("c", []byte("of the third"))
	_, ok = third.get("c")
	require.True(t, ok, "the lock went with the process")
}
