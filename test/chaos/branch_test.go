package chaos

import (
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
	news     string // what the branch said since the check before
	log      int    // size of the log
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
	var tip string
	if err := w.until("the tip of the status branch is signed", func() error {
		tip = w.bare.Git("for-each-ref", "--format=%(objectname)", "refs/heads/status")
		if tip == "" {
			return fmt.Errorf("the branch is missing")
		}
		signed, _, err := w.signed(tip)
		if err == nil && !signed {
			err = fmt.Errorf("commit %s is not", tip)
		}
		return err
	}); err != nil {
		return err
	}
	span := []string{tip}
	if w.told.tip != "" {
		span = append(span, "^"+w.told.tip)
	}
	for _, commit := range strings.Fields(w.bare.Git(append([]string{"rev-list", "--reverse"}, span...)...)) {
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
	w.told.news = w.bare.Git(append([]string{"log", "-p", "--format=%B"}, span...)...)
	w.told.tip = tip
	return nil
}

// signed reports whether the reconciler signed a commit, and which number the save has.
func (w *world) signed(commit string) (signed bool, sequence int, err error) {
	out := w.bare.Git("-c", "gpg.ssh.allowedSignersFile="+w.told.signers, "log", "-1", "--format=%G? %(trailers:key=Sequence,valueonly)", commit)
	if !strings.HasPrefix(out, "G ") {
		return false, 0, nil
	}
	sequence, err = strconv.Atoi(strings.TrimSpace(out[2:]))
	return true, sequence, err
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
