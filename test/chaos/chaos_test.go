package chaos

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/tier"
	"github.com/d-aros/d-aros/test/tool"
)

var (
	lasting = flag.Duration("for", 0, "draw faults for so long; 0: each fault once, in order")
	seeded  = flag.Uint64("seed", 0, "draw the faults of this seed; 0: of a new one")
)

// soaking is how long make soak draws faults.
const soaking = 20 * time.Minute

// TestChaos: whatever is done to it, the fleet holds its properties, and when nothing is done any more it comes to rest.
func TestChaos(t *testing.T) {
	clustertest.Start(t) // or skip, before anything is built
	limit := *lasting
	if limit == 0 && tier.Soak() {
		limit = soaking
	}
	seed := *seeded
	if seed == 0 {
		seed = rand.Uint64()
	}
	require.NoError(t, newWorld(t, build(t), seed).run(faults, limit))
}

// run does each fault once, in order, or draws them until the limit, and then demands rest. An error names the property
// that does not hold, the seed, and all that was done.
func (w *world) run(faults []fault, limit time.Duration) (err error) {
	w.t.Helper()
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\nseed %d; what was done:\n%slast lines of the log:\n%s", err, w.seed, w.history.String(), tail(w.reconciler.log, 15))
		}
	}()
	w.tell("seed %d", w.seed)
	if err := w.begin(); err != nil {
		return err
	}
	if limit == 0 {
		for i := range faults {
			if err := w.suffer(&faults[i]); err != nil {
				return err
			}
		}
		return w.rest()
	}
	for end := time.Now().Add(limit); time.Now().Before(end); {
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
	return w.rest()
}

// suffer does one fault. Changes of others arrive in the meantime, unless nobody can be reached, and afterwards.
func (w *world) suffer(f *fault) error {
	w.tell("%s", f.name)
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
		if err := end(); err != nil {
			return fmt.Errorf("end of %s: %w", f.name, err)
		}
	}
	if err := w.change(); err != nil {
		return fmt.Errorf("after %s: %w", f.name, err)
	}
	if err := w.holds(); err != nil {
		return fmt.Errorf("after %s: %w", f.name, err)
	}
	return nil
}

// build returns the program, built from this checkout; with an overlay, from one with a planted bug.
func build(t *testing.T, overlay ...string) string {
	t.Helper()
	tool.Need(t, "ssh-keygen") // git verifies signatures with it
	program := filepath.Join(t.TempDir(), "reconciler")
	args := append([]string{"build", "-ldflags=-s -w", "-o", program}, overlay...)
	out, err := command("../..", "go", append(args, "./cmd/reconciler")...)
	require.NoError(t, err, "%s", out)
	return program
}

// newWorld returns a fleet repo and a cluster with nodes for it, and nothing that runs.
func newWorld(t *testing.T, program string, seed uint64) *world {
	t.Helper()
	cluster := clustertest.Start(t)
	w := &world{t: t, cluster: cluster, name: cluster.Prefix(t), program: program, seed: seed, rng: rand.New(rand.NewPCG(seed, 0)),
		bare: gittest.NewBare(t), clone: gittest.New(t), others: map[string]string{}, declared: map[string]bool{}}
	cluster.AddNodes(t, w.name, 3, "8", "16Gi")
	w.gate = newGate(t, cluster.Config)
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
