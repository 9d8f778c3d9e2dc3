package chaos

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/tier"
	"github.com/d-aros/d-aros/test/tool"
)

var (
	lasting = flag.Duration("for", 150*time.Second, "do things to the fleet for so long, but each of them once; to come to rest takes half a minute more")
	seeded  = flag.Uint64("seed", 0, "draw the faults of this seed; 0: of a new one")
)

// soaking is how long make soak does so.
const soaking = 20 * time.Minute

// TestChaos: whatever is done to it, the fleet holds its properties, and when nothing is done any more it comes to rest. A
// second fleet beside it shows that a property that is broken is found.
func TestChaos(t *testing.T) {
	clustertest.Start(t) // or skip, before anything is built
	limit := *lasting
	if tier.Soak() {
		limit = soaking
	}
	seed := *seeded
	if seed == 0 {
		seed = rand.Uint64()
	}
	program := build(t)
	t.Run("holds", func(t *testing.T) {
		t.Parallel()
		require.NoError(t, newWorld(t, program, seed).run(faults, limit))
	})
	t.Run("ends at once", func(t *testing.T) {
		t.Parallel()
		endsAtOnce(t, program)
	})
}

// run does each fault once, in a drawn order, then draws more of them until the limit, and then demands rest. It ends at
// once when a property does not hold. The error names the property, the check, the seed, and all that was done.
func (w *world) run(faults []fault, limit time.Duration) (err error) {
	w.t.Helper()
	defer func() {
		if broken := context.Cause(w.checker.broken); broken != nil {
			err = broken
		}
		if err != nil {
			err = fmt.Errorf("%w\nseed %d; what was done:\n%slast lines of the log:\n%s", err, w.seed, w.history.String(), tail(w.reconciler.log, 15))
		}
	}()
	w.tell("seed %d", w.seed)
	if err := w.begin(); err != nil {
		return err
	}
	stop := w.watchOver()
	defer stop()
	for _, i := range w.rng.Perm(len(faults)) {
		if err := w.suffer(&faults[i]); err != nil {
			return err
		}
	}
	for time.Since(w.began) < limit {
		f := &faults[w.rng.IntN(len(faults))]
		if f.forges && !w.mayForge() {
			continue
		}
		if !f.kills && w.rng.IntN(3) == 0 {
			w.arm()
		}
		if err := w.suffer(f); err != nil {
			return err
		}
	}
	if err := w.rest(); err != nil {
		return err
	}
	stop()
	w.figures()
	return nil
}

// suffer does one fault, which lasts until the properties were checked in the meantime. Changes of others arrive while it
// lasts, unless nobody can be reached, and afterwards. Then no property is spared any more.
func (w *world) suffer(f *fault) error {
	w.tell("%s", f.name)
	w.suffered[f.name]++
	w.checker.is(f)
	end, err := f.begin(w)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	if end != nil {
		if !f.deaf {
			if err := w.change(); err != nil {
				return fmt.Errorf("while %s: %w", f.name, err)
			}
		}
		if err := w.nextCheck(); err != nil {
			return fmt.Errorf("while %s: %w", f.name, err)
		}
		if err := end(); err != nil {
			return fmt.Errorf("end of %s: %w", f.name, err)
		}
	}
	if err := w.change(); err != nil {
		return fmt.Errorf("after %s: %w", f.name, err)
	}
	w.checker.is(nil)
	if err := w.holds(); err != nil {
		return fmt.Errorf("after %s: %w", f.name, err)
	}
	return nil
}

// figures tells what was done and checked.
func (w *world) figures() {
	for _, name := range slices.Sorted(maps.Keys(w.suffered)) {
		w.tell("%3d times: %s", w.suffered[name], name)
	}
	w.tell("%d checks, %d saves, %d changes of a tenant, %d MiB at most", w.checker.made(), w.told.sequence, w.tag, w.most.Load()>>20)
}

// build returns the program, built from this checkout; with an overlay, from one with a planted bug.
func build(t *testing.T, overlay ...string) string {
	t.Helper()
	tool.Need(t, "ssh-keygen") // git verifies signatures with it
	program := filepath.Join(t.TempDir(), "reconciler")
	args := append([]string{"build", "-ldflags=-s -w -linkmode=internal", "-o", program}, overlay...)
	out, err := command("../..", "go", append(args, "./cmd/reconciler")...)
	require.NoError(t, err, "%s", out)
	return program
}

// newWorld returns a fleet repo and a cluster with nodes for it, and nothing that runs.
func newWorld(t *testing.T, program string, seed uint64) *world {
	t.Helper()
	cluster := clustertest.Start(t)
	w := &world{t: t, cluster: cluster, name: cluster.Prefix(t), program: program, seed: seed, rng: rand.New(rand.NewPCG(seed, 0)),
		bare: gittest.NewBare(t), clone: gittest.New(t), checker: newChecker(), suffered: map[string]int{}}
	cluster.AddNodes(t, w.name, 3, "8", "16Gi")
	// The manifests make the namespace of the anchor. Without them the reconciler would, and write to what is not its own.
	_, err := cluster.Clientset.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "daros-system"}}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(t, err)
	}
	w.gate = newGate(t, cluster.Config, w.name)
	w.watch = newWatch(t, cluster.Clientset, w.name)
	w.reconciler = w.newProcess(w.name, w.bare.Dir, w.gate.kubeconfig(t), stateDir(t))
	w.installHooks()
	t.Cleanup(func() { w.forgetAnchors() })
	return w
}

func stateDir(t *testing.T) string {
	dir := t.TempDir()
	if os.Getuid() == 0 {
		mount(t, dir)
	}
	return dir
}
