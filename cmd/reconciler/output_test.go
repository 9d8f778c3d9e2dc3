package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTableFoldsOnNarrowTerminals(t *testing.T) {
	rows := [][]cell{{plain("acme/shop"), plain("database 1/1 · web 4/4"), plain("waits for 容量 in pool general, where 3 cpu are free")}}
	head := []string{"APPLICATION", "GRANT", "WHY"}

	wide := &printer{}
	wide.table("", head, rows)
	require.Equal(t, ""+
		"APPLICATION  GRANT                   WHY\n"+
		"acme/shop    database 1/1 · web 4/4  waits for 容量 in pool general, where 3 cpu are free\n", wide.buf.String())

	narrow := &printer{width: 64}
	narrow.table("", head, rows)
	require.Equal(t, ""+
		"APPLICATION  GRANT                   WHY\n"+
		"acme/shop    database 1/1 · web 4/4  waits for 容量 in pool\n"+
		"                                     general, where 3 cpu are\n"+
		"                                     free\n", narrow.buf.String())
	for line := range strings.Lines(narrow.buf.String()) {
		require.LessOrEqual(t, displayWidth(strings.TrimSuffix(line, "\n")), 64)
	}
}

func TestColour(t *testing.T) {
	p := &printer{colour: true}
	p.table("", []string{"PHASE"}, [][]cell{{{"Running", green}}})
	require.Equal(t, "\x1b[2mPHASE\x1b[0m\n\x1b[32mRunning\x1b[0m\n", p.buf.String())
}

// Folding loses no word.
func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z容]{1,12}`), 1, 20).Draw(t, "words")
		lines := fold(strings.Join(words, " "), rapid.IntRange(1, 40).Draw(t, "width"))
		require.Equal(t, words, strings.Fields(strings.Join(lines, " ")))
	})
}

func TestAge(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s": -time.Second, "42s": 42 * time.Second, "90s": 90 * time.Second, "7m": 7 * time.Minute, "3h": 3*time.Hour + 59*time.Minute, "12d": 300 * time.Hour,
	} {
		require.Equal(t, want, age(d))
	}
}
