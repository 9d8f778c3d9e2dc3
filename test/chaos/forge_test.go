package chaos

import (
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
