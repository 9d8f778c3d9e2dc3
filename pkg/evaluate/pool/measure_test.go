package pool

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
)

var apps = flag.Int("apps", 0, "measure the evaluation of a fleet of so many applications in 100 tenants")

// TestMeasure prints what evaluation costs, from the tree of a commit to the
// model: make bench-evaluate.
func TestMeasure(t *testing.T) {
	if *apps == 0 {
		t.Skip("without -apps (make bench-evaluate): evaluates thousands of applications, and prints what that takes")
	}
	n := *apps
	m := measurement{t: t, n: n, repo: grow(t, n)}
	answers := t.TempDir()
	p := open(t, Options{Dir: answers})
	m.pools = []*Pool{p}
	e := evaluate.Through(p)

	cold := m.pass(fmt.Sprintf("cold, each of %d applications", n), n, e)
	m.memory("most memory of all processes")
	const rounds = 50
	m.passes("one application changed", rounds, e, func(i int) { m.repo.application(i%n, fmt.Sprintf("1.%d", i)) })
	m.passes("one file beside changed", rounds, e, func(i int) { m.repo.Write("README.md", fmt.Sprint(i)) })
	m.passes(fmt.Sprintf("one tenant's policy changed (%d)", n/tenants), 5, e, func(i int) {
		m.repo.tenant(7, fmt.Sprintf("policy: limits: maxReplicas: %d", 10+i))
	})
	m.passes("a pool of the platform changed", 3, e, func(i int) { m.repo.platform(fmt.Sprintf("%d", 100+i)) })
	m.memory("most memory of all processes, after all")

	before, began := m.cpu(), time.Now()
	again := open(t, Options{Dir: answers})
	report("restart: open the answers", m.cpu()-before, time.Since(began), 1)
	m.pools = append(m.pools, again)
	m.pass("restart: the first pass, nothing changed", 1, evaluate.Through(again))

	floor := m.alone(fmt.Sprintf("floor, each of %d applications", min(n, 500)), min(n, 500), append([]string{"floor"}, m.repo.directories(min(n, 500))...)...)
	few := []string{"cue", "vet", "-c"} // cue holds all in one context, so it gets a part of the fleet
	held := 0
	for i := 0; i < tenants && held < 200; i++ {
		few = append(few, fmt.Sprintf("./tenants/t%02d/...", i))
		held += n / tenants
	}
	vet := m.alone(fmt.Sprintf("cue vet, each of %d applications", held), held, few...)
	fmt.Printf("%-44s %9.2f\n%-44s %9.2f\n", "ratio of cold to the floor", cold/floor, "ratio of cold to cue vet", cold/vet)
}

// A measurement prints what is done to one fleet.
type measurement struct {
	t     *testing.T
	n     int
	repo  *measuredRepo
	pools []*Pool
	fleet model.Fleet
}

// pass evaluates the newest commit, and prints and returns the CPU milliseconds
// of all processes for each of so many parts of it.
func (m *measurement) pass(what string, parts int, e *evaluate.Evaluator) float64 {
	cpu, wall := m.evaluate(e)
	report(what, cpu, wall, parts)
	return milliseconds(cpu) / float64(parts)
}

// passes evaluates one commit after another.
func (m *measurement) passes(what string, rounds int, e *evaluate.Evaluator, change func(i int)) {
	var cpu, wall time.Duration
	runtime.GC() // what was left over before is not theirs
	for i := range rounds {
		change(i)
		c, w := m.evaluate(e)
		cpu, wall = cpu+c, wall+w
	}
	report(what, cpu, wall, rounds)
}

func (m *measurement) evaluate(e *evaluate.Evaluator) (cpu, wall time.Duration) {
	snap := m.repo.snapshot()
	before, began := m.cpu(), time.Now()
	m.fleet = e.Fleet(snap.Commit, snap.Files, nil)
	wall, cpu = time.Since(began), m.cpu()-before
	require.Empty(m.t, m.fleet.Problems)
	require.Len(m.t, m.fleet.Applications, m.n)
	return cpu, wall
}

func (m *measurement) cpu() time.Duration {
	cpu := spent(m.t)
	for _, p := range m.pools {
		for _, pid := range children(p) {
			cpu += spentBy(m.t, pid)
		}
	}
	return cpu
}

func (m *measurement) memory(what string) {
	own, _ := mostMemory(m.t, os.Getpid())
	sum, once := own, own
	for _, pid := range children(m.pools[0]) {
		most, shared := mostMemory(m.t, pid)
		sum, once = sum+most, once+most-shared
	}
	fmt.Printf("%-44s %9d MB, of which this process %d MB; %d MB if the program's pages count once\n", what, sum>>20, own>>20, once>>20)
}

// alone runs this program as another, in the work tree, for n applications.
func (m *measurement) alone(what string, n int, args ...string) float64 {
	cmd := exec.Command(program, args...)
	cmd.Dir = m.repo.Dir
	cmd.Env = append(os.Environ(), "CUE_REGISTRY=none", "CUE_CACHE_DIR="+m.t.TempDir())
	began := time.Now()
	out, err := cmd.CombinedOutput()
	require.NoError(m.t, err, "%s", out)
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	report(what, cpu, time.Since(began), n)
	return milliseconds(cpu) / float64(n)
}

func report(what string, cpu, wall time.Duration, parts int) {
	fmt.Printf("%-44s %9.2f ms CPU %9.2f ms wall\n", what, milliseconds(cpu)/float64(parts), milliseconds(wall)/float64(parts))
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
