package browser

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/fleettest"
	"github.com/d-aros/d-aros/test/gittest"
)

var apps = flag.Int("apps", 0, "measure the program on a fleet of so many applications in 100 tenants")

// TestLarge prints what the program takes that shows a large fleet, its server and its workers, and how long the browser takes until
// the first page can be used: make bench-ui.
func TestLarge(t *testing.T) {
	if *apps == 0 {
		t.Skip("without -apps (make bench-ui): evaluates thousands of applications, and prints what showing them takes")
	}
	b := newBrowser(t)
	s := &server{program: b.program, repo: gittest.NewBare(t), clone: filepath.Join(t.TempDir(), "fleet")}
	s.large(t, *apps)
	s.begin(t)
	u := s.signIn(t)
	pid := s.cmd.Process.Pid
	figure("resident memory of the server with the newest moment", "%9d MiB", memory(t, pid, "VmRSS")>>20)

	first := strings.Fields(s.repo.Git("rev-list", "status"))
	for _, commit := range first[1:min(len(first), 10)] {
		u.get("applications?limit=200&at=" + commit)
	}
	figure("… after nine moments of the past, of which eight are held", "%9d MiB", memory(t, pid, "VmRSS")>>20)
	figure("… at most so far", "%9d MiB", memory(t, pid, "VmHWM")>>20)

	for i := range 5 {
		u.timed("what-if (the first one evaluates all)", "what-if", fmt.Sprintf(`{"set":["application.t07/app-7.components.web.replicas=%d"]}`, 2+i))
	}
	base := gittest.In(t, s.clone).Git("rev-parse", "HEAD")
	for i := range 4 {
		u.timed("preview (the first one evaluates all)", "preview", fmt.Sprintf(`{"base":%q,"edits":[{"dir":"tenants/t07/apps/app-7","path":["components","web","replicas"],"op":"set","value":%d}]}`, base, 2+i))
	}
	platform := fmt.Sprintf(`{"base":%q,"edits":[{"dir":".","path":["policy","limits","maxReplicas"],"op":"set","value":19}]`, base)
	u.timed("preview of an edit of the platform, which all applications are evaluated for", "preview", platform+"}")
	u.timed("… saved", "branches", platform+`,"name":"fewer","message":"fewer"}`)
	figure("resident memory of the server then", "%9d MiB", memory(t, pid, "VmRSS")>>20)
	for _, worker := range children(t, pid, "ui-work") {
		figure("resident memory of a worker, at most", "%9d MiB", memory(t, worker, "VmHWM")>>20)
		figure("… its data, which the kernel bounds to 1024 MiB", "%9d MiB", memory(t, worker, "VmData")>>20)
	}

	var took []float64
	require.NoError(t, json.Unmarshal([]byte(read(t, b.journey(t, s, "large"), "interactive.json")), &took))
	slices.Sort(took)
	figure("the first page until it can be used, in the browser", "%9.0f ms (%.0f to %.0f)", took[len(took)/2], took[0], took[len(took)-1])
}

func figure(what, format string, args ...any) {
	fmt.Printf("%-70s "+format+"\n", append([]any{what}, args...)...)
}

// large makes the repo of a large fleet, whose status branch has the outcome of some passes, and then commits that change ten applications each.
func (s *server) large(t *testing.T, n int) {
	fleet := fleettest.Large(t, n)
	s.repo.Git("fetch", "-q", fleet.Dir, "HEAD:refs/heads/main")
	tree, err := clone.Open(t.Context(), fleet.Dir)
	require.NoError(t, err)
	defer tree.Close()
	base, err := offline.OpenBase(t.Context(), offline.Options{Child: []string{s.program, "evaluate"}, Fleet: "fleet"}, offline.Case{Tree: tree, StatusBranch: "status"}, "")
	require.NoError(t, err)
	defer base.Close()
	branch, err := status.Open(t.Context(), status.Options{URL: s.repo.Dir, Dir: t.TempDir(), Files: status.MaxFiles})
	require.NoError(t, err)
	defer branch.Close()
	now := time.Now().UTC().Round(time.Second).Add(-time.Hour)
	var l model.Ledger
	for range 4 { // passes: until everything that fits has a grant
		_, err := branch.Load(t.Context())
		require.NoError(t, err)
		require.NoError(t, base.Follow(t.Context(), offline.Recorded{Commit: branch.Tip(), Ledger: l}, now))
		next, err := base.WhatIf(t.Context(), nil, nil)
		require.NoError(t, err)
		l = s.save(t, branch, next.Next)
		now = now.Add(time.Second)
	}
	for i := range 10 {
		l.Instances = slices.Clone(l.Instances)
		for k := range 10 {
			l.Instances[(i*10+k)*37%len(l.Instances)].Message = fmt.Sprintf("was looked at %d times", i)
		}
		l = s.save(t, branch, l)
	}
}

// save saves a ledger, and returns it as it is read.
func (s *server) save(t *testing.T, branch *status.Branch, next model.Ledger) model.Ledger {
	before, err := branch.Load(t.Context())
	require.NoError(t, err)
	saved, _, err := branch.Commit(t.Context(), before, next)
	require.NoError(t, err)
	return saved
}

// user is a browser without pages.
type user struct {
	t   *testing.T
	at  string
	has *http.Client
}

func (s *server) signIn(t *testing.T) *user {
	address, token, _ := strings.Cut(s.url, "/#token=")
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	u := &user{t, address + "/api/v1/", &http.Client{Jar: jar}}
	u.post("session", `{"token":"`+token+`"}`, http.StatusNoContent)
	return u
}

func (u *user) get(path string) {
	u.t.Helper()
	answer, err := u.has.Get(u.at + path)
	require.NoError(u.t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(u.t, err)
	require.Equal(u.t, http.StatusOK, answer.StatusCode, "%s", body)
}

func (u *user) post(path, body string, allowed ...int) (status int) {
	u.t.Helper()
	answer, err := u.has.Post(u.at+path, "application/json", strings.NewReader(body))
	require.NoError(u.t, err)
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	require.NoError(u.t, err)
	require.Contains(u.t, append(allowed, http.StatusOK), answer.StatusCode, "%s", said)
	if answer.StatusCode == http.StatusRequestEntityTooLarge {
		u.t.Logf("%s", said)
	}
	return answer.StatusCode
}

// timed prints how long an answer takes, with the questions that are to be asked again.
func (u *user) timed(what, path, body string) {
	began, status := time.Now(), http.StatusServiceUnavailable
	for status == http.StatusServiceUnavailable {
		status = u.post(path, body, http.StatusServiceUnavailable, http.StatusRequestEntityTooLarge, http.StatusCreated)
	}
	figure(what, "%9.0f ms by the clock, status %d", float64(time.Since(began).Milliseconds()), status)
}

// memory is what the kernel says of the memory of a process, in bytes.
func memory(t *testing.T, pid int, what string) int64 {
	said, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	_, value, _ := strings.Cut(string(said), what+":")
	kb, err := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
	require.NoError(t, err)
	return kb << 10
}

// children are the processes that a process started with a command.
func children(t *testing.T, parent int, command string) (pids []int) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	require.NoError(t, err)
	for _, name := range tasks {
		list, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, field := range strings.Fields(string(list)) {
			line, _ := os.ReadFile("/proc/" + field + "/cmdline")
			if pid, err := strconv.Atoi(field); err == nil && bytes.Contains(line, []byte("\x00"+command+"\x00")) {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
