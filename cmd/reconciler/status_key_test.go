package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/signkey"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// signedBranch is a status branch with two saves that a key has signed.
func signedBranch(t *testing.T) (remote *gittest.Repo, sign signFlags) {
	remote = gittest.NewBare(t)
	sign.key, sign.trust = filepath.Join(t.TempDir(), "key"), filepath.Join(t.TempDir(), "trust")
	public, err := signkey.WriteEd25519(sign.key, "reconciler")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(sign.trust, []byte("# of the fleet\n"+public+"\n"), 0o600))
	signing, err := sign.signing()
	require.NoError(t, err)
	branch, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Dir: t.TempDir(), Signing: signing})
	require.NoError(t, err)
	defer branch.Close()
	past, err := branch.Load(t.Context())
	require.NoError(t, err)
	for _, l := range fixture(worldBegins)[:2] {
		l.Identity = model.LedgerIdentity{ID: strings.Repeat("ab", 16), Fleet: "fleet"}
		past, _, err = branch.Commit(t.Context(), past, l)
		require.NoError(t, err)
	}
	return remote, sign
}

// answerOf runs a command and returns what it prints.
func answerOf(t *testing.T, args ...string) string {
	var out, errOut output
	root := newRoot(&out, &errOut)
	root.SetArgs(args)
	require.NoError(t, root.ExecuteContext(t.Context()), "%s", &errOut)
	return out.String()
}

// TestUnverifiedIsMarked: who reads the branch with the keys of the reconcilers sees which
// commits these did not sign, in text and JSON.
func TestUnverifiedIsMarked(t *testing.T) {
	remote, sign := signedBranch(t)
	app := fixture(worldBegins)[1].Instances[0].App.String()
	from := []string{"--repo", remote.Dir, "--status-trust", sign.trust}
	for _, args := range [][]string{{"status"}, {"history", app, "-a"}} {
		require.NotContains(t, answerOf(t, append(args, from...)...), "unverified", args)
	}
	clone := gittest.New(t)
	clone.Git("fetch", "-q", remote.Dir, "status")
	clone.Git("checkout", "-q", "-B", "status", "FETCH_HEAD")
	clone.Write("tenants/"+app+"/workflow.json", "")
	require.NoError(t, os.Remove(filepath.Join(clone.Dir, "tenants/"+app+"/workflow.json")))
	file := filepath.Join(clone.Dir, "tenants/"+app+"/instance.json")
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(b, '\n'), 0o600))
	commit := clone.Commit("forged")
	clone.Git("push", "-q", remote.Dir, "HEAD:status")

	require.Contains(t, answerOf(t, append([]string{"status"}, from...)...), "unverified: commit "+commit+" is not signed: nobody vouches for what follows")
	var answer struct{ Unverified string }
	require.NoError(t, json.Unmarshal([]byte(answerOf(t, append([]string{"status", "-o", "json"}, from...)...)), &answer))
	require.Equal(t, "commit "+commit+" is not signed", answer.Unverified)
	history := answerOf(t, append([]string{"history", app, "-a"}, from...)...)
	require.Contains(t, history, "unverified: status commit "+shortCommit(commit)+" is not signed")
	require.Equal(t, 1, strings.Count(history, "unverified"))
	require.NotContains(t, answerOf(t, "status", "--repo", remote.Dir), "unverified", "without keys nobody can tell")
}

// TestStatusKeys: what cannot be a key of the status branch is said before anything is
// read or written.
func TestStatusKeys(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		return file
	}
	key := filepath.Join(dir, "key")
	_, err := signkey.WriteEd25519(key, "reconciler")
	require.NoError(t, err)
	_, err = signkey.WriteEd25519(key, "reconciler")
	require.ErrorIs(t, err, os.ErrExist, "no key is written over")
	for want, f := range map[string]signFlags{
		"read --status-key: open ":        {key: filepath.Join(dir, "absent")},
		"neither an SSH nor an armored":   {key: write("text", "hello")},
		"read --status-trust: open ":      {key: key, trust: filepath.Join(dir, "absent")},
		"line 2: it is no SSH public key": {key: key, trust: write("trust", "# others\nhello\n")},
	} {
		_, err := f.signing()
		require.ErrorContains(t, err, want)
	}
	none, err := (&signFlags{}).signing()
	require.NoError(t, err)
	require.Nil(t, none)
}

// TestReadyzNamesAForeignCommit: for an hour, and without failing.
func TestReadyzNamesAForeignCommit(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	found := func() ([]status.ForeignCommit, int) {
		return []status.ForeignCommit{{Commit: "1111", Why: "is not signed", At: now}}, 1
	}
	require.Equal(t, "; but commit 1111 of the status branch, found 2026-03-01T12:00:00Z, is not signed, and nothing that it says was believed", foreignNote(found, now))
	require.Empty(t, foreignNote(found, now.Add(2*time.Hour)))
	require.Empty(t, foreignNote(func() ([]status.ForeignCommit, int) { return nil, 0 }, now))
}
