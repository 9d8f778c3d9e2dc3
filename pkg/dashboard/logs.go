package dashboard

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/text"
)

// Limits of logs.
const (
	mostLogs     = 4         // that a person reads at a time
	mostLines    = 500       // that a log begins with
	maxLine      = 8 << 10   // bytes that are shown of a line
	logRate      = 256 << 10 // bytes a second that are read
	mostTogether = 100       // lines in an event
)

// logLine is a line of a log.
type logLine struct {
	Time string `json:"time,omitempty"`
	Text string `json:"text"`
}

// logs sends the last lines of the log of a container, and what follows.
func (s *Server) logs(w http.ResponseWriter, r *http.Request, m *Moment, f Followed) error {
	leave, ok := s.readers.enter(personOf(r).Name)
	if !ok {
		return refuse(http.StatusTooManyRequests, "%d logs are open already; close one", mostLogs)
	}
	defer leave()
	if _, err := f.Look(r.Context(), m.Ledger); err != nil { // which pods there are
		return err
	}
	asked := r.URL.Query()
	log, err := f.Logs(r.Context(), runtime.LogQuery{
		Pod: asked.Get("pod"), Container: asked.Get("container"), Previous: asked.Get("previous") == "true", Lines: mostLines,
	})
	if err != nil {
		return blamed[*runtime.NotLiveError](http.StatusNotFound, err)
	}
	defer log.Close()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	batches := make(chan []logLine)
	ended := make(chan error, 1)
	go func() { ended <- readLog(ctx, log, batches) }()
	defer func() { cancel(); log.Close(); <-ended }()

	send := s.pace.sender(w)
	if !send(": log\n\n") {
		return nil
	}
	alive := time.NewTicker(s.pace.alive)
	defer alive.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-alive.C:
			if !send(":\n\n") {
				return nil
			}
		case batch := <-batches:
			data, err := json.Marshal(batch)
			if err != nil || !send("event: log\ndata: %s\n\n", data) {
				return nil
			}
		case err := <-ended:
			ended <- nil
			data, _ := json.Marshal(endOf(err))
			send("event: end\ndata: %s\n\n", data)
			return nil
		}
	}
}

// endOf says why a log ended.
func endOf(err error) map[string]string {
	if err == nil || err == io.EOF {
		return map[string]string{"why": "the container wrote no more"}
	}
	return map[string]string{"why": text.Line(err.Error(), maxSentence)}
}

// readLog reads lines as fast as logs may be read, and passes on what has come.
func readLog(ctx context.Context, log io.Reader, batches chan<- []logLine) error {
	limit := rate.NewLimiter(logRate, logRate)
	in := bufio.NewReaderSize(&paced{ctx, log, limit}, 32<<10)
	var batch []logLine
	for {
		line, err := readLine(in)
		if err != nil {
			return err
		}
		if batch = append(batch, line); len(batch) < mostTogether && bytes.IndexByte(peeked(in), '\n') >= 0 {
			continue
		}
		select {
		case batches <- batch:
			batch = nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// peeked returns what was read and not used.
func peeked(in *bufio.Reader) []byte {
	b, _ := in.Peek(in.Buffered())
	return b
}

// readLine reads one line, and skips what is too long of it.
func readLine(in *bufio.Reader) (logLine, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part[:min(len(part), maxLine+64-len(line))]...)
		if err == nil || err == io.EOF && len(line) > 0 {
			break
		}
		if err != bufio.ErrBufferFull {
			return logLine{}, err
		}
	}
	return lineOf(strings.TrimRight(string(line), "\r\n")), nil
}

// lineOf takes a line apart into the time that the kubelet wrote, and what the program did. That is hostile: of what steers a
// terminal nothing is left.
func lineOf(line string) logLine {
	at, rest, ok := strings.Cut(line, " ")
	if _, err := time.Parse(time.RFC3339Nano, at); !ok || err != nil {
		at, rest = "", line
	}
	return logLine{at, text.Lines(withoutEscapes(rest), maxLine)}
}

// paced reads no faster than a limit.
type paced struct {
	ctx   context.Context
	from  io.Reader
	limit *rate.Limiter
}

func (p *paced) Read(b []byte) (int, error) {
	n, err := p.from.Read(b[:min(len(b), 32<<10)])
	if n > 0 {
		if err := p.limit.WaitN(p.ctx, n); err != nil {
			return n, err
		}
	}
	return n, err
}
