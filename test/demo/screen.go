package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress shows how several things come along: on a terminal as one block that
// is drawn again and again, elsewhere as a line for every change.
type progress struct {
	out      io.Writer
	terminal int // width, 0 if there is none

	mu    sync.Mutex
	names []string
	items map[string]*item
	drawn int // lines of the block on the terminal

	ticker *time.Ticker
	end    chan struct{}
	ended  chan struct{}
}

// item is one line of the block.
type item struct {
	text     string
	began    time.Time
	finished bool
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, items: map[string]*item{}, terminal: terminalWidth(out)}
	if p.terminal > 0 {
		p.ticker = time.NewTicker(200 * time.Millisecond)
		p.end, p.ended = make(chan struct{}), make(chan struct{})
		go p.animate()
	}
	return p
}

func terminalWidth(out io.Writer) int {
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 20 {
		return 0
	}
	return width
}

// set says where a thing stands. A finished one no longer counts seconds.
func (p *progress) set(name, text string, finished bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	it := p.items[name]
	if it == nil {
		it = &item{began: time.Now()}
		p.items[name] = it
		p.names = append(p.names, name)
	}
	if it.text == text && it.finished == finished {
		return
	}
	it.text, it.finished = text, finished
	if p.terminal == 0 {
		fmt.Fprintf(p.out, "  %-20s %s\n", name, text)
	}
}

func (p *progress) animate() {
	defer close(p.ended)
	for {
		select {
		case <-p.ticker.C:
			p.draw()
		case <-p.end:
			p.draw()
			return
		}
	}
}

func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	if p.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", p.drawn)
	}
	for _, name := range p.names {
		it := p.items[name]
		line := fmt.Sprintf("  %-20s %s", name, it.text)
		if !it.finished {
			line += fmt.Sprintf(" … %d s", time.Since(it.began)/time.Second)
		}
		if runes := []rune(line); len(runes) >= p.terminal {
			line = string(runes[:p.terminal-2]) + "…"
		}
		b.WriteString("\x1b[2K" + line + "\n")
	}
	p.drawn = len(p.names)
	_, _ = io.WriteString(p.out, b.String())
}

// close leaves the block as it is.
func (p *progress) close() {
	if p.ticker == nil {
		return
	}
	p.ticker.Stop()
	close(p.end)
	<-p.ended
	p.ticker = nil
}

// seconds writes a duration for people.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// lastLine returns the last line that says something.
func lastLine(text []byte) string {
	line := ""
	for l := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r == '\n' || r == '\r' }) {
		if l = strings.TrimSpace(l); l != "" {
			line = l
		}
	}
	return line
}
