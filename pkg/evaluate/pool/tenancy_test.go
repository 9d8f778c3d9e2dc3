package pool

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/render/kustomize"
)

var bombers = flag.Int("bombs", 0, "measure the change of one tenant beside so many bombs of another")

// container is the memory limit of the container that the bombs are measured in.
const container = 1 << 30

// TestMeasureTenancy prints how much later the change of one tenant is evaluated beside bombs of
// another, and fails where the processes together take more than a container of 1 GiB has: make
// bench-tenancy.
func TestMeasureTenancy(t *testing.T) {
	if *bombers == 0 {
		t.Skip("without -bombs (make bench-tenancy): evaluates bombs for a minute, each in twenty passes")
	}
	const rounds = 20
	dir := t.TempDir()
	options := Options{Dir: dir, Budgets: true, Memory: 384 << 20} // what the reconciler gives them of 1 GiB
	p := open(t, options)
	taken := sampleMemory(t)
	e := evaluate.Through(p)
	files := fleetOf(1, "acme", "globex")
	require.Empty(t, e.Fleet("c", files, nil).Problems)
	priority := 0
	var bombs []kustomize.Kustomization
	// pass changes the application of globex, and returns how long all takes that a pass waits for.
	pass := func() time.Duration {
		priority++
		files.app("globex", "app-0", priority)
		began := time.Now()
		f := e.Fleet("c", files, nil)
		for len(f.Applications) < 2 || f.Applications[1].Priority != priority { // on a busy machine
			told(t, p)
			f = e.Fleet("c", files, nil)
		}
		for _, k := range bombs {
			built, err := e.Build("acme", k)
			require.True(t, errors.As(err, new(*evaluate.Postponed)) || built.Failed != "")
		}
		took := time.Since(began)
		require.Equal(t, []string{"acme/app-0", "globex/app-0"}, ids(f.Applications))
		return took
	}
	measure := func(what string, alone time.Duration, before func(round int)) time.Duration {
		var worst, sum time.Duration
		for round := range rounds {
			before(round)
			took := pass()
			worst, sum = max(worst, took), sum+took
		}
		fmt.Printf("%-44s %9.2f ms mean %9.2f ms worst of %d", what, milliseconds(sum)/rounds, milliseconds(worst), rounds)
		if alone > 0 {
			fmt.Printf(", %.2f s later than without (2 wanted), %.1f times", (worst - alone).Seconds(), float64(worst)/float64(alone))
		}
		fmt.Println()
		return worst
	}
	restart := func(int) {
		p.Close()
		p = open(t, options)
		e = evaluate.Through(p)
	}
	alone := measure("without bombs", 0, func(int) {})
	started := measure("without bombs, a restart each time", 0, restart)
	for _, way := range []struct {
		what   string
		alone  time.Duration
		before func(round int)
	}{
		{"%d bombs in one commit", alone, func(round int) {
			if round == 0 {
				files.bombard("acme", *bombers, 0)
			}
		}},
		{"%d bombs, new bytes in each pass", alone, func(round int) { files.bombard("acme", *bombers, 1+round) }},
		{"%d remembered bombs, a restart each time", started, restart},
		{"%d kustomizations that do not end", alone, func(round int) {
			if bombs = nil; round == 0 {
				p.mu.Lock()
				clear(p.books.accounts) // all is forgiven: the worst case
				p.mu.Unlock()
			}
			for i := range *bombers {
				bombs = append(bombs, doubling(t, fmt.Sprint(round, "-", i)))
			}
		}},
	} {
		measure(fmt.Sprintf(way.what, *bombers), way.alone, way.before)
	}
	here, children := taken()
	fmt.Printf("%-44s %9d MB here and %d MB in %d children at the same time, of %d MB\n", "most memory", here>>20, children>>20, cap(p.places), container>>20)
	require.Positive(t, children)
	assert.Less(t, here+children, container, "memory of all processes")
}

// sampleMemory watches what this process and its children have resident, and returns the largest
// sum that it saw, in its two parts.
func sampleMemory(t *testing.T) (most func() (here, children int)) {
	var mine, theirs int
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			here, children := resident(os.Getpid())
			if here+children > mine+theirs {
				mine, theirs = here, children
			}
			select {
			case <-tick.C:
			case <-over:
				return
			}
		}
	}()
	stop := sync.OnceFunc(func() { close(over); <-ended })
	t.Cleanup(stop)
	return func() (int, int) { stop(); return mine, theirs }
}

// resident returns the bytes that a process and its children have in memory. Pages of the program
// that they share count each time.
func resident(pid int) (own, children int) {
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range names {
		stat, err := os.ReadFile(name)
		_, after, ok := strings.Cut(string(stat), ") ")
		fields := strings.Fields(after)
		if err != nil || !ok || len(fields) < 22 {
			continue // it has ended
		}
		pages, _ := strconv.Atoi(fields[21])
		switch {
		case name == fmt.Sprintf("/proc/%d/stat", pid):
			own += pages * os.Getpagesize()
		case fields[1] == strconv.Itoa(pid):
			children += pages * os.Getpagesize()
		}
	}
	return own, children
}

// doubling is a kustomization that takes for ever, of its own bytes.
func doubling(t *testing.T, name string) kustomize.Kustomization {
	files := []string{"k/kustomization.yaml", "resources: [../a18, ../b18]\nnamePrefix: n" + name + "-"}
	for _, side := range []string{"a", "b"} {
		files = append(files, side+"0/kustomization.yaml", "resources: [cm.yaml]\nnamePrefix: "+side+"-", side+"0/cm.yaml", oneMap)
		for i := 1; i <= 18; i++ {
			files = append(files, fmt.Sprintf("%s%d/kustomization.yaml", side, i), fmt.Sprintf("resources: [../a%d, ../b%d]\nnamePrefix: %s-", i-1, i-1, side))
		}
	}
	return kustomization(t, files...)
}
