package main

import (
	"bufio"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUIKilledInMidSave: a server that is killed while it saves leaves the old references or the new branch, whole. All moments in
// which it can be killed are those of pkg/source/clone; this shows that the server saves that way.
func TestUIKilledInMidSave(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts two servers, which takes seconds")
	}
	real, err := exec.LookPath("git")
	require.NoError(t, err)
	program, err := exec.LookPath("reconciler")
	require.NoError(t, err)
	for moment, saved := range map[string]bool{"before": false, "after": true} {
		t.Run(moment, func(t *testing.T) {
			w, _, untouched := editing(t)
			bin := t.TempDir()
			script := "#!/bin/sh\nfor a; do [ \"$a\" = update-ref ] && dies=1; done\n[ \"$dies\" = 1 ] && [ " + moment + " = before ] && kill -9 $PPID && exit 1\n" +
				real + " \"$@\"; code=$?\n[ \"$dies\" = 1 ] && kill -9 $PPID\nexit $code\n"
			require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755))
			server := exec.CommandContext(t.Context(), program, "ui", "--listen", "127.0.0.1:0", "--repo", w.repo.Dir)
			server.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
			out, err := server.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, server.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			address, token, _ := strings.Cut(strings.TrimSpace(line), "/#token=")
			jar, err := cookiejar.New(nil)
			require.NoError(t, err)
			ui := &uiClient{t, address, &http.Client{Jar: jar}}
			require.Equal(t, http.StatusNoContent, ui.post("session", `{"token":"`+token+`"}`).status)
			body := asked(w.repo.Git("rev-parse", "HEAD"), inShop("components/web/replicas", "set", "3"), `,"name":"more"`)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/api/v1/branches", strings.NewReader(body))
			require.NoError(t, err)
			answer, err := ui.http.Do(r)
			if err == nil {
				answer.Body.Close()
			}
			require.Error(t, err, "nobody answers any more")
			require.ErrorContains(t, server.Wait(), "killed")
			require.Equal(t, saved, w.repo.Git("for-each-ref", "refs/heads/ui/more") != "")
			if saved {
				require.Contains(t, w.repo.Git("show", "ui/more:tenants/acme/apps/shop/app.cue"), "replicas: 3")
			}
			w.repo.Git("fsck", "--strict", "--no-dangling")
			untouched()
		})
	}
}
