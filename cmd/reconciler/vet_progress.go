package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress shows on one line of a terminal how many steps of the work are done. Elsewhere it shows nothing. It is safe for
// concurrent use.
type progress struct {
	out  io.Writer // nil: no terminal
	what string
	of   int

	mu    sync.Mutex
	done  int
	next  time.Time // earliest time of the next update
	shown bool
}

// progressDelay is how long work takes before the line appears. Tests set it to 0.
var progressDelay = 300 * time.Millisecond

func newProgress(out io.Writer, what string, of int) *progress {
	p := &progress{what: what, of: of, next: time.Now().Add(progressDelay)}
	if isTerminal(out) {
		p.out = out
	}
	return p
}

// step counts a step that is done.
func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if p.out == nil || time.Now().Before(p.next) {
		return
	}
	p.shown, p.next = true, time.Now().Add(progressDelay/3)
	fmt.Fprintf(p.out, "\r\x1b[K%s %d of %d", p.what, min(p.done, p.of), p.of)
}

// end clears the line.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
