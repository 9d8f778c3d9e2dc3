package clustertest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// A progress reads what "go build -v" prints, the packages it compiles, and shows people that something happens:
// on a terminal one line that keeps changing, elsewhere a line from time to time.
type progress struct {
	out      io.Writer
	terminal bool
	started  time.Time
	stop     chan struct{}
	stopped  chan struct{}

	mu       sync.Mutex
	partial  []byte   // of a line
	packages int      // compiled so far
	current  string   // the last one named
	other    []string // lines that name no package: what went wrong
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, started: time.Now(), stop: make(chan struct{}), stopped: make(chan struct{})}
	interval := 15 * time.Second
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		p.terminal, interval = true, 500*time.Millisecond
	}
	fmt.Fprintln(out, "building the test cluster; the first time takes several minutes")
	go p.show(interval)
	return p
}

func (p *progress) show(interval time.Duration) {
	defer close(p.stopped)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
			p.line()
		}
	}
}

func (p *progress) line() {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf("  %4.0f s, %d packages compiled, now %s", time.Since(p.started).Seconds(), p.packages, p.current)
	if p.terminal {
		fmt.Fprintf(p.out, "\r%-100.100s", text)
		return
	}
	fmt.Fprintln(p.out, text)
}

// Write takes the output of go build. It never fails.
func (p *progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.partial = append(p.partial, text...)
	for {
		line, rest, found := bytes.Cut(p.partial, []byte("\n"))
		if !found {
			return len(text), nil
		}
		p.read(string(line))
		p.partial = rest
	}
}

func (p *progress) read(line string) {
	const most = 50
	switch {
	case strings.HasPrefix(line, "go: downloading "):
		p.current = strings.TrimPrefix(line, "go: ")
	case line != "" && !strings.ContainsAny(line, " :\t"):
		p.packages++
		p.current = line
	case len(p.other) < most:
		p.other = append(p.other, line)
	}
}

// problems returns what go build complained about.
func (p *progress) problems() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.other, "\n") + string(p.partial)
}

// end stops showing.
func (p *progress) end() {
	close(p.stop)
	<-p.stopped
	p.line()
	if p.terminal {
		fmt.Fprintln(p.out)
	}
}
