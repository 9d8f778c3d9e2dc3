package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress counts work on one line of a terminal. Elsewhere it says nothing. It is
// safe for concurrent use.
type progress struct {
	out  io.Writer // nil: no terminal
	what string
	of   int

	mu    sync.Mutex
	done  int
	next  time.Time // not before this is the line written again
	shown bool
}

// patience is how long people wait without wondering. Tests set it to 0, so that a fast machine shows progress, too.
var patience = 300 * time.Millisecond

func newProgress(out io.Writer, what string, of int) *progress {
	p := &progress{what: what, of: of, next: time.Now().Add(patience)}
	if isTerminal(out) {
		p.out = out
	}
	return p
}

// step says that one part is done.
func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if p.out == nil || time.Now().Before(p.next) {
		return
	}
	p.shown, p.next = true, time.Now().Add(patience/3)
	fmt.Fprintf(p.out, "\r\x1b[K%s %d of %d", p.what, min(p.done, p.of), p.of)
}

// end takes the line away.
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
