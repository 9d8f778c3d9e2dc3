package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/gittest"
)

// patience is how long something that must happen may take. It is generous, because the machine may be busy.
const patience = 5 * time.Minute

// world is a fleet, and what can be done to it.
type world struct {
	t       *testing.T
	cluster *clustertest.Cluster
	name    string // of the fleet, of its pool, and the prefix of its namespaces
	program string

	seed    uint64
	rng     *rand.Rand
	history strings.Builder
	began   time.Time
	forged  []time.Time // when the status branch was attacked

	bare, clone *gittest.Repo
	gate        *gate
	reconciler  *process
	second      *process // of the other fleet, nil before it came
	watch       *watch

	tag      int            // of the image of acme/shop that was declared last
	number   int            // of names that are used once
	suffered map[string]int // how often each fault came
	others   others
	most     atomic.Int64 // memory of the reconciler

	checker *checker
	told    told // what it has seen; nobody else looks at it while it checks
}

// tell adds to the history.
func (w *world) tell(format string, args ...any) {
	w.t.Helper()
	if w.began.IsZero() {
		w.began = time.Now()
	}
	line := fmt.Sprintf("%6.1fs %s", time.Since(w.began).Seconds(), fmt.Sprintf(format, args...))
	w.history.WriteString(line + "\n")
	w.t.Log(line)
}

// until waits until a condition holds. The error says what it lacked last.
func (w *world) until(what string, lacks func() error) error {
	deadline, ticker := time.After(patience), time.NewTicker(50*time.Millisecond)
	defer ticker.Stop()
	for {
		err := lacks()
		if err == nil {
			return nil
		}
		if ended := w.reconciler.unexpected(); ended != nil {
			return ended
		}
		select {
		case <-ticker.C:
		case <-w.checker.broken.Done():
			return context.Cause(w.checker.broken)
		case <-deadline:
			return fmt.Errorf("%s: not within %s: %w", what, patience, err)
		}
	}
}

// commit writes files (an empty content deletes one) and pushes them to main.
func (w *world) commit(message string, sets ...map[string]string) {
	w.t.Helper()
	w.write(message, sets...)
	w.push()
}

func (w *world) write(message string, sets ...map[string]string) {
	w.t.Helper()
	for _, set := range sets {
		for name, content := range set {
			if content == "" {
				w.clone.Git("rm", "-rq", "--ignore-unmatch", name)
				continue
			}
			w.clone.Write(name, content)
		}
	}
	w.clone.Commit(message)
}

func (w *world) push() { w.clone.Git("push", "-q", w.bare.Dir, "HEAD:main") }

// forgetAnchors removes what the cluster remembers of the fleets.
func (w *world) forgetAnchors() {
	for _, fleet := range []string{w.name, w.name + "-copy"} {
		err := w.cluster.Clientset.CoreV1().ConfigMaps("daros-system").Delete(context.Background(), "daros-"+fleet, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			w.t.Error(err)
		}
	}
}

// command runs a program and returns all that it prints.
func command(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// tail returns the last lines of a file.
func tail(name string, lines int) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
