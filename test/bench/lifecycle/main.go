// Command lifecycle measures the loop with its status branch: the cost of a pass in
// which nothing happens and of one in which one application in a hundred changes, the
// growth of the status branch, and the time to read it at a start. The branch is in a
// real repository, with the git program behind it; the fleet and the runtime are in
// memory. It prints a table and checks no limit.
//
//	go run ./test/bench/lifecycle                       10,000 applications, minutes
//	go run ./test/bench/lifecycle -apps 1000            fewer
//	go run ./test/bench/lifecycle -transitions 0        no growth
//	go run ./test/bench/lifecycle -cpuprofile FILE      of the passes in which nothing happens
//	go run ./test/bench/lifecycle -heapprofile FILE     of what is live after these
//	go run ./test/bench/lifecycle -first                how soon others are heard during a first start, in real time
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"text/tabwriter"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/status"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "lifecycle:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	apps := flag.Int("apps", 10_000, "applications; every fifth has a workflow")
	passes := flag.Int("passes", 20, "passes in which nothing happens")
	transitions := flag.Int("transitions", 10_000, "changes of phase after which the status branch is weighed")
	profile := flag.String("cpuprofile", "", "write a profile of the passes in which nothing happens")
	heap := flag.String("heapprofile", "", "write a profile of the live heap after the passes in which nothing happens, or after the first start")
	first := flag.Bool("first", false, "measure instead how soon others are heard while all applications start for the first time, in real time")
	perObject := flag.Duration("object", 5*time.Millisecond, "with -first: what the runtime takes for an object; an API server on two cores takes 200 a second")
	readDir, cache := flag.String("read", "", "only read the ledger below this directory"), flag.String("cache", "", "with -read: the directory with the copy of the branch")
	flag.Parse()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(reconcile.Garbage)
	}
	if *readDir != "" {
		return read(ctx, *readDir, *cache)
	}
	dir, err := os.MkdirTemp("", "daros-lifecycle-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b, err := open(ctx, dir, *apps)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "starting %d applications\n", *apps)
	if *first {
		if err := b.first(*perObject, *heap); err != nil {
			return err
		}
		return b.print()
	}
	if err := b.start(); err != nil {
		return err
	}
	if err := b.quiet(*passes, *profile, *heap); err != nil {
		return err
	}
	if err := b.some(*transitions); err != nil {
		return err
	}
	if err := b.load(); err != nil {
		return err
	}
	return b.print()
}

// bench is a fleet and the loop that reconciles it.
type bench struct {
	ctx    context.Context
	dir    string
	fleet  *fleet
	loop   *reconcile.Loop
	branch *status.Branch
	kept   *carrier
	now    time.Time
	rows   [][2]string
}

func open(ctx context.Context, dir string, apps int) (*bench, error) {
	b := &bench{ctx: ctx, dir: dir, fleet: newFleet(apps), kept: &carrier{applied: map[model.AppID][]model.Workload{}}, now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}
	if _, err := b.git("init", "--quiet", "--bare", b.remote()); err != nil {
		return nil, err
	}
	if _, err := b.git("-C", b.remote(), "config", "receive.autogc", "false"); err != nil {
		return nil, err // it would run while the branch is measured
	}
	var err error
	if b.branch, err = b.open("status"); err != nil {
		return nil, err
	}
	b.loop = reconcile.New(reconcile.Options{
		Edges:   reconcile.Edges{Source: repo{b.fleet}, Evaluator: evaluator{b.fleet}, Status: b.branch, Runtime: b.kept},
		Metrics: reconcile.NewMetrics(prometheus.NewRegistry(), false), Fleet: "bench", Interval: 15 * time.Second,
		Now: func() time.Time { return b.now }, Recognition: reconcile.Recognition{Copy: b.branch, Branch: "status", Signed: true},
	})
	return b, nil
}

// open opens the status branch as a process that starts.
func (b *bench) open(cache string) (*status.Branch, error) {
	return status.Open(b.ctx, status.Options{
		URL: b.remote(), Dir: filepath.Join(b.dir, cache), Keep: true, Recheck: time.Minute, Now: func() time.Time { return b.now },
		Limits: git.Limits{Timeout: time.Hour},
	})
}

func (b *bench) remote() string { return filepath.Join(b.dir, "fleet.git") }

func (b *bench) git(args ...string) (string, error) {
	out, err := exec.CommandContext(b.ctx, "git", args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return string(out), nil
}

// pass makes one pass, some seconds after the last.
func (b *bench) pass() (reconcile.Report, error) {
	b.now = b.now.Add(5 * time.Second)
	r, err := b.loop.Pass(b.ctx)
	for i := range r.Problems {
		return r, fmt.Errorf("%s: %s", r.Problems[i].Code, r.Problems[i].Message)
	}
	return r, err
}

// start makes passes until all applications run and nothing happens any more.
func (b *bench) start() error {
	cpu, n := cpuTime(), 0
	for {
		r, err := b.pass()
		if err != nil {
			return err
		}
		if n++; !r.Changed() && r.Phases[model.PhaseRunning] == len(b.fleet.Applications) {
			break
		}
		if n > 50 {
			return fmt.Errorf("not settled after %d passes: %v", n, r.Phases)
		}
	}
	b.row("start: CPU until all run, in %d passes", n)("%.1f s", (cpuTime() - cpu).Seconds())
	return nil
}

// quiet makes passes in which nothing happens.
func (b *bench) quiet(passes int, profile, heapProfile string) error {
	head, _ := b.git("-C", b.remote(), "rev-parse", "status")
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
	}
	cpu, began := cpuTime(), time.Now()
	for range passes {
		if r, err := b.pass(); err != nil || r.Changed() {
			return fmt.Errorf("a pass in which nothing happens changed something: %w", err)
		}
	}
	pprof.StopCPUProfile()
	b.row("pass in which nothing happens: CPU")("%.1f ms", ms(cpuTime()-cpu)/float64(passes))
	b.row("… wall")("%.1f ms", ms(time.Since(began))/float64(passes))
	after, err := b.git("-C", b.remote(), "rev-parse", "status")
	if head != after {
		return fmt.Errorf("the status branch moved from %s to %s", head, after)
	}
	b.row("… commits to the status branch, objects sent to the runtime")("0, 0")
	return errors.Join(err, b.memory(heapProfile))
}

// memory adds what this process takes, and writes a profile of what is live.
func (b *bench) memory(profile string) error {
	heap, resident := memory()
	again := b.kept.copied()
	more, _ := memory()
	runtime.KeepAlive(again)
	b.row("memory: live heap; of that of the runtime in memory")("%d MiB; %d MiB", heap>>20, (more-heap)>>20)
	b.row("… resident, at most so far")("%d MiB", resident>>20)
	if profile == "" {
		return nil
	}
	f, err := os.Create(profile)
	if err != nil {
		return err
	}
	defer f.Close()
	return pprof.WriteHeapProfile(f)
}

// some changes one application in a hundred, again and again, until that many
// transitions have happened, and measures the size of the status branch.
func (b *bench) some(transitions int) error {
	if transitions == 0 {
		return nil
	}
	before, err := b.weigh()
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "making %d transitions\n", transitions)
	const each = 100
	done, passes, writes, began := 0, 0, 0, b.now
	var cpu time.Duration
	for round := 0; done < transitions; round++ {
		b.fleet.change(round%each, each)
		for busy := true; busy; {
			at := cpuTime()
			r, err := b.pass()
			if err != nil {
				return err
			}
			if busy = r.Changed(); busy {
				cpu += cpuTime() - at
				passes++
				done += len(r.Transitions())
			}
			if r.Saved {
				writes++
			}
		}
	}
	b.row("one in a hundred changes: CPU of each pass, its push included")("%.0f ms", ms(cpu)/float64(passes))
	b.row("status branch at the start: pack")("%.1f MiB", before)
	after, err := b.weigh()
	if err != nil {
		return err
	}
	b.row("… after %d transitions in %d commits", done, writes)("%.1f MiB", after)
	kept := b.now.Add(-b.now.Sub(began) / 10)
	if _, err := b.branch.Compact(b.ctx, status.CompactOptions{Since: kept}); err != nil {
		return err
	}
	after, err = b.weigh()
	b.row("… after compact, the last tenth kept")("%.1f MiB", after)
	return err
}

// weigh returns the size of the repository once packed.
func (b *bench) weigh() (mebibytes float64, err error) {
	if _, err := b.git("-C", b.remote(), "gc", "--quiet", "--prune=now"); err != nil {
		return 0, err
	}
	var sum int64
	err = filepath.Walk(b.remote(), func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return err
	})
	return float64(sum) / (1 << 20), err
}

// load reads the ledger as a process that starts, without and with a copy of the branch
// in its directory.
func (b *bench) load() error {
	if err := b.branch.Close(); err != nil {
		return err
	}
	for _, from := range []struct {
		what string
		dir  func(i int) string
	}{
		{"first start: read the ledger", func(i int) string { return fmt.Sprint("load", i) }},
		{"start again: read the ledger", func(int) string { return "status" }},
	} {
		var wall, cpu time.Duration
		for i := range 3 {
			at, used := time.Now(), cpuTime()
			branch, err := b.open(from.dir(i))
			if err != nil {
				return err
			}
			if _, err := branch.Load(b.ctx); err != nil {
				return err
			}
			if d := time.Since(at); wall == 0 || d < wall {
				wall, cpu = d, cpuTime()-used
			}
			branch.Accept() // as the loop does once it recognizes the ledger
			if err := branch.Close(); err != nil {
				return err
			}
		}
		b.row("%s: wall, best of 3", from.what)("%.2f s", wall.Seconds())
		b.row("… CPU, git included")("%.2f s", cpu.Seconds())
		alone, err := exec.CommandContext(b.ctx, os.Args[0], "-read", b.dir, "-cache", from.dir(0)).CombinedOutput()
		if err != nil {
			return fmt.Errorf("read the ledger in another process: %w: %s", err, alone)
		}
		b.row("… resident at most, a process that does nothing else")("%s", alone)
	}
	return nil
}

// read reads the ledger in a process that does nothing else, and prints what it takes.
func read(ctx context.Context, dir, cache string) error {
	b := &bench{ctx: ctx, dir: dir, now: time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC)}
	branch, err := b.open(cache)
	if err != nil {
		return err
	}
	defer branch.Close()
	ledger, err := branch.Load(ctx)
	heap, resident := memory()
	fmt.Printf("%d MiB, of which %d MiB stay", resident>>20, heap>>20)
	runtime.KeepAlive(ledger)
	return err
}

// row starts a line of the table; the function that it returns adds the figure.
func (b *bench) row(format string, args ...any) func(figure string, args ...any) {
	what := fmt.Sprintf(format, args...)
	return func(figure string, args ...any) {
		b.rows = append(b.rows, [2]string{what, fmt.Sprintf(figure, args...)})
	}
}

func (b *bench) print() error {
	fmt.Printf("%d applications, %s\n\n", len(b.fleet.Applications), load())
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	for _, r := range b.rows {
		fmt.Fprintf(w, "%s\t%s\n", r[0], r[1])
	}
	return w.Flush()
}
