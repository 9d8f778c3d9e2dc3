package browser

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/gittest"
)

var given = flag.String("program", "", "the reconciler to look at (default: that of this checkout)")

// patience is how long a test waits for something, on a machine that others keep busy.
const patience = 3 * time.Minute

const site = "tenants/acme/apps/site/app.cue"

const format1 = "../../pkg/status/testdata/format-1.bundle"

// TestJourneys: what people do with the dashboard, in the demo's fleet and in one with runs that wait for people.
func TestJourneys(t *testing.T) {
	b := newBrowser(t)
	demo := b.serve(t, "testdata/demo.bundle", "status")
	beside := func(name string, test func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
	beside("axe", func(t *testing.T) { sameLikeness(t, b.journey(t, demo, "axe")) })
	for _, name := range []string{"filters", "keyboard", "past", "tips"} {
		beside(name, func(t *testing.T) { b.journey(t, demo, name) })
	}
	beside("why", func(t *testing.T) {
		out := b.journey(t, demo, "why")
		require.Equal(t, demo.command(t, "explain", "globex/analytics", "-o", "json"), read(t, out, "explain.json"), "the page was given what the command prints")
	})
	beside("whatif", func(t *testing.T) {
		out := b.journey(t, demo, "whatif")
		require.Equal(t, demo.whatIf(t, read(t, out, "remedy.json"), "--capacity", "batch.cpu=+16"), read(t, out, "remedy.json"))
		_, setting, found := strings.Cut(read(t, out, "slider.txt"), "--set ")
		require.True(t, found)
		require.Equal(t, demo.whatIf(t, read(t, out, "slider.json"), "--set", setting), read(t, out, "slider.json"))
	})
	beside("run", func(t *testing.T) { b.journey(t, b.serve(t, format1, "status"), "run") })
}

// TestPullRequest: the page of a branch shows what the command says of it; branches that attack it harm nobody.
func TestPullRequest(t *testing.T) {
	b := newBrowser(t)
	s := b.serve(t, "testdata/demo.bundle", "status")
	git := gittest.In(t, s.clone)
	edit := func(branch, file, old, now string) {
		git.Git("checkout", "-q", "-b", branch, "main")
		text := read(t, s.clone, file)
		require.Contains(t, text, old)
		git.Write(file, strings.Replace(text, old, now, 1))
		git.Commit("change <b>" + file + "</b>")
		git.Git("checkout", "-q", "main")
	}
	edit("feature/quota", "allotments.cue", `cpu:          "16"`, `cpu:          "48"`)
	git.Git("checkout", "-q", "feature/quota")
	git.Write(site, strings.Replace(read(t, s.clone, site), "priority: 200", "priority: 900", 1))
	git.Commit("more for the site, too much")
	git.Git("checkout", "-q", "main")
	edit("bomb", site, "package fleet", "package fleet\n\nimport \"list\"\n\n#x: [for a in list.Range(0, 300, 1) for b in list.Range(0, 300, 1) for c in list.Range(0, 300, 1) {a + b + c}]")
	git.Git("branch", "<img/src=x/onerror=alert(1)>", "main")
	git.Git("checkout", "-q", "--orphan", "apart")
	git.Commit("another history")
	git.Git("checkout", "-q", "main")

	out := b.journey(t, s, "pull")
	answer := read(t, out, "plan.json")
	require.Equal(t, s.asOf(t, answer, "plan", "--base", "main", "--head", "feature/quota"), answer)
}

// TestEditor: forms and a picture make branches whose lines are those that somebody changed, and nothing else of the clone.
func TestEditor(t *testing.T) {
	b := newBrowser(t)
	const shop = "tenants/acme/apps/shop/app.cue"
	start := func(t *testing.T) (*server, *gittest.Repo, func(replicas string)) {
		t.Helper()
		s := b.serve(t, "testdata/demo.bundle", "status")
		git := gittest.In(t, s.clone)
		set := func(replicas string) {
			git.Write(shop, regexp.MustCompile(`replicas: (4|25)\n`).ReplaceAllString(read(t, s.clone, shop), "replicas: "+replicas+"\n"))
			git.Commit("other replicas")
		}
		set("4")
		return s, git, set
	}
	t.Run("edit", func(t *testing.T) {
		t.Parallel()
		s, git, _ := start(t)
		b.journey(t, s, "edit")
		require.Empty(t, git.Git("branch", "--list", "ui/*"), "nothing was saved")
	})
	t.Run("meanwhile", func(t *testing.T) {
		t.Parallel()
		s, git, set := start(t)
		b.during(t, s, "meanwhile", func(string) { set("7") })
		require.Equal(t, []string{"-\t\t\treplicas: 7", "+\t\t\treplicas: 6"}, changedLines(git.Git("diff", "-U0")))
		require.Empty(t, git.Git("branch", "--list", "ui/*"))
	})
	t.Run("texts", func(t *testing.T) {
		t.Parallel()
		s := b.serve(t, "testdata/demo.bundle", "status", "--push")
		other := gittest.New(t)
		b.during(t, s, "texts", func(out string) {
			other.Git("pull", "-q", s.repo.Dir, "main")
			other.Write(site, strings.Replace(read(t, other.Dir, site), "priority: 200", "priority: 300", 1))
			other.Commit("sooner")
			other.Git("push", "-q", s.repo.Dir, "HEAD:main")
			gittest.In(t, s.clone).Git("pull", "-q", "--ff-only", "origin", "main")
			require.NoError(t, os.WriteFile(filepath.Join(out, "pulled"), nil, 0o600))
		})
		require.Equal(t, "1\t0\t"+site, strings.TrimSpace(s.repo.Git("diff", "--numstat", "main", "ui/ask-ada")), "one more line than the origin has, and none less")
	})
	t.Run("draw", func(t *testing.T) {
		t.Parallel()
		s, git, _ := start(t)
		head := git.Git("rev-parse", "HEAD")
		git.Write("notes.txt", "not to be touched")
		b.journey(t, s, "draw")
		require.Equal(t, []string{
			`-			dependsOn: ["migrate"]`,
			`+			dependsOn: ["migrate", "cache"]`,
			`+		cache: {`,
			`+			type: "store"`,
			`+			properties: {`,
			`+				image: "ghcr.io/acme/valkey:8"`,
			`+			}`,
			`+		}`,
		}, changedLines(git.Git("diff", "-U0", "main", "ui/cache-for-web")))
		require.Equal(t, shop, strings.TrimSpace(git.Git("diff", "--name-only", "main", "ui/cache-for-web")))
		require.Equal(t, head, git.Git("rev-parse", "HEAD"))
		require.Equal(t, "?? notes.txt", strings.TrimSpace(git.Git("status", "--porcelain")), "the work tree and the index are as they were")
	})
	t.Run("layers", func(t *testing.T) {
		t.Parallel()
		s := b.serve(t, "testdata/demo.bundle", "status", "--push")
		git := gittest.In(t, s.clone)
		git.Write(shop, strings.Replace(read(t, s.clone, shop), "replicas: 25\n", "replicas: 4\n", 1))
		git.Commit("as accepted")
		main := s.repo.Git("rev-parse", "main")
		b.journey(t, s, "layers")
		for branch, lines := range map[string]int{"ui/weight": 2, "ui/by-hand": 3} {
			require.Equal(t, git.Git("rev-parse", branch), s.repo.Git("rev-parse", branch), "it is pushed")
			require.LessOrEqual(t, len(changedLines(git.Git("diff", "-U0", "main", branch))), lines, "those lines alone")
		}
		require.Empty(t, git.Git("ls-tree", "-r", "--name-only", "ui/gone", path.Dir(shop)))
		require.NotEmpty(t, git.Git("ls-tree", "-r", "--name-only", "ui/gone", "tenants/acme"))
		require.Equal(t, main, s.repo.Git("rev-parse", "main"))
	})
	t.Run("readonly", func(t *testing.T) {
		t.Parallel()
		b.journey(t, b.serve(t, "testdata/demo.bundle", "status", "--read-only"), "readonly")
	})
	t.Run("keys", func(t *testing.T) {
		t.Parallel()
		s, git, _ := start(t)
		b.journey(t, s, "keys")
		require.Contains(t, git.Git("show", "ui/mailer:"+shop), `dependsOn: ["database", "migrate"]`)
	})
}

// changedLines returns the lines that a diff takes out and puts in.
func changedLines(diff string) (lines []string) {
	for line := range strings.Lines(diff) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "-\t") || strings.HasPrefix(line, "+\t") {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestExport: the files of an export show the pages from a plain server of files, below a path.
func TestExport(t *testing.T) {
	b := newBrowser(t)
	s := b.fleet(t, "testdata/demo.bundle", "status")
	dir := filepath.Join(t.TempDir(), "public")
	require.Contains(t, s.command(t, "ui", "--export", dir), dir+" shows the fleet as of status commit ")
	mux := http.NewServeMux()
	mux.Handle("/reports/42/", http.StripPrefix("/reports/42/", http.FileServer(http.Dir(dir))))
	files := httptest.NewServer(mux)
	t.Cleanup(files.Close)
	b.journey(t, &server{url: files.URL + "/reports/42/"}, "export")
}

// TestBranchMovesOn: the pages follow the branch without being loaded again, also when somebody wrote its history anew.
func TestBranchMovesOn(t *testing.T) {
	b := newBrowser(t)
	s := b.serve(t, "testdata/demo.bundle", "status~8")
	b.during(t, s, "tip", func(string) { s.repo.Git("update-ref", "refs/heads/status", "bundled") }, func(string) {
		s.repo.Git("update-ref", "refs/heads/status", s.repo.Git("commit-tree", "-m", "written anew", "bundled~8^{tree}"))
	})
}

// TestBranchIsCompacted: open pages go on with a branch whose history is gone.
func TestBranchIsCompacted(t *testing.T) {
	b := newBrowser(t)
	s := b.serve(t, format1, "status")
	b.during(t, s, "compacted", func(string) {
		s.command(t, "compact", "--repo", s.repo.Dir, "--days", "1")
		require.Equal(t, "1", strings.TrimSpace(s.repo.Git("rev-list", "--count", "status")))
	})
}

// TestBranchAppears: the dashboard may be started before the reconciler.
func TestBranchAppears(t *testing.T) {
	b := newBrowser(t)
	s := b.serve(t, "testdata/demo.bundle", "")
	b.during(t, s, "first", func(string) { s.repo.Git("update-ref", "refs/heads/status", "bundled") })
}

// TestGitGoesAway: the pages keep what the branch said last, say why, and go on once it is there again.
func TestGitGoesAway(t *testing.T) {
	b := newBrowser(t)
	s := b.fleet(t, "testdata/demo.bundle", "status")
	s.from = s.repo.Dir
	s.listen(t, "127.0.0.1:0")
	b.during(t, s, "git", func(string) { require.NoError(t, os.Rename(s.repo.Dir, s.repo.Dir+".away")) },
		func(string) { require.NoError(t, os.Rename(s.repo.Dir+".away", s.repo.Dir)) })
}

// TestServerGoesAway: the pages keep what they have, and say so. A server that comes back is another one: it says how to sign in, and drafts are as they
// were.
func TestServerGoesAway(t *testing.T) {
	b := newBrowser(t)
	s := b.serve(t, "testdata/demo.bundle", "status")
	b.during(t, s, "away", func(string) { s.stop(t) }, func(out string) {
		address, _, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), "/")
		s.listen(t, address)
		require.NoError(t, os.WriteFile(filepath.Join(out, "whole"), []byte(s.url), 0o600))
		require.NoError(t, os.Rename(filepath.Join(out, "whole"), filepath.Join(out, "url")))
	})
}

// browser is what shows pages: Node drives it.
type browser struct{ program, node, chromium string }

// newBrowser has a test run beside others, as many as there are cores. It skips the test where something is missing that tests do not install, and fails it
// there with BROWSER=require.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	missing := t.Skipf
	if os.Getenv("BROWSER") == "require" {
		missing = t.Fatalf
	}
	if testing.Short() {
		t.Skip("-short: shows the pages to a real browser, which takes minutes")
	}
	t.Parallel()
	b := &browser{program: *given}
	var err error
	if b.node, err = exec.LookPath("node"); err != nil {
		missing("this needs Node: %v", err)
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if b.chromium, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if err != nil {
		missing("this needs chromium: %v", err)
	}
	if _, err := os.Stat("../../web/node_modules/playwright-core"); err != nil {
		missing("this needs the packages of the pages: run \"make web\" once (%v)", err)
	}
	if b.program == "" {
		b.program, err = built()
		require.NoError(t, err)
	}
	return b
}

// scratch is a directory of all tests together.
var scratch string

// built returns the program of this checkout. Linking it takes longer than many a journey, so all tests have the same.
var built = sync.OnceValues(func() (string, error) {
	program := filepath.Join(scratch, "reconciler")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w -linkmode=internal", "-o", program, "../../cmd/reconciler").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the reconciler: %w\n%s", err, out)
	}
	return program, nil
})

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "browser-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// server is a dashboard that runs, of a clone whose origin is repo.
type server struct {
	program, url, clone string
	from                string // the repo that it shows, "" for the clone
	repo                *gittest.Repo
	cmd                 *exec.Cmd
}

// serve starts the dashboard of a bundle, whose status branch stands at a commit, "" for none.
func (b *browser) serve(t *testing.T, bundle, at string, flags ...string) *server {
	t.Helper()
	s := b.fleet(t, bundle, at)
	s.listen(t, "127.0.0.1:0", flags...)
	return s
}

// fleet returns the fleet of a bundle, without a dashboard. The branch bundled keeps the newest status.
func (b *browser) fleet(t *testing.T, bundle, at string) *server {
	t.Helper()
	bundle, err := filepath.Abs(bundle)
	require.NoError(t, err)
	s := &server{program: b.program, repo: gittest.NewBare(t), clone: filepath.Join(t.TempDir(), "fleet")}
	s.repo.Git("fetch", "-q", bundle, "refs/heads/*:refs/heads/*")
	s.repo.Git("branch", "bundled", "status")
	if at == "" {
		s.repo.Git("update-ref", "-d", "refs/heads/status")
	} else {
		s.repo.Git("update-ref", "refs/heads/status", at)
	}
	s.repo.Git("clone", "-q", "-b", "main", s.repo.Dir, s.clone)
	return s
}

// begin clones the repo, and starts the dashboard of the clone.
func (s *server) begin(t *testing.T) {
	t.Helper()
	s.repo.Git("clone", "-q", "-b", "main", s.repo.Dir, s.clone)
	s.listen(t, "127.0.0.1:0")
}

// listen starts the dashboard at an address.
func (s *server) listen(t *testing.T, address string, flags ...string) {
	t.Helper()
	s.cmd = exec.Command(s.program, append([]string{"ui", "--repo", cmp.Or(s.from, s.clone), "--listen", address, "--interval", "1s"}, flags...)...)
	stdout, err := s.cmd.StdoutPipe()
	require.NoError(t, err)
	var stderr strings.Builder
	s.cmd.Stderr = &stderr
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() { s.stop(t) })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err, "the program prints its URL: %s", stderr.String())
	s.url = strings.TrimSpace(line)
}

func (s *server) stop(t *testing.T) {
	t.Helper()
	if s.cmd.ProcessState == nil {
		require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
		require.NoError(t, s.cmd.Wait(), "it ends cleanly")
	}
}

// command returns what a command prints about the clone.
func (s *server) command(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(s.program, args...)
	cmd.Dir = s.clone
	out, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 2 && args[0] != "what-if" && args[0] != "plan" {
		t.Fatalf("%s: %v", args, err)
	}
	return string(out)
}

// whatIf returns what the command prints that asks the same at the same time as an answer.
func (s *server) whatIf(t *testing.T, answer string, args ...string) string {
	t.Helper()
	return s.asOf(t, answer, append([]string{"what-if"}, args...)...)
}

// asOf returns what a command prints at the time of an answer.
func (s *server) asOf(t *testing.T, answer string, args ...string) string {
	t.Helper()
	var asked struct{ Now time.Time }
	require.NoError(t, json.Unmarshal([]byte(answer), &asked))
	return s.command(t, append(args, "-o", "json", "--now", asked.Now.Format(time.RFC3339Nano))...)
}

// start begins a journey. The directory is what it keeps files in.
func (b *browser) start(t *testing.T, s *server, name string) (cmd *exec.Cmd, out string, said *strings.Builder) {
	t.Helper()
	screens, err := filepath.Abs("../../bin/screens")
	require.NoError(t, err)
	out, said = t.TempDir(), &strings.Builder{}
	cmd = exec.CommandContext(t.Context(), b.node, filepath.Join("journeys", name+".mjs"))
	cmd.Env = append(os.Environ(), "BROWSER_URL="+s.url, "BROWSER_CHROMIUM="+b.chromium, "BROWSER_OUT="+out, "BROWSER_SCREENS="+screens)
	cmd.Stdout, cmd.Stderr = said, said
	require.NoError(t, cmd.Start())
	return cmd, out, said
}

// journey runs one, and returns the directory of the files that it kept.
func (b *browser) journey(t *testing.T, s *server, name string) (out string) {
	t.Helper()
	cmd, out, said := b.start(t, s, name)
	require.NoError(t, cmd.Wait(), "%s", said)
	return out
}

// during runs a journey, and does one thing after the other, each as soon as the journey has kept the file ready once more. It tells them
// the directory of what the journey keeps.
func (b *browser) during(t *testing.T, s *server, name string, all ...func(out string)) {
	t.Helper()
	cmd, out, said := b.start(t, s, name)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for _, do := range all {
		require.Eventually(t, func() bool { return os.Remove(filepath.Join(out, "ready")) == nil || len(ended) > 0 }, patience, 20*time.Millisecond, "%s", said)
		if len(ended) == 0 {
			do(out)
		}
	}
	require.NoError(t, <-ended, "%s", said)
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(text)
}
