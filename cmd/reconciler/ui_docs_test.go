package main

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDashboardPage: the commands on docs/dashboard.md have flags that exist, and every answer that it lists is given, now
// and as of a commit.
func TestDashboardPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/dashboard.md")
	require.NoError(t, err)
	commands := 0
	for _, block := range fenced.FindAllStringSubmatch(string(page), -1) {
		for line := range strings.Lines(block[2]) {
			line, _, _ = strings.Cut(line, "#")
			if args := strings.Fields(line); block[1] == "sh" {
				cmd, flags, err := newRoot(io.Discard, io.Discard).Find(args[1:])
				require.NoError(t, err, line)
				require.NoError(t, cmd.ParseFlags(flags), line)
				commands++
			}
		}
	}
	require.Equal(t, 8, commands)

	w := newWorld(t)
	w.app("acme", "shop", 2, 500)
	w.repo.Commit("first")
	w.passes()
	w.repo.Git("branch", "topic")
	ui := openUI(t, "--repo", w.repo.Dir)
	tip := w.tip()
	names := strings.NewReplacer("TENANT", "acme", "APPLICATION", "shop", "COMMIT", tip, "NAME", "topic")
	asked := 0
	_, table, _ := strings.Cut(string(page), "| `GET /api/v1/…` |")
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(table, -1) {
		path, query, _ := strings.Cut(names.Replace(row[1]), "?")
		if path == "stream" {
			continue
		}
		asked++
		given := query
		if path != "changes" && path != "plan" {
			given = "" // the table names what may be given
		}
		now := ui.get(path + "?" + given)
		if path != "meta" {
			require.Equal(t, now, ui.get(path+"?"+given+"&at="+tip), path)
		}
		for _, name := range regexp.MustCompile(`(\w+)=(&|$)`).FindAllStringSubmatch(query, -1) {
			if name[1] == "limit" {
				require.Equal(t, http.StatusBadRequest, ui.do(http.MethodGet, path+"?limit=0", "").status, path)
			}
		}
	}
	require.Equal(t, 23, asked)
}
