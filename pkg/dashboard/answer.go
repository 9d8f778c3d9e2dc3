package dashboard

import (
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

// refusal is an answer that is an error of the client, or of the world.
type refusal struct {
	status   int
	sentence string
	after    time.Duration // that the client has to wait; 0: that is not known
	saves    bool          // the draft that it is about may be saved all the same, if what judges it then says so
}

func (r *refusal) Error() string { return r.sentence }

func refuse(status int, format string, args ...any) error {
	return &refusal{status: status, sentence: fmt.Sprintf(format, args...)}
}

// later refuses what is not ready yet.
func later(format string, args ...any) error {
	return &refusal{status: http.StatusServiceUnavailable, sentence: fmt.Sprintf(format, args...), after: soon}
}

// soon is when to ask again for what is being made.
const soon = 2 * time.Second

// tooMuch refuses what can be asked again after some time.
func tooMuch(after time.Duration, format string, args ...any) error {
	return &refusal{status: http.StatusTooManyRequests, sentence: fmt.Sprintf(format, args...), after: after}
}

// handler answers a request, or returns the error that is the answer.
type handler func(w http.ResponseWriter, r *http.Request) error

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h(w, r); err != nil {
		fail(w, r, err)
	}
}

// refusalOf returns an error as an answer. One that blames nobody is one of the world.
func refusalOf(err error) *refusal {
	known := &refusal{status: http.StatusServiceUnavailable, sentence: err.Error()}
	errors.As(err, &known)
	return known
}

// fail writes an error as JSON.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	known := refusalOf(err)
	if known.after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(known.after.Seconds()))))
	}
	said := map[string]any{"error": text.Line(known.sentence, maxSentence)}
	if known.saves {
		said["saves"] = true
	}
	body, _ := view.JSON(said)
	w.Header().Set("Cache-Control", "no-store")
	write(w, r, known.status, body)
}

// maxSentence bounds an error, in bytes.
const maxSentence = 4 << 10

// answerer says something of the moment that a request is about.
type answerer func(ctx context.Context, m Moment, r *http.Request) (any, error)

// answer serves what a function says of the moment that a request is about.
func (s *Server) answer(say answerer) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		m, err := s.moment(r.Context(), r)
		if err != nil {
			return err
		}
		said, err := say(r.Context(), m, r)
		if err != nil {
			return err
		}
		w.Header().Set("Daros-Status-Commit", m.Commit)
		return sendJSON(w, r, said)
	}
}

// sendJSON sends a value, or that the client has it already.
func sendJSON(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := view.JSON(v)
	if err == nil {
		send(w, r, body)
	}
	return err
}

// send writes a body, or that the client has it already.
func send(w http.ResponseWriter, r *http.Request, body []byte) {
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	if has(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	write(w, r, http.StatusOK, body)
}

// has reports whether a list of tags has one.
func has(list, tag string) bool {
	for one := range strings.SplitSeq(list, ",") {
		if strings.TrimPrefix(strings.TrimSpace(one), "W/") == tag {
			return true
		}
	}
	return false
}

// smallest is the size from which a body is compressed.
const smallest = 1 << 10

// write writes JSON, compressed if the client takes that.
func write(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", cmp.Or(h.Get("Content-Type"), "application/json; charset=utf-8"))
	h.Add("Vary", "Accept-Encoding")
	if len(body) <= smallest || !takesGzip(r) {
		h.Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		_, _ = w.Write(body)
		return
	}
	h.Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	_, _ = z.Write(body)
	_ = z.Close()
}

// takesGzip reports whether a client takes compressed answers.
func takesGzip(r *http.Request) bool {
	for one := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(one), ";")
		if strings.TrimSpace(name) == "gzip" {
			return !strings.HasPrefix(strings.ReplaceAll(q, " ", ""), "q=0") || strings.HasPrefix(strings.ReplaceAll(q, " ", ""), "q=0.")
		}
	}
	return false
}
