package architecture

import (
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code    = regexp.MustCompile("`[^`]*`")
	heading = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
)

// pages returns the Markdown files of the checkout.
func pages(t *testing.T) (names []string) {
	t.Helper()
	require.NoError(t, walk(func(name string) error {
		if path.Ext(name) == ".md" {
			names = append(names, name)
		}
		return nil
	}))
	require.NotEmpty(t, names)
	return names
}

// prose returns the lines of a page outside of code.
func prose(t *testing.T, page string) (lines []string) {
	fenced := false
	for line := range strings.Lines(read(t, page)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if !fenced {
			lines = append(lines, line)
		}
	}
	require.False(t, fenced, "%s: a block of code has no end", page)
	return lines
}

// anchors returns what a link may name behind "#", as GitHub makes it of headings.
func anchors(t *testing.T, page string) map[string]bool {
	found := map[string]bool{}
	for _, line := range prose(t, page) {
		if m := heading.FindStringSubmatch(line); m != nil {
			text := dropped.ReplaceAllString(strings.ToLower(m[1]), "")
			found[strings.ReplaceAll(text, " ", "-")] = true
		}
	}
	return found
}

func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range pages(t) {
		for _, line := range prose(t, page) {
			for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(line, ""), -1) {
				u, err := url.Parse(m[1])
				if err != nil {
					t.Errorf("%s: link %s: %v", page, m[1], err)
					continue
				}
				if u.Scheme != "" {
					continue
				}
				to := page
				if u.Path != "" {
					to = path.Join(path.Dir(page), u.Path)
				}
				if _, err := fs.Stat(root, to); err != nil {
					t.Errorf("%s links to %s, which does not exist", page, m[1])
					continue
				}
				if u.Fragment != "" && path.Ext(to) == ".md" && !anchors(t, to)[u.Fragment] {
					t.Errorf("%s links to %s, but %s has no such heading", page, m[1], to)
				}
			}
		}
	}
}

// TestPagesAreInTheIndex keeps pages from being written and never found.
func TestPagesAreInTheIndex(t *testing.T) {
	for _, index := range []string{"docs/README.md", "docs/decisions/README.md", "docs/traits/README.md"} {
		text := read(t, index)
		for _, page := range pages(t) {
			if path.Dir(page) == path.Dir(index) && page != index && !strings.Contains(text, "("+path.Base(page)+")") {
				t.Errorf("%s does not link to %s", index, path.Base(page))
			}
		}
	}
}

// TestCIRunsWhatTheReadmeSays: what newcomers are told to run is what is known to work.
func TestCIRunsWhatTheReadmeSays(t *testing.T) {
	readme, ci := read(t, "README.md"), read(t, ".ci/run")
	require.Contains(t, ci, "\nrun make test", "CI runs the tests")
	for _, target := range []string{"make test", "make demo"} {
		require.Contains(t, readme, target)
	}
	targets := regexp.MustCompile(`(?m)^(?:\s*)make ([a-z-]+)`)
	for _, page := range []string{readme, ci, read(t, "CONTRIBUTING.md")} {
		for _, m := range targets.FindAllStringSubmatch(page, -1) {
			require.Regexp(t, `(?m)^`+m[1]+`:`, read(t, "Makefile"), "the Makefile has no such target")
		}
	}
}
