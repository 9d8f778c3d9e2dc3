// Package gittest makes Git repositories for tests with the real git program.
package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repo is a repository with a work tree, made for one test.
type Repo struct {
	t   testing.TB
	Dir string
}

// New returns an empty repository on branch main.
func New(t testing.TB) *Repo {
	t.Helper()
	r := &Repo{t: t, Dir: t.TempDir()}
	r.Git("init", "-q", "-b", "main", "--template=")
	r.configure(filepath.Join(".git", "config"), "\tdenyCurrentBranch = ignore\n")
	return r
}

// NewBare returns an empty bare repository.
func NewBare(t testing.TB) *Repo {
	t.Helper()
	r := &Repo{t: t, Dir: t.TempDir()}
	r.Git("init", "-q", "--bare", "-b", "main", "--template=")
	r.configure("config", "")
	return r
}

// configure adds to a file of settings; what is given begins in the section receive. No command tidies up a repository of a
// test: to look whether that is due takes a process for each commit and push.
func (r *Repo) configure(name, settings string) {
	r.t.Helper()
	if err := os.Mkdir(filepath.Join(r.Dir, filepath.Dir(name), "hooks"), 0o755); err != nil { // that of a template has examples
		r.t.Fatal(err)
	}
	file, err := os.OpenFile(filepath.Join(r.Dir, name), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString("[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[receive]\n\tautogc = false\n" + settings); err != nil {
		r.t.Fatal(err)
	}
}

// In returns the repository in a directory.
func In(t testing.TB, dir string) *Repo { return &Repo{t: t, Dir: dir} }

// Command returns git with args in the repository, cut off from the
// configuration of whoever runs the test.
func (r *Repo) Command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.Dir, "LC_ALL=C", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
	}
	return cmd
}

// Git runs git and returns what it prints, trimmed. It fails the test if git fails.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	return r.run("", args...)
}

// GitIn runs git with input.
func (r *Repo) GitIn(input string, args ...string) string {
	r.t.Helper()
	return r.run(input, args...)
}

func (r *Repo) run(input string, args ...string) string {
	r.t.Helper()
	cmd := r.Command(args...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		said := ""
		if e, ok := err.(*exec.ExitError); ok {
			said = string(e.Stderr)
		}
		r.t.Fatalf("git %s: %v\n%s%s", strings.Join(args, " "), err, out, said)
	}
	return strings.TrimSpace(string(out))
}

// Write puts a file into the work tree.
func (r *Repo) Write(name, content string) {
	r.t.Helper()
	path := filepath.Join(r.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// Commit commits the whole work tree and returns the commit.
func (r *Repo) Commit(message string) string {
	r.t.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", message)
	return r.Head()
}

// Head returns the commit that is checked out. Where a file has its name, no process is needed to learn it.
func (r *Repo) Head() string {
	r.t.Helper()
	dir := filepath.Join(r.Dir, ".git")
	for name := "HEAD"; ; {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return r.Git("rev-parse", "HEAD")
		}
		ref, symbolic := strings.CutPrefix(strings.TrimSpace(string(b)), "ref: ")
		if !symbolic {
			return ref
		}
		name = ref
	}
}
