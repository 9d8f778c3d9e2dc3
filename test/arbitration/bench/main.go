// Command bench measures arbitration on one core, certificates included: how many
// decisions a second of processor time buys, what preemption and one arrival
// cost, how cost grows, how far its choices are from the best ones, and whether
// rulings depend on order or go round in circles. It prints a table with what we
// want and whether it is so, and fails only when it cannot measure.
//
//	go run ./test/arbitration/bench                    everything, minutes
//	go run ./test/arbitration/bench -only victims      what has this in its name
//	go run ./test/arbitration/bench -quick             smaller, for a look
//	go run ./test/arbitration/bench -sequence 211      one of the sequences of cycles, move by move
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/test/page"
)

// row is one figure.
type row struct {
	what, figure, want string
	met                bool
	judged             bool // false: a figure to look at, nothing is wanted of it
}

// measurement makes some rows.
type measurement struct {
	name string
	run  func(size) []row
}

// size says how much to measure.
type size struct {
	quick bool
	seed  uint64
}

// of returns all, or much less where a quick look is enough.
func (s size) of(all, quick int) int {
	if s.quick {
		return quick
	}
	return all
}

var measurements = []measurement{
	{"queues", queues},
	{"preemption", preemption},
	{"arrival", arrival},
	{"departure", departure},
	{"advice", advice},
	{"peers", peers},
	{"growth", growth},
	{"victims", victims},
	{"admission", admission},
	{"digests", digests},
	{"cycles", cycles},
}

func main() {
	only := flag.String("only", "", "measure what has this in its name")
	quick := flag.Bool("quick", false, "measure less, for a look")
	seed := flag.Uint64("seed", 1, "of everything random")
	file := flag.String("page", "", "also write the figures into this page, docs/arbitration-figures.md")
	sequence := flag.Int64("sequence", -1, "print this sequence of those that cycles plays, and measure nothing")
	flag.Parse()
	if *sequence >= 0 {
		show(*seed, uint64(*sequence))
		return
	}
	runtime.GOMAXPROCS(1) // the collector included
	s := size{quick: *quick, seed: *seed}

	if err := measure(s, *only, *file); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measure(s size, only, file string) error {
	var all []row
	for _, m := range measurements {
		if !strings.Contains(m.name, only) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s …\n", m.name)
		runtime.GC()
		rows := m.run(s)
		if file != "" {
			if err := page.Replace(file, m.name, markdown(rows)); err != nil {
				return err
			}
		}
		all = append(all, rows...)
	}
	return print(all)
}

func print(rows []row) error {
	w := tabwriter.NewWriter(os.Stdout, 2, 0, 2, ' ', 0)
	fmt.Fprintln(w, "measured\tfigure\twanted\t")
	for _, r := range rows {
		met := ""
		if r.judged {
			met = map[bool]string{true: "yes", false: "NO"}[r.met]
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.what, r.figure, r.want, met)
	}
	return w.Flush()
}

// markdown writes the table for a page.
func markdown(rows []row) string {
	var b strings.Builder
	b.WriteString("| measured | figure | wanted | met |\n|---|---|---|---|\n")
	for _, r := range rows {
		met := ""
		if r.judged {
			met = map[bool]string{true: "yes", false: "**no**"}[r.met]
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.what, r.figure, r.want, met)
	}
	return b.String()
}

// cpu is the processor time that this process has taken, system calls and the
// collector included.
func cpu() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err) // cannot fail with these arguments
	}
	return time.Duration(t.Nano())
}

// took measures the processor time of f.
func took(f func()) time.Duration {
	began := cpu()
	f()
	return cpu() - began
}

// ms writes a duration in milliseconds.
func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }
