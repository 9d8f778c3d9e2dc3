package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/test/texttest"
	"github.com/d-aros/d-aros/test/tool"
)

// person is somebody at a terminal, who answers the questions of a command.
type person struct {
	t        *testing.T
	terminal *os.File
	cmd      *exec.Cmd
	ended    chan error

	mu    sync.Mutex
	shown bytes.Buffer // by the command, of which the person has not seen all
	more  chan struct{}
}

// atTerminal starts the real program in a directory with a pseudo-terminal of its own.
func atTerminal(t *testing.T, dir, term string, args ...string) *person {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 120}))
	p := &person{t: t, terminal: master, ended: make(chan error, 1), more: make(chan struct{}, 1)}
	p.cmd = exec.Command(filepath.Join(commandDir, "reconciler"), args...)
	p.cmd.Dir = dir
	p.cmd.Env = append(asAnn(t), "TERM="+term, "NO_COLOR=1")
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = terminal, terminal, terminal
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, p.cmd.Start())
	require.NoError(t, terminal.Close())
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			p.mu.Lock()
			p.shown.Write(b[:n])
			p.mu.Unlock()
			select {
			case p.more <- struct{}{}:
			default:
			}
			if err != nil {
				p.ended <- p.cmd.Wait()
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = master.Close()
	})
	return p
}

// sees waits until the command has shown a text, and forgets all before it.
func (p *person) sees(text string) {
	p.t.Helper()
	deadline := time.After(time.Minute)
	for {
		p.mu.Lock()
		_, after, found := strings.Cut(p.shown.String(), text)
		all := p.shown.String()
		if found {
			p.shown.Reset()
			p.shown.WriteString(after)
		}
		p.mu.Unlock()
		if found {
			return
		}
		select {
		case <-p.more:
		case <-deadline:
			require.FailNow(p.t, "the command does not show "+text, "%q", all)
		}
	}
}

// types answers, without the key that ends it.
func (p *person) types(text string) {
	_, err := p.terminal.WriteString(text)
	require.NoError(p.t, err)
}

// answers sees a question and answers it.
func (p *person) answers(question, answer, end string) {
	p.t.Helper()
	p.sees(question)
	p.types(answer + end)
}

// exits waits for the end of the command and returns its exit code.
func (p *person) exits() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		require.FailNow(p.t, "the command does not end", "%q", p.shown.String())
	}
	return p.cmd.ProcessState.ExitCode()
}

// asking returns a copy of the example in a repository.
func asking(t *testing.T) (dir string, git func(args ...string) string) {
	dir = t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples/repo")))
	git = func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	git("add", "--all")
	git("commit", "-q", "-m", "begin")
	return dir, git
}

// TestNewAsksLineByLine: the questions for a component, answered line by line. A wrong answer gets the sentence of the schema
// or of the policy and is asked for again; nothing is written before the person agrees; the command line that is printed in
// the end makes the same commit.
func TestNewAsksLineByLine(t *testing.T) {
	dir, git := asking(t)
	p := atTerminal(t, dir, "xterm", "new", "component", "acme/shop", "--accessible")
	p.answers("Name of the component:", "web", "\n")
	p.sees("acme/shop has a component web already")
	p.types("Mailer\n")
	p.sees("a name has at most 63")
	p.types("mailer\n")
	p.answers("2. worker", "2", "\n")
	p.answers("Image, such as", "docker.io/evil:1", "\n")
	p.sees("DA1")
	p.types("ghcr.io/acme/mailer:3\n")
	p.answers("Replicas", "25", "\n")
	p.sees("DA1203 asks for 25, tenant acme allows at most 20")
	p.types("2\n")
	p.answers("CPU of one replica", "a lot", "\n")
	p.sees("an amount of CPU is written like")
	p.types("250m\n")
	p.answers("Memory of one replica", "", "\n")
	p.sees("batch")
	p.answers("Enter a number between 1 and 4", "3", "\n")
	p.sees("Components that must be ready before")
	p.answers("database", "2", "\n")
	p.answers("Enter a number between 0 and", "0", "\n")
	p.sees("+        mailer: {")
	p.sees("compared with the work tree")
	require.Equal(t, "", git("status", "--porcelain"), "nothing is written before the person agrees")
	p.answers("Commit this?", "y", "\n")
	p.sees("acme/shop mailer: committed tenants/acme/apps/shop/app.cue as")
	p.sees("The same without questions:\r\n  ")
	require.Equal(t, 0, p.exits())
	line, _, _ := strings.Cut(p.shown.String(), "\r\n")

	tree := git("rev-parse", "HEAD^{tree}")
	git("reset", "-q", "--hard", "HEAD^")
	again := exec.Command("sh", "-c", line)
	again.Dir = dir
	again.Env = asAnn(t)
	out, err := again.CombinedOutput()
	require.NoError(t, err, "%s: %s", line, out)
	require.Equal(t, tree, git("rev-parse", "HEAD^{tree}"), line)
}

// TestNewAsksInForms: the same on a terminal that can draw, with its keys.
func TestNewAsksInForms(t *testing.T) {
	dir, git := asking(t)
	p := atTerminal(t, dir, "xterm", "new", "tenant")
	p.answers("Name of the tenant", "hooli", "\r")
	p.answers("The most CPU", "a lot", "\r")
	p.sees("DA1401")
	p.types("\x15" + "8\r") // takes back what was typed
	p.answers("The most memory", "32Gi", "\r")
	for _, question := range []string{"CPU that no other", "Memory that no other", "Weight when", "The highest priority"} {
		p.answers(question, "", "\r")
	}
	p.sees("Commit this?")
	require.Equal(t, "", git("status", "--porcelain"))
	p.types("y")
	p.sees("hooli: committed")
	p.sees("reconciler new tenant hooli --set tenant.hooli.quota.cpu=8 --set tenant.hooli.quota.memory=32Gi")
	require.Equal(t, 0, p.exits())
	require.Equal(t, "allotments.cue\ntenants/hooli/tenant.cue", git("show", "--format=", "--name-only"))
}

// Whoever ends the questions, or says no, has changed nothing.
func TestNewStops(t *testing.T) {
	dir, git := asking(t)
	was := git("rev-parse", "HEAD")
	for name, end := range map[string]struct {
		args []string
		key  string
		code int
	}{
		"the end of the input": {[]string{"--accessible"}, "\x04", 1},
		"an interrupt":         {[]string{"--accessible"}, "\x03", 2},
		"escape":               {nil, "\x03", 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := atTerminal(t, dir, "xterm", append([]string{"new", "step", "acme/shop"}, end.args...)...)
			p.answers("Name of the step", end.key, "")
			require.Equal(t, end.code, p.exits(), "%q", p.shown.String())
		})
	}
	p := atTerminal(t, dir, "xterm", "new", "step", "acme/none")
	p.sees("there is no application acme/none")
	require.Equal(t, 2, p.exits(), "no question is asked that no answer fits")
	p = atTerminal(t, dir, "dumb", "new", "tenant", "hooli") // a terminal that cannot draw
	for _, question := range []string{"The most CPU", "The most memory", "CPU that no other", "Memory that no other", "Weight when", "The highest priority"} {
		p.answers(question, "", "\n")
	}
	p.answers("Commit this?", "n", "\n")
	p.sees("nothing was changed")
	require.Equal(t, 1, p.exits())
	require.Equal(t, was, git("rev-parse", "HEAD"))
	require.Equal(t, "", git("status", "--porcelain"))
}

// TestNewPage: the command on docs/authoring.md does what the page says.
func TestNewPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/authoring.md")
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(page), "\n## new\n")
	block := fenced.FindStringSubmatch(section)
	require.Equal(t, "sh", block[1])
	dir, git := asking(t)
	cmd := exec.Command("sh", "-e", "-c", strings.TrimSuffix(block[2], "git push\n"))
	cmd.Dir = dir
	cmd.Env = asAnn(t)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "acme/shop: add component mailer\n\npeople want mail", git("log", "-1", "--format=%B"))
}

// asAnn is an environment in which Ann commits and nobody has settings.
func asAnn(t *testing.T) []string {
	home := t.TempDir()
	return append(os.Environ(), "PATH="+commandDir+":"+os.Getenv("PATH"), "HOME="+home, "XDG_CACHE_HOME="+cacheDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com")
}

// The command line that new prints is one line without characters that do not show, and a shell reads each word back.
func TestShellWords(t *testing.T) {
	tool.Need(t, "bash")
	for _, s := range append(texttest.Corpus(), "plain", "a b", "it's", "$HOME `id` $(id)", `\n`, "*", "~", "!x", "#") {
		if strings.Contains(s, "\x00") {
			continue // no argument can have it
		}
		word := shellWord(s)
		require.NotContains(t, word, "\n")
		require.True(t, text.Valid(word), "%q", word)
		out, err := exec.Command("bash", "-c", "printf %s "+word).Output()
		require.NoError(t, err, word)
		require.Equal(t, s, string(out))
	}
}
