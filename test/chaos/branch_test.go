package chaos

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
)

// told is what was seen of the branch and the log before.
type told struct {
	trust    string // file with the key of the reconciler
	signers  string // the same for git
	tip      string
	sequence int    // of the last signed save
	read     string // the tip whose commits were looked through for secrets
	log      int    // size of the log that was looked through for secrets
	passes   int    // size of the log whose passes were counted
}

func (w *world) trustKey() {
	dir := w.t.TempDir()
	w.told.trust, w.told.signers = filepath.Join(dir, "trust"), filepath.Join(dir, "signers")
	require.NoError(w.t, os.WriteFile(w.told.trust, []byte(w.reconciler.public+"\n"), 0o600))
	require.NoError(w.t, os.WriteFile(w.told.signers, []byte("reconciler "+w.reconciler.public+"\n"), 0o600))
}

// chainGrows demands that the branch ends with a signed save, and that each signed save has a higher number than all that
// were signed before, whatever stands between them.
func (w *world) chainGrows() error {
	tip, err := w.tip()
	if err != nil {
		return err
	}
	if tip == "" {
		return fmt.Errorf("the branch is missing")
	}
	if signed, _, err := w.signed(tip); err != nil || !signed {
		return errors.Join(err, fmt.Errorf("the reconciler did not sign the tip, commit %s", tip))
	}
	commits, err := w.git("rev-list", "--reverse", tip, without(w.told.tip))
	if err != nil {
		return err
	}
	for _, commit := range strings.Fields(commits) {
		signed, sequence, err := w.signed(commit)
		switch {
		case err != nil:
			return err
		case signed && sequence <= w.told.sequence:
			return fmt.Errorf("commit %s has the number %d after %d", commit, sequence, w.told.sequence)
		case signed:
			w.told.sequence = sequence
		}
	}
	w.told.tip = tip
	return nil
}

// news returns what the branch says since it was asked for the last time.
func (w *world) news() (string, error) {
	tip, err := w.tip()
	if err != nil || tip == "" {
		return "", err
	}
	news, err := w.git("log", "-p", "--format=%B", tip, without(w.told.read))
	w.told.read = tip
	return news, err
}

func (w *world) tip() (string, error) {
	return w.git("for-each-ref", "--format=%(objectname)", "refs/heads/status")
}

// without leaves out a commit and all behind it; "": none.
func without(commit string) string {
	if commit == "" {
		return "--"
	}
	return "^" + commit
}

// signed reports whether the reconciler signed a commit, and which number the save has.
func (w *world) signed(commit string) (signed bool, sequence int, err error) {
	out, err := w.git("-c", "gpg.ssh.allowedSignersFile="+w.told.signers, "log", "-1", "--format=%G? %(trailers:key=Sequence,valueonly)", commit)
	if err != nil || !strings.HasPrefix(out, "G ") {
		return false, 0, err
	}
	sequence, err = strconv.Atoi(strings.TrimSpace(out[2:]))
	return true, sequence, err
}

// git asks the repo. Unlike its method Git it may be used beside the test.
func (w *world) git(args ...string) (string, error) {
	cmd := w.bare.Command(args...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// ledger reads what the branch says.
func (w *world) ledger(repo string) (model.Ledger, error) {
	branch, err := status.Open(w.t.Context(), status.Options{URL: repo, Dir: filepath.Join(filepath.Dir(w.reconciler.log), "reader")})
	if err != nil {
		return model.Ledger{}, err
	}
	defer branch.Close()
	return branch.Load(w.t.Context())
}

// running returns which of the applications do not run.
func (w *world) running(repo string, apps ...string) error {
	l, err := w.ledger(repo)
	if err != nil {
		return err
	}
	for _, name := range apps {
		id, err := model.ParseAppID(name)
		if err != nil {
			return err
		}
		inst, ok := l.Find(id)
		if !ok {
			return fmt.Errorf("%s is not on the branch", name)
		}
		if inst.Phase != model.PhaseRunning {
			return fmt.Errorf("%s is %s: %s", name, inst.Phase, inst.Message)
		}
	}
	return nil
}
