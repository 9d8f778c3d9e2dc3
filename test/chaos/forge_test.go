package chaos

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// forge writes another image into the record of mallory/idle with the token for the branch, and deletes the Deployment, so
// that it is made again from what is believed.
func (w *world) forge() (func() error, error) {
	w.forged = append(w.forged, time.Now())
	forger := gittest.New(w.t)
	forger.Git("fetch", "-q", w.bare.Dir, "status")
	forger.Git("checkout", "-q", "FETCH_HEAD")
	changed := 0
	err := filepath.WalkDir(filepath.Join(forger.Dir, "tenants", "mallory"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(b, []byte("idle:1")) {
			return err
		}
		changed++
		return os.WriteFile(path, bytes.ReplaceAll(b, []byte("idle:1"), []byte("idle:666")), 0o644)
	})
	require.NoError(w.t, err)
	require.NotZero(w.t, changed, "the record has the image")
	forger.Commit(fmt.Sprint("save ", w.number))
	forger.Git("push", "-qf", w.bare.Dir, "HEAD:status")
	deployments := w.cluster.Clientset.AppsV1().Deployments(w.name + "-mallory")
	if err := deployments.Delete(w.t.Context(), "idle-web", metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	return func() error {
		return w.until("mallory/idle is made again", func() error {
			_, err := deployments.Get(w.t.Context(), "idle-web", metav1.GetOptions{})
			return err
		})
	}, nil
}

// setBack makes an older save the tip.
func (w *world) setBack() (func() error, error) {
	w.forged = append(w.forged, time.Now())
	w.bare.Git("update-ref", "refs/heads/status", "refs/heads/status~1")
	return nothing, nil
}

func (w *world) deleteBranch() (func() error, error) {
	w.forged = append(w.forged, time.Now())
	w.bare.Git("update-ref", "-d", "refs/heads/status")
	return nothing, nil
}

// nothing ends what ends by itself.
func nothing() error { return nil }
