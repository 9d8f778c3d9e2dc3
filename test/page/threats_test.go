package page

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestThreatModelNamesTests: each test that the threat model names exists, and each row of
// what holds names one.
func TestThreatModelNamesTests(t *testing.T) {
	b, err := os.ReadFile("../../docs/threat-model.md")
	require.NoError(t, err)
	_, rows, found := strings.Cut(string(b), "## What holds\n")
	require.True(t, found)
	rows, _, _ = strings.Cut(rows, "\n## ")
	test := regexp.MustCompile("`(Test[A-Za-z0-9]+)`")
	named := 0
	for row := range strings.Lines(rows) {
		if !strings.HasPrefix(row, "| ") || strings.HasPrefix(row, "| |") || strings.HasPrefix(row, "| ---") {
			continue
		}
		require.Regexp(t, test, row)
		named++
	}
	require.Positive(t, named)
	var code strings.Builder
	require.NoError(t, filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		code.Write(b)
		return err
	}))
	for _, name := range test.FindAllStringSubmatch(string(b), -1) {
		require.True(t, strings.Contains(code.String(), "func "+name[1]+"(t *testing.T)"), "the threat model names %s, and there is no such test", name[1])
	}
}
