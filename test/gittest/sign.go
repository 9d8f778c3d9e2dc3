package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Key makes an SSH key with the real ssh-keygen, outside of the work tree. It
// returns the file of the private key and the line of the public one.
func (r *Repo) Key(name string) (file, public string) {
	r.t.Helper()
	file = filepath.Join(r.t.TempDir(), name)
	out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file).CombinedOutput()
	if err != nil {
		r.t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	b, err := os.ReadFile(file + ".pub")
	if err != nil {
		r.t.Fatal(err)
	}
	return file, strings.TrimSpace(string(b))
}

// Signed runs git with the settings by which it signs with an SSH key; "" signs
// nothing.
func (r *Repo) Signed(key string, args ...string) string {
	r.t.Helper()
	if key != "" {
		args = append([]string{"-c", "gpg.format=ssh", "-c", "user.signingkey=" + key, "-c", "commit.gpgsign=true"}, args...)
	}
	return r.run("", args...)
}

// CommitSigned commits the whole work tree with a signature and returns the commit.
func (r *Repo) CommitSigned(key, message string) string {
	r.t.Helper()
	r.Git("add", "-A")
	r.Signed(key, "commit", "-q", "--allow-empty", "--allow-empty-message", "-m", message)
	return r.Head()
}
