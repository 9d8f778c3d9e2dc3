// Package page holds the generated parts of the documentation's pages to the code. A part stands between the lines
// <!-- NAME --> and <!-- end -->; nothing else of a page changes.
package page

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Hold compares a part with what the code says, or writes it where update is set, the flag -update of the test.
func Hold(t testing.TB, update bool, path, name, text string) {
	t.Helper()
	if update {
		require.NoError(t, Replace(path, name, text))
		return
	}
	require.Equal(t, text, Part(t, path, name), "%s has another part %q: run go test . -run '^%s$' -update in the directory of this test, and read the difference", path, name, t.Name())
}

// Part returns a part of a page, for a test that compares more than its bytes.
func Part(t testing.TB, path, name string) string {
	t.Helper()
	_, part, _, err := cut(path, name)
	require.NoError(t, err)
	return part
}

// Replace writes a part of a page.
func Replace(path, name, text string) error {
	before, _, after, err := cut(path, name)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(before+text+after), 0o644)
}

// cut splits a page into a part and what stands around it.
func cut(path, name string) (before, part, after string, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", "", "", err
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(string(content), begin)
	if !found {
		return "", "", "", fmt.Errorf("find the part %q of %s: the page has no line %q", name, path, strings.TrimSpace(begin))
	}
	part, after, found = strings.Cut(rest, end)
	if !found || strings.Contains("\n"+part, "\n<!-- ") {
		return "", "", "", fmt.Errorf("find the part %q of %s: no line %q ends it", name, path, end)
	}
	return before + begin, part, end + after, nil
}
