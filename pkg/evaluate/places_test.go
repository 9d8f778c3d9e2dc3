package evaluate

import (
	"bytes"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/test/tier"
)

// Where a problem says that something is written, it is written: the place is in
// the files, and what the note quotes begins there.
func TestPlacesAreWhereTheySay(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: evaluates every example; TestProblems compares the places with those of the golden files")
	}
	base := archive(t, "base.txtar")
	quoted := 0
	for _, p := range pairs(t) {
		t.Run(p.name, func(t *testing.T) {
			files := planted(base, p.refused)
			f := Through(examined).Fleet("c", files, releases(t))
			for _, problem := range f.Problems {
				seen := map[string]bool{}
				for _, place := range problem.Places {
					require.False(t, seen[place.At], "%s is said twice", place.At)
					seen[place.At] = true
					rest := textAt(t, files.tree, place.At)
					_, quote, ok := strings.Cut(place.Note, ": ")
					if asked, cut := strings.CutPrefix(place.Note, "asks for "); cut {
						quote, ok = asked, true
					}
					if !ok || !strings.HasPrefix(place.Note, "asks for ") && !strings.Contains(place.Note, ".policy.") && !strings.Contains(place.Note, ".quota.") {
						continue
					}
					require.True(t, strings.HasPrefix(flat(rest), flat(quote)), "%s: %s, and there stands %.40s", place.At, place.Note, rest)
					quoted++
				}
			}
		})
	}
	require.Greater(t, quoted, 50, "most places quote what is written there")
}

// textAt returns the text of the files from FILE:LINE:COLUMN on, "" at the top of
// what is no text.
func textAt(t *testing.T, files fs.FS, at string) string {
	parts := strings.Split(at, ":")
	require.Len(t, parts, 3, at)
	line, err := strconv.Atoi(parts[1])
	require.NoError(t, err)
	column, err := strconv.Atoi(parts[2])
	require.NoError(t, err)
	data, err := fs.ReadFile(files, parts[0])
	if line == 1 && column == 1 {
		return string(data) // of the whole file or directory, or of one that is missing
	}
	require.NoError(t, err, at)
	lines := bytes.SplitAfter(data, []byte("\n"))
	require.LessOrEqual(t, line, len(lines), at)
	require.LessOrEqual(t, column-1, len(lines[line-1]), at)
	return string(bytes.Join(lines[line-1:], nil)[column-1:])
}

// flat is text without spaces, as the formatter may set them.
func flat(s string) string { return strings.Join(strings.Fields(s), "") }

// A rule about a limit names both sides, each with its place: what was asked, and
// the limit, unless nobody wrote that.
func TestBothSidesHaveAPlace(t *testing.T) {
	base := archive(t, "base.txtar")
	for _, p := range tier.Some(3, pairs(t)) {
		code, _, _ := strings.Cut(p.want, " ")
		if len(catalogue.Find(code).Limits) == 0 {
			continue
		}
		files := planted(base, p.refused)
		for _, problem := range Through(examined).Fleet("c", files, releases(t)).Problems {
			if len(problem.Places) == 1 {
				asked, _, _ := strings.Cut(problem.Places[0].At, ":")
				require.Empty(t, writtenAbove(t, files, path.Dir(asked), catalogue.Find(code).Limits), problem.String())
				continue
			}
			asked := 1
			if strings.HasSuffix(p.name, "-library") {
				asked = 2 // where a package is used, and in it
			}
			require.Len(t, problem.Places, asked+1, problem.String())
			require.Regexp(t, `^(platform|tenant)\.[a-zA-Z.]+(: |$)`, problem.Places[asked].Note, p.name)
		}
	}
}

// writtenAbove returns those of the policy values that the platform or tenant acme
// wrote, as far as they are above a directory.
func writtenAbove(t *testing.T, files fs.FS, dir string, policy []string) (places []string) {
	for layerDir, field := range map[string]string{".": "platform", "tenants/acme": "tenant"} {
		if len(layerDir) >= len(dir) {
			continue
		}
		names, _, err := layer.List(files, layerDir)
		require.NoError(t, err)
		blobs, _, err := layer.Read(files, names)
		require.NoError(t, err)
		l, _ := layer.Parse(field, blobs)
		for _, value := range policy {
			if at, ok := l.Value(field + "." + value); ok {
				places = append(places, at)
			}
		}
	}
	return places
}
