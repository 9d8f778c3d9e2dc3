package architecture

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A picture is the block of ARCHITECTURE.md under "Imports", bottom line first.
type picture struct {
	names  []string       // of the lines
	height map[string]int // by package: the higher, the later in the way of the data
}

// line returns the name of the line that a package is on, "" if it is on none.
func (p picture) line(dir string) string {
	if h, ok := p.height[dir]; ok {
		return p.names[h]
	}
	return ""
}

func readPicture(t *testing.T) picture {
	t.Helper()
	_, after, found := strings.Cut(read(t, "ARCHITECTURE.md"), "## Imports\n")
	require.True(t, found, "ARCHITECTURE.md has no section Imports")
	_, after, found = strings.Cut(after, "```text\n")
	require.True(t, found, "ARCHITECTURE.md has no picture under Imports")
	block, _, found := strings.Cut(after, "```")
	require.True(t, found)

	p := picture{height: map[string]int{}}
	rows := strings.Split(strings.TrimSpace(block), "\n")
	var dirs []string // of a line, which takes several rows; only the first of them has its name
	for _, row := range slices.Backward(rows) {
		cells := strings.Split(row, "|")
		require.Len(t, cells, 3, "the row %q is not: name | packages | what they do", row)
		dirs = append(dirs, strings.Fields(cells[1])...)
		name := strings.TrimSpace(cells[0])
		if name == "" {
			continue
		}
		for _, dir := range dirs {
			require.NotContains(t, p.height, dir, "stands in the picture twice")
			p.height[dir] = len(p.names)
		}
		p.names, dirs = append(p.names, name), nil
	}
	require.Empty(t, dirs, "the first row of the picture has no name")
	return p
}

func TestEveryPackageIsInThePicture(t *testing.T) {
	p := readPicture(t)
	for _, f := range folders(t) {
		if _, ok := p.height[f.dir]; !ok && !f.support() {
			t.Errorf("%s is on no line of the picture in ARCHITECTURE.md: say where it belongs", f.dir)
		}
	}
	for dir := range p.height {
		if _, err := fs.Stat(root, dir); err != nil {
			t.Errorf("the picture in ARCHITECTURE.md names %s, which does not exist", dir)
		}
	}
}

func TestImportsPointDown(t *testing.T) {
	p := readPicture(t)
	for _, f := range folders(t) {
		here, placed := p.height[f.dir]
		for _, file := range f.files {
			for _, dep := range file.own() {
				there, known := p.height[dep]
				switch {
				case dep == f.dir, f.support():
				case isSupport(dep):
					if !file.test {
						t.Errorf("%s imports %s, which is for tests", file.path, dep)
					}
				case !placed || !known: // reported above
				case file.test && there > here:
					t.Errorf("%s imports %s, which is above %s: the test belongs up there, or in test/", file.path, dep, f.dir)
				case !file.test && there == here:
					t.Errorf("%s imports %s, which is beside it: let the caller hand over a value, or move what both need down", file.path, dep)
				case !file.test && there > here:
					t.Errorf("%s imports %s, which is above it: imports point down", file.path, dep)
				}
			}
		}
	}
}
