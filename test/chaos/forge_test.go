package chaos

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/test/gittest"
)

// forgeries is how many attacks on the status branch there are in an hour: above six, the reconciler only corrects drift.
const forgeries = 5

func (w *world) mayForge() bool {
	return len(w.forged) < forgeries || time.Since(w.forged[len(w.forged)-forgeries]) > 61*time.Minute
}

// forge writes with the token for the branch: another image into the record of mallory/idle, whose Deployment it deletes,
// so that it is made again from what is believed; and that globex/api has ended, which runs. It looks like the next save,
// but for the key.
func (w *world) forge() (func() error, error) {
	w.forged = append(w.forged, time.Now())
	forger := gittest.New(w.t)
	forger.Git("fetch", "-q", w.bare.Dir, "status")
	forger.Git("checkout", "-q", "FETCH_HEAD")
	for _, edit := range []struct{ file, old, new string }{
		{"tenants/mallory/idle/spec.json", "idle:1", "idle:666"},
		{"tenants/globex/api/instance.json", `"phase": "Running"`, `"phase": "Terminated"`},
		{"tenants/globex/api/instance.json", `"replicas": 2`, `"replicas": 1`},
	} {
		b, err := os.ReadFile(filepath.Join(forger.Dir, edit.file))
		require.NoError(w.t, err)
		require.Contains(w.t, string(b), edit.old, edit.file)
		forger.Write(edit.file, strings.ReplaceAll(string(b), edit.old, edit.new))
	}
	said, number, found := strings.Cut(forger.Git("log", "-1", "--format=%B"), "\nSequence: ")
	require.True(w.t, found, said)
	number, rest, _ := strings.Cut(number, "\n")
	last, err := strconv.Atoi(number)
	require.NoError(w.t, err)
	key, _ := forger.Key("mallory")
	forger.CommitSigned(key, fmt.Sprintf("%s\nSequence: %d\n%s", said, last+1, rest))
	log := w.reconciler.written()
	forger.Git("push", "-qf", w.bare.Dir, "HEAD:status")
	deployments := w.cluster.Clientset.AppsV1().Deployments(w.name + "-mallory")
	if err := deployments.Delete(w.t.Context(), "idle-web", metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	return func() error {
		if err := w.says("commit="+forger.Git("rev-parse", "HEAD"), log); err != nil {
			return err
		}
		return w.until("mallory/idle is made again", func() error {
			_, err := deployments.Get(w.t.Context(), "idle-web", metav1.GetOptions{})
			return err
		})
	}, nil
}

// setBack makes an older save the tip, until the reconciler names it.
func (w *world) setBack() (func() error, error) {
	w.forged = append(w.forged, time.Now())
	log, older := w.reconciler.written(), w.bare.Git("rev-parse", "refs/heads/status~1")
	w.bare.Git("update-ref", "refs/heads/status", older)
	return func() error { return w.says("commit="+older, log) }, nil
}

// deleteBranch deletes the branch, with a change on its way whose save writes it again. If the reconciler is killed before,
// it decides nothing until a person brings the branch back.
func (w *world) deleteBranch() (func() error, error) {
	w.forged = append(w.forged, time.Now())
	log := w.reconciler.written()
	w.bare.Git("update-ref", "-d", "refs/heads/status")
	image := w.image(fmt.Sprint("shop:deleted", len(w.forged)))
	w.commit("shop: "+image, shop(image))
	return func() error {
		return w.until("the branch is told to be deleted, and is there again", func() error {
			said := w.reconciler.logged(log)
			if tip, err := w.tip(); err != nil || tip == "" {
				if !strings.Contains(said, "does not exist, and") {
					return errors.Join(err, errors.New("it is missing"))
				}
				out, err := command("", w.program, "restore", "--repo", w.bare.Dir, "--state-dir", w.reconciler.state, "--status-key", w.reconciler.key, "--write")
				if err != nil {
					return fmt.Errorf("%w\n%s", err, out)
				}
				w.tell("a person brought the branch back")
				return nil
			}
			if !strings.Contains(said, "status branch deleted") {
				return errors.New("the log does not say so")
			}
			return nil
		})
	}, nil
}
