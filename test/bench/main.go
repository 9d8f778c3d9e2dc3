// Command bench measures the whole way, from a push to running, on the embedded
// cluster: for fleets of growing size, the first apply, one changed application,
// and doing nothing. It prints a table and checks no limit: the machine and the
// cluster's own controllers are part of every figure.
//
//	go run ./test/bench                    fleets of 10, 100 and 1000 applications
//	go run ./test/bench --sizes 10,30      others
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/d-aros/d-aros/test/clustertest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	sizes := flag.String("sizes", "10,100,1000", "numbers of applications, comma separated")
	changes := flag.Int("changes", 5, "changed applications of which the median is printed")
	idle := flag.Duration("idle", 30*time.Second, "how long to watch the settled fleet")
	memory := flag.String("memory", "", "memory of the reconciler and its children, as its flag --memory (default: as much as there is)")
	heap := flag.String("heap", "", "directory to write profiles of the reconciler's heap to, one for each tenth of a fleet that runs")
	flag.Parse()
	dir, err := os.MkdirTemp("", "daros-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	reconciler := filepath.Join(dir, "reconciler")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", reconciler, "./cmd/reconciler").CombinedOutput(); err != nil {
		return fmt.Errorf("build the reconciler: %w: %s", err, out)
	}
	devcluster, err := clustertest.Build(ctx, os.Stderr)
	if err != nil {
		return err
	}
	var rows []figures
	for word := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return fmt.Errorf("--sizes: %q is not a number of applications", word)
		}
		fmt.Fprintf(os.Stderr, "fleet of %d applications\n", n)
		b := &bench{dir: filepath.Join(dir, word), size: n, changes: *changes, idle: *idle, memory: *memory, heap: *heap, reconciler: reconciler, devcluster: devcluster}
		row, err := b.measure(ctx)
		if err != nil {
			return fmt.Errorf("fleet of %d: %w", n, err)
		}
		rows = append(rows, row)
	}
	return print(rows)
}

// figures are one row of the table.
type figures struct {
	applications, objects            int
	firstApplied, firstRunning       time.Duration
	firstCPU                         time.Duration
	changeApplied, changeRunning     time.Duration // medians
	changeCPU                        time.Duration // of one change, from push to running
	changeRequests, changeGitObjects float64
	idleCPU                          float64 // thousandths of a core
	idleRequests, idleCommits        int
	rss, firstPeak, againPeak, files int64 // bytes, of the reconciler without its children; files: of these, pages of the program
	live                             int   // bytes of the heap, settled
	againCPU                         time.Duration
}

func print(rows []figures) error {
	w := tabwriter.NewWriter(os.Stdout, 2, 0, 2, ' ', tabwriter.AlignRight)
	column := func(title string, cell func(f figures) string) {
		fmt.Fprint(w, title, "\t")
		for _, f := range rows {
			fmt.Fprint(w, cell(f), "\t")
		}
		fmt.Fprintln(w)
	}
	column("applications", func(f figures) string { return fmt.Sprint(f.applications) })
	column("first: push to all applied", func(f figures) string { return seconds(f.firstApplied) })
	column("first: objects, inventories included", func(f figures) string { return fmt.Sprint(f.objects) })
	column("first: objects a second", func(f figures) string { return fmt.Sprintf("%.0f", float64(f.objects)/f.firstApplied.Seconds()) })
	column("first: push to all Running", func(f figures) string { return seconds(f.firstRunning) })
	column("first: CPU of the reconciler", func(f figures) string { return seconds(f.firstCPU) })
	column("change: push to applied, median", func(f figures) string { return seconds(f.changeApplied) })
	column("change: push to Running, median", func(f figures) string { return seconds(f.changeRunning) })
	column("change: CPU of the reconciler", func(f figures) string { return seconds(f.changeCPU) })
	column("change: writes to the API", func(f figures) string { return fmt.Sprintf("%.1f", f.changeRequests) })
	column("change: Git objects written", func(f figures) string { return fmt.Sprintf("%.1f", f.changeGitObjects) })
	column("idle: CPU, thousandths of a core", func(f figures) string { return fmt.Sprintf("%.1f", f.idleCPU) })
	column("idle: writes to the API", func(f figures) string { return fmt.Sprint(f.idleRequests) })
	column("idle: status commits", func(f figures) string { return fmt.Sprint(f.idleCommits) })
	column("resident memory, settled, MiB", func(f figures) string { return fmt.Sprint(f.rss >> 20) })
	column("… of the heap", func(f figures) string { return fmt.Sprint(f.live >> 20) })
	column("… at most until all run", func(f figures) string { return fmt.Sprint(f.firstPeak >> 20) })
	column("… of that, pages of the program", func(f figures) string { return fmt.Sprint(f.files >> 20) })
	column("… at most after a restart", func(f figures) string { return fmt.Sprint(f.againPeak >> 20) })
	column("restart until all is known: CPU of the reconciler", func(f figures) string { return seconds(f.againCPU) })
	return w.Flush()
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
